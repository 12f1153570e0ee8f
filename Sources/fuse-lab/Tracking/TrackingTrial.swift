import Datasets
import Evaluation
import Foundation
import FrontEnd
import Geometry
import Images
import PrecisionFinding
import SensorData
import Simulation

/// Figures of a tracker.
struct TrackingFigures {
  /// Distances from the true projection of the point where a track began, pixels, all observations but the first; sorted.
  var errors: [Double] = []
  /// Means over tracks: frames of a track without those in which it was lost, frames before its error exceeds two pixels,
  /// before it is first lost, and before its point is first truly occluded or out of view; tracks per frame.
  var means: [Double] = []
  /// Why tracks ended; empty for a tracker that does not report it.
  var ends: [TrackEnd: Int] = [:]
  /// Number of tracks recovered after they had left the image.
  var returned = 0
  /// Processor time per frame, milliseconds, sorted.
  var times: [Double]
  /// Their mean.
  var meanTime: Double { times.sum { $0 } / Double(max(1, times.count)) }
  /// Trajectory error, metres RMS after alignment in yaw and position; nil without a trajectory.
  var trajectory: Double?
  /// The same with every track position replaced by the true one.
  var perfectTrajectory: Double?

  /// None yet.
  init(times: [Double]) { self.times = times.sorted() }

  /// Figures of several draws combined; trajectory errors as root mean square.
  init(_ draws: [TrackingFigures]) {
    self.init(times: draws.flatMap(\.times))
    errors = draws.flatMap(\.errors).sorted()
    for draw in draws { ends.merge(draw.ends) { $0 + $1 } }
    returned = draws.reduce(0) { $0 + $1.returned }
    let count = Double(draws.count)
    means = draws[0].means.indices.map { index in draws.sum { $0.means[index] } / count }
    func combined(_ values: [Double?]) -> Double? {
      let known = values.compactMap(\.self)
      return known.count < values.count ? nil : (known.sum { $0 * $0 } / count).squareRoot()
    }
    trajectory = combined(draws.map(\.trajectory))
    perfectTrajectory = combined(draws.map(\.perfectTrajectory))
  }
}

/// One motion with one lens: a tracker runs on rendered images, and its tracks are compared with the true projections.
struct TrackingTrial {
  /// A tracker's result for a frame: track ids and positions.
  private typealias Tracks = [FeatureObservation]

  private let recording: DatasetContents
  private let renderer: ImageSimulator
  private let frames: [CameraFrame]
  private let images: [GrayImage]

  /// Renders a scenario.
  ///
  /// - Throws: `ScenarioError`, or `LabError` for one without a camera.
  init(_ scenario: Scenario, seed: UInt64) throws {
    let simulator = try Simulator(scenario: scenario, seed: seed)
    guard let renderer = ImageSimulator(simulator) else {
      throw LabError("\(scenario.name): found no camera, expected one")
    }
    (self.renderer, recording) = (renderer, simulator.recording())
    frames = recording.events.compactMap {
      if case .frame(let frame) = $0.event, frame.camera == 0 { frame } else { nil }
    }
    images = frames.map { renderer.image(of: $0) }
  }

  /// The project's own tracker.
  func own() -> TrackingFigures {
    let frontEnd = ImageFrontEnd(rig: recording.rig, masks: [])
    var (times, tracks) = ([Double](), [Tracks]())
    for event in recording.events {
      switch event.event {
      case .imu(let sample): frontEnd.add(sample)
      case .frame(let frame) where frame.camera == 0:
        let image = images[tracks.count]
        tracks.append(Self.timed(&times) { frontEnd.frames([image], at: frame.timestamp) }.first?.features ?? [])
      default: break
      }
    }
    var figures = figures(tracks, times)
    (figures.ends, figures.returned) = (frontEnd.ends, frontEnd.returned)
    return figures
  }

  /// Plain OpenCV.
  func plain() -> TrackingFigures {
    let configuration = TrackingConfiguration()
    var tracker = ReferenceTracker(
      features: configuration.features, distance: configuration.spacing * Double(images[0].width) / 640)
    var times: [Double] = []
    let tracks = images.map { image in
      Self.timed(&times) { tracker.process(image) }.map {
        FeatureObservation(featureID: $0.id, u: Double($0.position.x), v: Double($0.position.y))
      }
    }
    return figures(tracks, times)
  }

  /// Adds the thread's processor time of some work, milliseconds.
  private static func timed<Made>(_ times: inout [Double], _ work: () -> Made) -> Made {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
    }
    let began = now()
    defer { times.append(now() - began) }
    return work()
  }

  private func figures(_ tracks: [Tracks], _ times: [Double]) -> TrackingFigures {
    var figures = TrackingFigures(times: times)
    var lives: [Int64: TrackLife] = [:]
    var perfect = tracks
    for (index, frame) in frames.enumerated() {
      perfect[index] = []
      for feature in tracks[index] {
        let position = SIMD2(feature.u, feature.v), id = feature.featureID
        guard var life = lives.removeValue(forKey: id) else {
          lives[id] = TrackLife(begin: index, point: renderer.point(at: position, in: frame))
          perfect[index].append(feature)
          continue
        }
        defer { lives[id] = life }
        guard let point = life.point else {
          life.observe(frame: index, error: nil)
          continue
        }
        let truth = renderer.pixel(of: point, in: frame)
        let offset = truth.map { $0 - position }
        // A point outside the image counts as lost, even if the track continues.
        let error = offset.map { ($0 * $0).sum().squareRoot() } ?? 1000
        figures.errors.append(error)
        life.observe(frame: index, error: error)
        if let truth { perfect[index].append(FeatureObservation(featureID: id, u: truth.x, v: truth.y)) }
      }
    }
    figures.errors.sort()
    let counts: [(TrackLife) -> Int] = [\.length, \.soundLength, \.firstStretch, firstObservation]
    figures.means = counts.map { count in
      Double(lives.values.reduce(0) { $0 + count($1) }) / Double(max(1, lives.count))
    }
    figures.means.append(Double(tracks.reduce(0) { $0 + $1.count }) / Double(max(1, tracks.count)))
    (figures.trajectory, figures.perfectTrajectory) = (trajectory(tracks), trajectory(perfect))
    return figures
  }

  /// Frames from a track's beginning in which its point is in the image and not occluded.
  private func firstObservation(of life: TrackLife) -> Int {
    guard let point = life.point else { return life.firstStretch }
    let end = frames[life.begin...].firstIndex { frame in
      guard let position = renderer.pixel(of: point, in: frame), let seen = renderer.point(at: position, in: frame)
      else { return true }
      return (seen - point).norm > 0.05
    }
    return (end ?? frames.count) - life.begin
  }

  /// The finder's trajectory error with these tracks, without ranges.
  private func trajectory(_ tracks: [Tracks]) -> Double? {
    var judge = Judge(
      truth: TruthTrajectory(recording.truth), peers: TruthPeers([]), bodyFromDevice: recording.rig.bodyFromDevice)
    let finder = PrecisionFinder(rig: recording.rig, useOdometry: false)
    func record(_ outputs: [FinderOutput]) {
      for case .pose(let time, let pose, let covariance) in outputs {
        judge.record(time, worldFromBody: pose, covariance: covariance)
      }
    }
    var index = 0
    for var event in recording.events {
      switch event.event {
      case .imu: break
      case .frame(var frame) where frame.camera == 0:
        frame.features = tracks[index]
        index += 1
        event.event = .frame(frame)
      default: continue
      }
      record(finder.process(event))
    }
    record(finder.finish())
    return judge.errors().trajectory?.ateYawAligned
  }
}

/// The length of a track, compared with the true projection of its point.
private struct TrackLife {
  /// The frame in which it began.
  let begin: Int
  /// Its point, world, metres; nil without one in view.
  let point: Vector3?
  /// Frames that observe it.
  private(set) var length = 1
  /// Frames that observe it before its error first exceeds two pixels.
  private(set) var soundLength = 1
  /// Frames before the first one that does not observe it.
  private(set) var firstStretch = 1
  private var isSound = true

  init(begin: Int, point: Vector3?) { (self.begin, self.point) = (begin, point) }

  /// Counts a frame that observes it, with an error in pixels where its point is known.
  mutating func observe(frame: Int, error: Double?) {
    length += 1
    if frame == begin + firstStretch { firstStretch += 1 }
    guard let error else { return }
    if error > 2 { isSound = false }
    if isSound { soundLength += 1 }
  }
}
