import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// The tests that need the inertial unit alone.
@Suite struct InertialPremiseTests {
  private static func time(_ t: Double) -> Timestamp { Timestamp(nanoseconds: 5_000_000_000).advanced(bySeconds: t) }

  /// A device that turns about every axis, at rest in place: specific force is gravity in its axes.
  private static func history(
    seconds: Double = 6, force: (Vector3) -> Vector3 = { $0 }, gyroscope: (Vector3) -> Vector3 = { $0 }
  ) -> InertialHistory {
    var history = InertialHistory()
    var worldFromIMU = Rotation.identity
    for k in 0...Int(seconds * 200) {
      let t = Double(k) / 200
      let rate = Vector3(0.9 * sin(2 * t), 0.7 * sin(1.3 * t + 1), 0.8 * sin(1.7 * t + 2))
      let up = worldFromIMU.inverse * Vector3(0, 0, 9.81)
      history.append(
        IMUSample(
          timestamp: time(t), angularVelocity: gyroscope(rate), specificForce: force(up + Vector3(0.4, -0.5, 0.3))))
      let next = Vector3(
        0.9 * sin(2 * (t + 0.0025)), 0.7 * sin(1.3 * (t + 0.0025) + 1), 0.8 * sin(1.7 * (t + 0.0025) + 2))
      worldFromIMU = worldFromIMU * .exp(next * 0.005)
    }
    return history
  }

  private static let test = GravityMagnitude(gravity: 9.81)

  @Test func aBiasOfAPhoneIsNoFault() {
    #expect(Self.test.size(Self.history()) == nil)
  }

  @Test(arguments: [("g", 1 / 9.80665), ("mg", 1000 / 9.80665), ("mm/s^2", 1000)]) func unitsAreNamed(
    _ unit: (name: String, factor: Double)
  ) throws {
    let found = try #require(Self.test.size(Self.history { $0 * unit.factor }))
    guard case .scale(let scale) = found.cause else { return #expect(Bool(false), "\(found.cause)") }
    #expect(GravityMagnitude.unit(scale)?.name == unit.name && found.ratio > PremiseVerdict.limit)
  }

  @Test func withoutGravityNothingIsScaled() throws {
    let found = try #require(Self.test.size(Self.history { _ in Vector3(0.01, 0, 0) }))
    #expect(found.cause == .missing)
  }

  @Test func aSpikeIsReplacedAndMotionIsNot() {
    var filter = SpikeFilter()
    let rest = Vector3(0, 0, 9.81)
    for k in 0..<100 {
      let isSpike = k == 50
      let used = filter.filtered(
        IMUSample(
          timestamp: Self.time(0.005 * Double(k)), angularVelocity: isSpike ? Vector3(300, 0, 0) : .zero,
          specificForce: isSpike ? Vector3(0, 9000, 0) : rest))
      #expect(used.specificForce == rest && used.angularVelocity == .zero)
    }
    #expect(filter.count == 1)
    // Another unit from the first sample on is no spike, nor is a level that stays.
    var other = SpikeFilter()
    var passed = 0
    for k in 0..<10 {
      let sample = IMUSample(
        timestamp: Self.time(0.005 * Double(k)), angularVelocity: .zero, specificForce: k < 3 ? rest : rest * 50)
      let used = other.filtered(sample)
      if used == sample { passed += 1 }
    }
    #expect(passed == 7 && other.count == 0, "three held back, then it is taken")
  }

  @Test(arguments: [(200.0, nil), (200e3, "microseconds"), (2e8, "milliseconds"), (2e11, "seconds")])
  func stampsHaveAUnit(_ rate: (Double, String?)) {
    #expect(StampRateMonitor.unit(of: rate.0, sensor: "imu0") == rate.1)
  }
}
