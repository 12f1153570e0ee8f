import FrontEnd
import Geometry
import SensorData
import Simulation
import Testing

/// The gyroscope's turn between frames, and what it tells of points that move.
@Suite struct TurnTests {
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

  /// A steady turn about a body axis: known in closed form, whatever the extrinsics and the camera's clock.
  @Test(arguments: [0.0, 0.013, -0.02])
  func aSteadyTurnIsExact(offset: Double) throws {
    var random = SeededRandom(seed: 2)
    let (imu, camera) = Self.rig(&random, offset: offset)
    let rate = Vector3(0.8, -1.1, 0.5)  // body axes
    var turn = GyroscopeRotation(imu: imu, camera: camera)
    for k in 0...100 {
      turn.add(
        IMUSample(
          timestamp: Self.stamp(0.005 * Double(k)), angularVelocity: imu.bodyFromIMU.rotation.inverse * rate,
          specificForce: .zero))
    }
    let none = turn.turn(to: Self.stamp(0.1)), some = turn.turn(to: Self.stamp(0.163))
    #expect(none == nil, "there is no frame before the first one")
    let found = try #require(some)
    let bodyThenFromNow = Rotation.exp(rate * 0.063)
    let cameraFromBody = camera.bodyFromCamera.rotation.inverse
    let truth = cameraFromBody * bodyThenFromNow.inverse * cameraFromBody.inverse
    #expect((found * truth.inverse).log.norm < 1e-9)
  }

  @Test func withoutReadingsThereIsNoTurn() {
    var random = SeededRandom(seed: 3)
    let (imu, camera) = Self.rig(&random)
    var turn = GyroscopeRotation(imu: imu, camera: camera)
    for k in 0...10 {
      turn.add(IMUSample(timestamp: Self.stamp(0.005 * Double(k)), angularVelocity: .zero, specificForce: .zero))
    }
    _ = turn.turn(to: Self.stamp(0.01))
    let covered = turn.turn(to: Self.stamp(0.05)), late = turn.turn(to: Self.stamp(0.5))
    let back = turn.turn(to: Self.stamp(0.4))
    #expect(covered != nil)
    #expect(late == nil, "readings ended long before")
    #expect(back == nil, "time went back")
  }

  /// Points of a room before a camera that turned and moved; some slide by several pixels.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func slidingPointsAreFound(seed: UInt64) {
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
    let verdict = RotationConsensus(tolerance: 1.5 * pixel).stoodStill(before, after)
    let caught = zip(verdict, slides).count { !$0 && $1 }, wronged = zip(verdict, slides).count { !$0 && !$1 }
    // What slides along its own epipolar line cannot be told from a nearer point.
    #expect(caught >= 16 && wronged <= 2, "\(caught) of 24 caught, \(wronged) of 96 wronged")
  }

  /// A small turn is found again to second order, whatever the directions; noise averages out.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func theTurnOfDirectionsIsFound(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for size in [1e-4, 1e-3, 1e-2] {
      let turn = Rotation.exp(size * random.direction())
      let before = (0..<100).map { _ in Vector3(random.uniform(-1...1), random.uniform(-1...1), 1.5).normalized }
      let found = RotationConsensus.turn(from: before, to: before.map { turn * $0 })
      #expect((found * turn.inverse).log.norm < size * size)
      let noisy = RotationConsensus.turn(
        from: before, to: before.map { (turn * $0 + 1e-3 * random.direction()).normalized })
      // Some 1e-4 of it, about the line of sight, is left of the noise of a hundred directions.
      #expect((noisy * turn.inverse).log.norm < size * size + 5e-4)
    }
  }

  @Test func whatTellsNoTurnGivesNone() {
    let line = [Vector3](repeating: Vector3(0.3, -0.2, 0.9).normalized, count: 30)
    let other = [Vector3](repeating: Vector3(0.1, 0, 1).normalized, count: 30)
    #expect(RotationConsensus.turn(from: line, to: other) == .identity)
    #expect(RotationConsensus.turn(from: [], to: []) == .identity)
    let broken = other.map { _ in Vector3(.nan, 0, 1) }
    #expect(RotationConsensus.turn(from: line, to: broken) == .identity)
  }

  @Test func aTurnOnTheSpotCondemnsNobody() {
    var random = SeededRandom(seed: 9)
    let before = (0..<100).map { _ in Vector3(random.uniform(-1...1), random.uniform(-1...1), 1.5).normalized }
    let after = before.map { ($0 + 2e-4 * random.direction()).normalized }
    #expect(RotationConsensus(tolerance: 3e-3).stoodStill(before, after).allSatisfy { $0 })
    #expect(RotationConsensus(tolerance: 3e-3).stoodStill([], []).isEmpty)
  }
}
