import CameraGeometry
import Estimator
import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

/// Rows of a rolling shutter at their own times.
@Suite struct RollingShutterTests {
  static let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  static let bias = Vector3(0.02, -0.01, 0.03)

  static func camera(rowTime: Double, stampedRow: Double = 0) -> CameraCalibration {
    CameraCalibration(
      bodyFromCamera: Pose(rotation: .exp(Vector3(0.4, -1.2, 0.3)), translation: Vector3(0.02, 0, 0.01)),
      fx: 420, fy: 421, cx: 321, cy: 239, distortion: .radialTangential(k1: -0.05, k2: 0.02, p1: 2e-4, p2: -1e-4),
      width: 640, height: 480, timeOffset: 0.004, rowTime: rowTime, stampedRow: stampedRow)
  }

  static func rig(_ camera: CameraCalibration) -> RigCalibration {
    RigCalibration(
      imu: IMUCalibration(
        bodyFromIMU: Pose(rotation: .exp(Vector3(0.1, 0.2, -0.3))), gyroscopeNoiseDensity: 1e-4,
        gyroscopeRandomWalk: 1e-5, accelerometerNoiseDensity: 1e-3, accelerometerRandomWalk: 1e-4, rate: 200),
      cameras: [camera])
  }

  /// The IMU's rotation: a turn whose rate changes by 6 rad/s^2.
  static func attitude(_ t: Double) -> Rotation {
    .exp(Vector3(0, 0, 1.5 * t + 3 * t * t) * 0.7 + Vector3(0.4 * t, 0, 0))
  }
  static func rate(_ t: Double) -> Vector3 { (attitude(t - 5e-4).inverse * attitude(t + 5e-4)).log / 1e-3 }

  static func sample(_ t: Double) -> IMUSample {
    IMUSample(
      timestamp: start.advanced(bySeconds: t), angularVelocity: rate(t) + bias, specificForce: Vector3(0, 0, 9.81))
  }

  /// Points far away, seen at their rows' times, are where a global shutter at the last row's time sees them.
  @Test(arguments: [(1.0, 0.0), (1.0, 239.5), (-1.0, 479.0)])
  func farPointsAreWhereTheLastRowSeesThem(sign: Double, stampedRow: Double) throws {
    let camera = Self.camera(rowTime: sign * 0.03 / 479, stampedRow: stampedRow)
    let rig = Self.rig(camera), lens = LensModel(camera)
    let imuFromCamera = rig.imu!.bodyFromIMU.rotation.inverse * camera.bodyFromCamera.rotation
    func pixel(_ point: Vector3, _ t: Double) -> SIMD2<Double>? {
      lens.project((Self.attitude(t) * imuFromCamera).inverse * point)?.pixel
    }
    let stamp = 0.5
    let exposed = stamp + camera.timeOffset  // of the stamped row, on the IMU's clock
    let end = exposed + camera.readoutEnd
    #expect(abs(camera.readoutEnd - (sign > 0 ? (479 - stampedRow) : stampedRow) * 0.03 / 479) < 1e-12)
    var features: [FeatureObservation] = [], expected: [SIMD2<Double>] = []
    let center = (Self.attitude(end) * imuFromCamera) * Vector3(0, 0, 1)
    for k in 0..<40 {
      let off = Vector3(sin(Double(k)), cos(1.7 * Double(k)), sin(2.3 * Double(k))) * 0.5
      let point = (center + off - off.dot(center) * center).normalized
      guard var seen = pixel(point, end), let straight = pixel(point, end) else { continue }
      for _ in 0..<20 { seen = try #require(pixel(point, exposed + camera.delay(ofRow: seen.y))) }
      guard (0..<640).contains(seen.x), (0..<480).contains(seen.y) else { continue }
      features.append(FeatureObservation(featureID: Int64(k), u: seen.x, v: seen.y))
      expected.append(straight)
    }
    #expect(features.count > 12)
    var shutter = try #require(RollingShutter(rig))
    let frame = CameraFrame(timestamp: Self.start.advanced(bySeconds: stamp), features: features)
    var ready: [CameraFrame] = []
    var k = 0
    while ready.isEmpty, k < 300 {
      if k == 100 { #expect(shutter.add(frame, gyroscopeBias: Self.bias).isEmpty, "its readout is to come") }
      ready = shutter.add(Self.sample(0.005 * Double(k)), gyroscopeBias: Self.bias)
      k += 1
    }
    let found = try #require(ready.first)
    #expect(abs(0.005 * Double(k - 1) - end) <= 0.005, "it waits for the sample after its end, and no longer")
    #expect(abs(found.timestamp.seconds(since: frame.timestamp) - camera.readoutEnd) < 1e-8)
    #expect(found.features.count == features.count)
    var largest = 0.0, moved = 0.0
    for (index, feature) in found.features.enumerated() {
      largest = max(largest, abs(feature.u - expected[index].x), abs(feature.v - expected[index].y))
      moved = max(moved, abs(feature.u - features[index].u), abs(feature.v - features[index].v))
      #expect(feature.rowDelay <= 0 && feature.rowDelay >= -0.0301)
    }
    #expect(moved > 15, "pixels that the rows made: \(moved)")
    #expect(largest < 0.1, "pixels that are left: \(largest)")
  }

  @Test func globalShuttersPassAndRollingOnesDoNotWaitForever() throws {
    #expect(RollingShutter(Self.rig(Self.camera(rowTime: 0))) == nil)
    var rig = Self.rig(Self.camera(rowTime: 0.02 / 479))
    rig.cameras.append(Self.camera(rowTime: 0))
    var shutter = try #require(RollingShutter(rig))
    func frame(_ t: Double, _ camera: Int) -> CameraFrame {
      CameraFrame(timestamp: Self.start.advanced(bySeconds: t), camera: camera, features: [])
    }
    #expect(shutter.add(frame(0, 1), gyroscopeBias: nil) == [frame(0, 1)])
    #expect(shutter.add(frame(0.05, 0), gyroscopeBias: nil).isEmpty)
    #expect(shutter.add(frame(0.1, 0), gyroscopeBias: nil).isEmpty)
    #expect(shutter.add(frame(0.6, 0), gyroscopeBias: nil).count == 1, "no sample came for half a second")
    #expect(shutter.flush(gyroscopeBias: nil).count == 2)
    #expect(shutter.flush(gyroscopeBias: nil).isEmpty)
  }

  /// Jacobians of an observation at another row than the clone's are the derivatives of the prediction.
  @Test func jacobiansAtARowsTimeAreTheDerivatives() throws {
    typealias Scene = FeatureConstraintTests
    var source = SeededRandom(seed: 33)
    let filter = try Scene.flown(&source, corrected: false)
    let clones = Array(filter.clones.prefix(3))
    #expect(clones.allSatisfy { $0.velocity.norm > 0 })
    let delays = [-0.004, -0.021, -0.013]
    let point = Scene.anchored(clones[0], clones[0].worldFromCamera.translation + Vector3(3, 0.3, -0.1))
    func predicted(_ poses: [Pose], _ point: AnchoredPoint) -> [Double] {
      (0..<3).flatMap { i -> [Double] in
        let u = clones[i].velocity * delays[i] + clones[i].acceleration * (0.5 * delays[i] * delays[i])
        let from = poses[i] * Pose(translation: u)
        let seen =
          from.rotation.inverse
          * (poses[0].rotation * point.bearing - point.inverseDistance * (from.translation - poses[0].translation))
        let pixel = Scene.camera.lens.project(seen)!.pixel / Scene.camera.pixelNoise
        return [pixel.x, pixel.y]
      }
    }
    let poses = clones.map(\.worldFromCamera)
    let pixels = predicted(poses, point)
    let observations = (0..<3).map { i in
      FeatureTrack.Observation(
        poseID: clones[i].id, pixel: Scene.camera.pixelNoise * SIMD2(pixels[2 * i], pixels[2 * i + 1]),
        direction: Vector3(0, 0, 1), rowDelay: delays[i])
    }
    let full = try #require(FeatureConstraint.linearised(observations, clones, anchor: 0, point, [Scene.camera]))
    #expect(full.residual.allSatisfy { abs($0) < 1e-9 })
    let numeric = FiniteDifferences.jacobian(inputs: 21) { (d: [Double]) -> [Double] in
      let moved = (0..<3).map { Scene.moved(poses[$0], by: d[6 * $0..<6 * $0 + 6]) }
      return predicted(moved, point.plus(Vector3(d[18], d[19], d[20])))
    }
    let analytic = (0..<6).map { (row: Int) -> [Double] in
      Array(full.pose[row * 18..<(row + 1) * 18]) + Array(full.point[3 * row..<3 * row + 3])
    }
    #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
  }

  /// A shutter that is not stated is found by what its rows do; a global one, and one that is stated, are not suspected.
  @Test(arguments: ["arc", "search-walk"]) func unstatedRowsAreFound(name: String) throws {
    for (skew, isStated) in [(0.0, true), (0.03, true), (0.03, false)] {
      var scenario = try Scenario.named(name)
      scenario.camera!.shutter.rowSkew = skew
      scenario.camera!.shutter.isStated = isStated
      let simulator = try Simulator(scenario: scenario, seed: 5)
      guard var estimate = RowTimeEstimate(simulator.statedRig) else {
        #expect(skew > 0 && isStated, "nothing is asked where it is stated")
        continue
      }
      for event in simulator.events() {
        if case .imu(let sample) = event.event { estimate.add(sample) }
        if case .frame(let frame) = event.event { estimate.add(frame) }
      }
      guard skew > 0 else {
        #expect(estimate.rowTime == nil, "\(estimate.rowTime!)")
        continue
      }
      let found = try #require(estimate.rowTime)
      #expect(abs(found.value * 479 - skew) < 0.25 * skew, "\(found)")
    }
  }
}
