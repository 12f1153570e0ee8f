import FrontEnd
import Geometry
import SensorData
import Simulation
import Testing

/// The gyroscope's rotation between frames, and the rejection of moving points given that rotation.
@Suite struct CameraRotationTests {
  private static func stamp(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  private static func rig(_ random: inout SeededRandom, offset: Double = 0) -> (IMUCalibration, CameraCalibration) {
    let imu = IMUCalibration(
      bodyFromIMU: Pose(rotation: random.rotation()), gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5,
      accelerometerNoiseDensity: 1e-2, accelerometerRandomWalk: 1e-4)
    var camera = CameraCalibration(
      bodyFromCamera: Pose(rotation: random.rotation()), fx: 400, fy: 400, cx: 320, cy: 240, width: 640, height: 480)
    camera.timeOffset = offset
    return (imu, camera)
  }

  /// A constant rate about a body axis: known in closed form, for any extrinsics and camera clock.
  @Test(arguments: [0.0, 0.013, -0.02])
  func aConstantRateIsExact(offset: Double) throws {
    var random = SeededRandom(seed: 2)
    let (imu, camera) = Self.rig(&random, offset: offset)
    let rate = Vector3(0.8, -1.1, 0.5)  // body axes
    var rotation = GyroscopeRotation(imu: imu, camera: camera)
    for k in 0...100 {
      rotation.add(
        IMUSample(
          timestamp: Self.stamp(0.005 * Double(k)), angularVelocity: imu.bodyFromIMU.rotation.inverse * rate,
          specificForce: .zero))
    }
    let none = rotation.rotation(to: Self.stamp(0.1)), some = rotation.rotation(to: Self.stamp(0.163))
    #expect(none == nil, "there is no frame before the first one")
    let found = try #require(some)
    let bodyThenFromNow = Rotation.exp(rate * 0.063)
    let cameraFromBody = camera.bodyFromCamera.rotation.inverse
    let truth = cameraFromBody * bodyThenFromNow.inverse * cameraFromBody.inverse
    #expect((found * truth.inverse).log.norm < 1e-9)
  }

  @Test func withoutReadingsThereIsNoRotation() {
    var random = SeededRandom(seed: 3)
    let (imu, camera) = Self.rig(&random)
    var rotation = GyroscopeRotation(imu: imu, camera: camera)
    for k in 0...10 {
      rotation.add(IMUSample(timestamp: Self.stamp(0.005 * Double(k)), angularVelocity: .zero, specificForce: .zero))
    }
    _ = rotation.rotation(to: Self.stamp(0.01))
    let covered = rotation.rotation(to: Self.stamp(0.05)), late = rotation.rotation(to: Self.stamp(0.5))
    let back = rotation.rotation(to: Self.stamp(0.4))
    #expect(covered != nil)
    #expect(late == nil, "readings ended long before")
    #expect(back == nil, "time went back")
  }

  /// Points of a room before a camera that rotated and moved; some move by several pixels.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func movingPointsAreOutliers(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let nowFromThen = Pose(
      rotation: .exp(random.direction() * 0.1), translation: random.direction() * random.uniform(0.02...0.1))
    let pixel = 1.0 / 450
    var before: [Vector3] = [], after: [Vector3] = [], slides: [Bool] = []
    for index in 0..<120 {
      let point = Vector3(random.uniform(-2...2), random.uniform(-1.5...1.5), random.uniform(1.5...6))
      let seen = nowFromThen * point
      var direction = seen.normalized + 0.2 * pixel * random.direction()
      let isSliding = index % 5 == 0
      if isSliding { direction += random.uniform(8...30) * pixel * random.direction() }
      before.append(nowFromThen.rotation * point.normalized)
      after.append(direction.normalized)
      slides.append(isSliding)
    }
    let inliers = RotationConsensus(tolerance: 1.5 * pixel).inliers(before, after)
    let caught = zip(inliers, slides).count { !$0 && $1 }, wronged = zip(inliers, slides).count { !$0 && !$1 }
    // A point that moves along its own epipolar line is indistinguishable from a nearer point.
    #expect(caught >= 16 && wronged <= 2, "\(caught) of 24 caught, \(wronged) of 96 wronged")
  }

  /// A small rotation is recovered to second order for any directions; noise averages out.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func theRotationOfDirectionsIsFound(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for size in [1e-4, 1e-3, 1e-2] {
      let rotation = Rotation.exp(size * random.direction())
      let before = (0..<100).map { _ in Vector3(random.uniform(-1...1), random.uniform(-1...1), 1.5).normalized }
      let found = RotationConsensus.rotation(from: before, to: before.map { rotation * $0 })
      #expect((found * rotation.inverse).log.norm < size * size)
      let noisy = RotationConsensus.rotation(
        from: before, to: before.map { (rotation * $0 + 1e-3 * random.direction()).normalized })
      // Some 1e-4 of the noise of a hundred directions remains, about the mean direction.
      #expect((noisy * rotation.inverse).log.norm < size * size + 5e-4)
    }
  }

  @Test func unobservableRotationsAreIdentity() {
    let line = [Vector3](repeating: Vector3(0.3, -0.2, 0.9).normalized, count: 30)
    let other = [Vector3](repeating: Vector3(0.1, 0, 1).normalized, count: 30)
    #expect(RotationConsensus.rotation(from: line, to: other) == .identity)
    #expect(RotationConsensus.rotation(from: [], to: []) == .identity)
    let broken = other.map { _ in Vector3(.nan, 0, 1) }
    #expect(RotationConsensus.rotation(from: line, to: broken) == .identity)
  }

  @Test func pureRotationRejectsNoPoint() {
    var random = SeededRandom(seed: 9)
    let before = (0..<100).map { _ in Vector3(random.uniform(-1...1), random.uniform(-1...1), 1.5).normalized }
    let after = before.map { ($0 + 2e-4 * random.direction()).normalized }
    #expect(RotationConsensus(tolerance: 3e-3).inliers(before, after).allSatisfy { $0 })
    #expect(RotationConsensus(tolerance: 3e-3).inliers([], []).isEmpty)
  }
}
