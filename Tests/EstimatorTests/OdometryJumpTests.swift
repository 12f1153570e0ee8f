import Estimator
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

@Suite struct OdometryJumpTests {
  /// Number of jumps detected in positions at given times, seconds.
  static func jumps(_ positions: [(Double, Vector3)]) -> Int {
    let poses = positions.map { OdometryFilterTests.pose($0.0, Pose(translation: $0.1)) }
    let filter = OdometryFilter(calibration: OdometryCalibration(), first: poses[0])
    poses.dropFirst().forEach(filter.append)
    return filter.jumpCount
  }

  /// A walk at 1.2 m/s, stamps `dt` apart, with an offset added from 2 s on, for `length` seconds.
  static func walk(dt: Double, offset: Vector3, length: Double = .infinity) -> [(Double, Vector3)] {
    stride(from: 0, to: 4, by: dt).map { t in
      (t, Vector3(1.2 * t, 0, 0) + (t >= 2 && t < 2 + length ? offset : .zero))
    }
  }

  @Test(arguments: [0.1, 1.0 / 30, 0.01, 0.005])
  func walkingIsNoJumpButTwoMetresAre(dt: Double) {
    #expect(Self.jumps(Self.walk(dt: dt, offset: .zero)) == 0)
    #expect(Self.jumps(Self.walk(dt: dt, offset: Vector3(0, 2, 0))) == 1)
    #expect(Self.jumps(Self.walk(dt: dt, offset: Vector3(0, -2, 0), length: 1)) == 2, "away and back")
  }

  /// Number of jumps detected in a heading, and the yaw attributed to them, radians.
  private static func yawJumps(dt: Double, _ heading: (Double) -> Rotation) -> (count: Int, radians: Double) {
    let times = Array(stride(from: 0, to: 4, by: dt))
    let poses = times.map { OdometryFilterTests.pose($0, Pose(rotation: heading($0))) }
    let filter = OdometryFilter(calibration: OdometryCalibration(yawRandomWalk: 0), first: poses[0])
    poses.dropFirst().forEach(filter.append)
    #expect(filter.advance(to: poses.last!.timestamp))
    return (filter.jumpCount, filter.accumulatedDrift.yaw.squareRoot())
  }

  /// A yaw change of the world by 30 degrees is a jump of that size; a rotating or shaking hand is none, and a tilt
  /// adds no yaw.
  @Test(arguments: [1.0 / 30, 0.01, 0.005])
  func aYawChangeOfTheWorldIsAJump(dt: Double) {
    let jump = Angle.degrees(30)
    func turning(_ t: Double) -> Rotation { .yaw(2 * t) * Rotation.exp(Vector3(0.3, 0, 0)) }
    #expect(Self.yawJumps(dt: dt, turning) == (0, 0))
    let yawed = Self.yawJumps(dt: dt) { t in .yaw(t >= 2 ? jump : 0) * turning(t) }
    #expect(yawed.count == 1 && abs(yawed.radians - jump) < 0.02)
    #expect(
      Self.yawJumps(dt: dt) { .yaw(0.4 * sin(6 * .pi * $0)) }.count == 0, "a hand that shakes three times a second")
    let tilted = Self.yawJumps(dt: dt) { t in Rotation.exp(Vector3(t >= 2 ? jump : 0, 0, 0)) }
    #expect(tilted.count == 1 && tilted.radians < 1e-6)
  }

  /// A yaw jump adds its square to the drift of the heading.
  @Test func aYawJumpAddsDrift() {
    let filter = OdometryFilter(
      calibration: OdometryCalibration(positionRandomWalk: 0, yawRandomWalk: 0),
      first: OdometryFilterTests.pose(0, .identity))
    for k in 1...20 {
      filter.append(OdometryFilterTests.pose(0.01 * Double(k), Pose(rotation: .yaw(k >= 15 ? 0.5 : 0))))
    }
    #expect(filter.advance(to: OdometryFilterTests.at(0.2)))
    #expect(abs(filter.accumulatedDrift.yaw - 0.25) < 1e-6)
  }

  /// Motion capture with one marker lost for a frame.
  @Test(arguments: [0.01, 0.005])
  func aGlitchOfCentimetresIsNoJump(dt: Double) {
    #expect(Self.jumps(Self.walk(dt: dt, offset: Vector3(0, 0.05, 0.03), length: dt)) == 0)
  }

  /// Positions rounded to a centimetre, stamps that come in bursts.
  @Test func roundedPositionsAndIrregularStampsAreNoJumps() {
    var random = SeededRandom(seed: 131)
    var t = 0.0
    let positions = (0..<2000).map { _ in
      t += random.chance(0.3) ? random.uniform(0.0005...0.002) : random.uniform(0.005...0.04)
      let p = Vector3(1.5 * t, 0.3 * sin(4 * t), 0.05 * sin(11 * t))
      return (t, (p * 100).rounded(.toNearestOrEven) / 100)
    }
    #expect(Self.jumps(positions) == 0)
  }

  /// A recording may begin at speed, and a vehicle may pull away hard.
  @Test(arguments: [0.1, 1.0 / 30, 0.01])
  func vehiclesDoNotJump(dt: Double) {
    let times = Array(stride(from: 0, to: 5, by: dt))
    #expect(Self.jumps(times.map { ($0, Vector3(20 * $0, 0, 0)) }) == 0, "20 m/s from the first pose on")
    #expect(Self.jumps(times.map { ($0, Vector3(5 * $0 * $0, 0, 0)) }) == 0, "10 m/s^2 from rest")
  }

  /// After a gap in which the device accelerated, at most one jump: the new velocity then counts as motion.
  @Test func aNewSpeedAfterAGapIsAtMostOneJump() {
    let slow = stride(from: 0.0, to: 2, by: 0.1).map { ($0, Vector3.zero) }
    let fast = stride(from: 2.0, to: 4, by: 0.1).map { ($0, Vector3(12 * ($0 - 2), 0, 0)) }
    #expect(Self.jumps(slow + fast) <= 1)
  }

  /// A jump of j metres adds `j^2` to the drift; the pose stays.
  @Test func aJumpAddsDrift() {
    let filter = OdometryFilter(
      calibration: OdometryCalibration(positionRandomWalk: 0, yawRandomWalk: 0),
      first: OdometryFilterTests.pose(0, .identity))
    for k in 1...20 {
      let position = Vector3(0, k >= 10 ? 2 : 0, 0)
      filter.append(OdometryFilterTests.pose(0.1 * Double(k), Pose(translation: position)))
    }
    #expect(filter.advance(to: OdometryFilterTests.at(0.9)))
    #expect(filter.accumulatedDrift.position == .zero)
    #expect(filter.advance(to: OdometryFilterTests.at(0.95)), "half of the jump's interval, all of its variance")
    #expect(abs(filter.accumulatedDrift.positionVariance - 4) < 1e-6)
    #expect(filter.advance(to: OdometryFilterTests.at(2)))
    #expect(filter.jumpCount == 1 && abs(filter.accumulatedDrift.positionVariance - 4) < 1e-6)
    let own = filter.covariance.marginal([filter.poseBlock])
    #expect(own[21] < 1e-3 && own[28] < 1e-3)
  }
}
