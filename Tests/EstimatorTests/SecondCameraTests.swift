import CameraGeometry
import Estimator
import EstimatorTestSupport
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

/// Two cameras on one device.
@Suite struct SecondCameraTests {
  typealias Scene = FeatureConstraintTests

  /// Beside the camera of the other tests, slightly rotated, with another lens.
  static let calibration = CameraCalibration(
    bodyFromCamera: Scene.calibration.bodyFromCamera
      * Pose(rotation: Rotation.exp(Vector3(0.05, -0.1, 0.03)), translation: Vector3(0.11, 0.01, -0.02)),
    fx: 400, fy: 402, cx: 320, cy: 240, distortion: .radialTangential(k1: -0.05, k2: 0.02, p1: 2e-4, p2: -1e-4),
    width: 640, height: 480, pixelNoise: 0.7)

  static let camera = FilterCamera(calibration, imu: Scene.imu, beside: Scene.calibration)

  /// The stacked Jacobians of a track observed by both cameras, compared with differences of the prediction.
  @Test(arguments: [0, 3]) func jacobiansOfATrackAreTheDerivatives(anchor: Int) throws {
    var source = SeededRandom(seed: 31)
    let filter = try Scene.flown(&source, corrected: false)
    let clones = filter.clones.prefix(3).flatMap { [$0, $0] }, n = clones.count
    let cameras = [Scene.camera, Self.camera]
    let position = clones[0].worldFromCamera.translation + Vector3(3, 0.3, -0.1)
    let point = Scene.anchored(clones[anchor], position)
    func predicted(_ poses: [Pose], _ point: AnchoredPoint) -> [Double] {
      (0..<n).flatMap { i -> [Double] in
        let camera = cameras[i % 2], from = poses[i / 2] * camera.keptFromCamera, to = poses[anchor / 2]
        let offset = from.translation - to.translation
        let seen = from.rotation.inverse * (to.rotation * point.bearing - point.inverseDistance * offset)
        let pixel = camera.lens.project(seen)!.pixel / camera.pixelNoise
        return [pixel.x, pixel.y]
      }
    }
    let poses = filter.clones.prefix(3).map(\.worldFromCamera)
    let pixels = predicted(Array(poses), point)
    let observations = (0..<n).map { i in
      FeatureTrack.Observation(
        poseID: clones[i].id, pixel: 0.7 * SIMD2(pixels[2 * i], pixels[2 * i + 1]), direction: Vector3(0, 0, 1),
        camera: i % 2)
    }
    let full = try #require(FeatureConstraint.linearised(observations, clones, anchor: anchor, point, cameras))
    #expect(full.residual.allSatisfy { abs($0) < 1e-9 })
    let numeric = FiniteDifferences.jacobian(inputs: 21) { (d: [Double]) -> [Double] in
      let moved = (0..<3).map { Scene.moved(poses[$0], by: d[6 * $0..<6 * $0 + 6]) }
      return predicted(moved, point.plus(Vector3(d[18], d[19], d[20])))
    }
    let analytic = (0..<2 * n).map { (row: Int) -> [Double] in
      Array(full.pose[row * 18..<(row + 1) * 18]) + Array(full.point[3 * row..<3 * row + 3])
    }
    #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
  }

  /// Unsynchronised frames of the second camera are ignored.
  @Test func unsynchronisedFramesAreIgnored() throws {
    let scenario = try Scenario.named("stereo")
    let late = try SimulatedRun(scenario, seed: 1, cameras: 2) { _, event in
      guard case .frame(var frame) = event, frame.camera == 1 else { return event }
      frame.timestamp = frame.timestamp.advanced(bySeconds: 0.013)
      return .frame(frame)
    }
    let one = try SimulatedRun(scenario, seed: 1)
    #expect(late.errors().yawAligned == one.errors().yawAligned)
  }

  /// A second camera whose stamps are half a millisecond early belongs to the same moment.
  @Test func anEarlySecondFrameWaits() throws {
    let scenario = try Scenario.named("stereo")
    let early = try SimulatedRun(scenario, seed: 1, cameras: 2) { _, event in
      guard case .frame(var frame) = event, frame.camera == 1 else { return event }
      frame.timestamp = frame.timestamp.advanced(bySeconds: -0.0005)
      return .frame(frame)
    }
    let two = try SimulatedRun(scenario, seed: 1, cameras: 2)
    #expect(early.errors().yawAligned == two.errors().yawAligned)
  }
}
