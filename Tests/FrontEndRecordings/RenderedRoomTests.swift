import FrontEnd
import Images
import SensorData
import Simulation
import Testing

/// Tracks in a rendered room compared with the true projections.
@Suite struct RenderedRoomTests {
  /// A sweep of the camera with EuRoC's image size, or the rig with two cameras.
  private static func scenario(_ distortion: CameraCalibration.Distortion, second: Bool = false) throws -> Scenario {
    var scenario = try Scenario.named(second ? "stereo" : "track-sweep")
    scenario.camera?.distortion = distortion
    return scenario
  }

  private struct Tracking {
    var frames: [CameraFrame] = []
    /// Distances from the true projection of the track's first point, sorted, pixels.
    var errors: [Double] = []
    /// The same between cam1 and the surface seen by cam0.
    var stereoErrors: [Double] = []
  }

  /// Painted once, because it takes the longest.
  private static let texture = (try? Scenario.named("still")).flatMap { try? Simulator(scenario: $0, seed: 5) }
    .map(ImageSimulator.pattern)

  /// Tracks the frames of a time interval.
  ///
  /// - Parameter cut: columns and rows that cam1 lacks at its upper left.
  private static func track(_ scenario: Scenario, from: Double, to: Double, cut: SIMD2<Int> = .zero) throws -> Tracking
  {
    let simulator = try Simulator(scenario: scenario, seed: 5)
    let renderer = try #require(ImageSimulator(simulator, texture: texture))
    var rig = simulator.rig
    if rig.cameras.count > 1 {
      rig.cameras[1].width -= cut.x
      rig.cameras[1].height -= cut.y
      rig.cameras[1].cx -= Double(cut.x)
      rig.cameras[1].cy -= Double(cut.y)
    }
    let frontEnd = ImageFrontEnd(rig: rig, masks: [])
    var result = Tracking()
    var points: [Int64: SIMD3<Double>] = [:]
    var moment: [CameraFrame] = []
    func flush() {
      guard let stamp = moment.first?.timestamp else { return }
      let images = moment.map { frame in
        let image = renderer.image(of: frame)
        return frame.camera == 0 ? image : Self.lowerRight(of: image, from: cut)
      }
      let made = frontEnd.frames(images, at: stamp)
      for feature in made.first?.features ?? [] {
        let position = SIMD2(feature.u, feature.v)
        guard let point = points[feature.featureID] else {
          points[feature.featureID] = renderer.point(at: position, in: moment[0])
          continue
        }
        let offset = renderer.pixel(of: point, in: moment[0]).map { $0 - position } ?? SIMD2(99, 0)
        result.errors.append((offset * offset).sum().squareRoot())
      }
      if made.count > 1 {
        let first = Dictionary(uniqueKeysWithValues: made[0].features.map { ($0.featureID, SIMD2($0.u, $0.v)) })
        for feature in made[1].features {
          guard let point = renderer.point(at: first[feature.featureID]!, in: moment[0]) else { continue }
          let offset =
            renderer.pixel(of: point, in: moment[1]).map { $0 - SIMD2<Double>(cut) - SIMD2(feature.u, feature.v) }
            ?? SIMD2(99, 0)
          result.stereoErrors.append((offset * offset).sum().squareRoot())
        }
      }
      result.frames += made
      moment = []
    }
    for event in simulator.events() {
      let time = event.event.timestamp.seconds(since: Simulator.start)
      guard time >= from - 0.2, time <= to else { continue }
      switch event.event {
      case .imu(let sample): frontEnd.add(sample)
      case .frame(let frame) where time >= from:
        if frame.camera == 0 { flush() }
        moment.append(frame)
      default: break
      }
    }
    flush()
    result.errors.sort()
    result.stereoErrors.sort()
    return result
  }

  @Test(
    arguments: [
      CameraCalibration.Distortion.radialTangential(k1: -0.283, k2: 0.074, p1: 2e-4, p2: 2e-5),
      .equidistant(k1: 0.0035, k2: 7e-4, k3: -0.002, k4: 2e-4), .fieldOfView(w: 0.9),
    ] as [CameraCalibration.Distortion])
  func tracksStayOnTheirPoints(_ lens: CameraCalibration.Distortion) throws {
    let result = try Self.track(Self.scenario(lens), from: 2, to: 3)
    let errors = result.errors
    #expect(errors[errors.count / 2] <= 0.3 && errors[errors.count * 95 / 100] <= 1)
    let counts = result.frames.map(\.features.count)
    #expect(counts.allSatisfy { $0 >= 150 && $0 <= 250 }, "\(counts)")
    for frame in result.frames {
      let ids = frame.features.map(\.featureID)
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && frame.view == .clear)
    }
  }

  private static func lowerRight(of image: GrayImage, from cut: SIMD2<Int>) -> GrayImage {
    let rows = (cut.y..<image.height).map { image.pixels[$0 * image.width + cut.x..<($0 + 1) * image.width] }
    return GrayImage(width: image.width - cut.x, height: image.height - cut.y, pixels: Array(rows.joined()))
  }

  /// Of equal size, and of different size in both directions.
  @Test(arguments: [SIMD2(0, 0), SIMD2(40, 30)])
  func bothCamerasSeeTheSamePoints(_ cut: SIMD2<Int>) throws {
    let result = try Self.track(
      Self.scenario(.radialTangential(k1: -0.05, k2: 0.02, p1: 0, p2: 0), second: true), from: 2, to: 3, cut: cut)
    let second = result.frames.filter { $0.camera == 1 }
    #expect(second.count == result.frames.count { $0.camera == 0 })
    #expect(second.dropFirst(2).allSatisfy { $0.features.count > 80 }, "\(second.map(\.features.count))")
    let errors = result.stereoErrors
    #expect(errors[errors.count / 2] <= 0.3 && errors[errors.count * 95 / 100] <= 1)
  }

  @Test func sameImagesSameFrames() throws {
    let scenario = try Self.scenario(.none)
    let (one, other) = (
      try Self.track(scenario, from: 2, to: 2.5), try Self.track(scenario, from: 2, to: 2.5)
    )
    #expect(one.frames == other.frames && one.frames.count == 11)
  }

  /// Darkness and a covered lens: no features, and the condition is reported at once, as is its end.
  @Test func theViewConditionIsReported() throws {
    var scenario = try Self.scenario(.none)
    scenario.camera?.dark = [2.2...2.4]
    scenario.camera?.covered = [2.6...2.8]
    let frames = try Self.track(scenario, from: 2, to: 3).frames
    for frame in frames {
      let time = frame.timestamp.seconds(since: Simulator.start)
      let expected: ViewCondition =
        (2.2...2.4).contains(time) ? .dark : (2.6...2.8).contains(time) ? .covered : .clear
      #expect(frame.view == expected, "\(time)")
      #expect(frame.features.isEmpty == (expected != .clear))
    }
  }
}
