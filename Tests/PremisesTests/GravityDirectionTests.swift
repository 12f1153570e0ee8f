import Foundation
import Geometry
import Premises
import SensorData
import Simulation
import Testing

/// Gravity in axes that the gyroscope holds still.
@Suite struct GravityDirectionTests {
  /// A hand that turns about every axis by `swing` radians, more or less, and changes its velocity by a random walk of
  /// 0.6 m/s in a second; an inertial unit with a bias.
  private static func history(
    seed: UInt64, seconds: Double = 11.2, swing: Double = 0.4, hand: Double = 0.6, force: (Vector3) -> Vector3 = { $0 },
    gyroscope: (Vector3) -> Vector3 = { $0 }
  ) -> InertialHistory {
    var random = SeededRandom(seed: seed), history = InertialHistory()
    let phases = random.gaussian3() * 3, rates = Vector3(1.7, 1.1, 1.4) + random.gaussian3() * 0.2
    let bias = random.gaussian3() * 0.3, drift = random.gaussian3() * 0.03, initial = random.rotation()
    var acceleration = Vector3.zero
    let dt = 0.01
    func attitude(_ t: Double) -> Rotation {
      initial
        * .exp(swing * Vector3(sin(rates.x * t + phases.x), sin(rates.y * t + phases.y), sin(rates.z * t + phases.z)))
    }
    for k in 0...Int(seconds / dt) {
      let t = Double(k) * dt, worldFromIMU = attitude(t)
      let rate = (attitude(t - dt / 2).inverse * attitude(t + dt / 2)).log / dt
      // Velocity is reverted to zero, so that the hand stays in place.
      acceleration = acceleration * exp(-dt / 0.3) + random.gaussian3() * (hand * (dt / 0.3).squareRoot())
      let specific = worldFromIMU.inverse * (Vector3(0, 0, 9.81) + acceleration)
      history.append(
        IMUSample(
          timestamp: Timestamp(nanoseconds: 5_000_000_000).advanced(bySeconds: t),
          angularVelocity: gyroscope(rate) + drift,
          specificForce: force(specific) + bias))
    }
    return history
  }

  private static func ratio(_ history: InertialHistory) -> Double { GravityDirection(history)?.test()?.ratio ?? 0 }

  /// None of 300 healthy ones is near the limit: each hand is quiet or hasty, turns little or much.
  @Test func healthyOnesAgree() {
    for seed in 0..<300 as Range<UInt64> {
      let ratio = Self.ratio(
        Self.history(seed: seed, swing: 0.1 + 0.004 * Double(seed), hand: 0.2 + 0.005 * Double(seed)))
      #expect(ratio < 5, "\(seed): \(ratio)")
    }
  }

  /// The gyroscope's bias is learnt by the filter: it is no wrong axis.
  @Test(arguments: [Vector3(0.2, 0.2, 0.2), Vector3(-0.25, 0, 0.1)]) func aBiasOfTheGyroscopeIsNoFault(_ bias: Vector3)
  {
    for seed in 0..<20 as Range<UInt64> { #expect(Self.ratio(Self.history(seed: seed, gyroscope: { $0 + bias })) < 5) }
  }

  /// An accelerometer turned by 40 degrees and more, in a hand that turns by as much: a turn about gravity itself does
  /// not show.
  @Test(arguments: [40.0, 60, 90, 150]) func aTurnedAccelerometerIsFound(_ degrees: Double) throws {
    var (found, right) = (0, 0)
    for seed in 0..<40 as Range<UInt64> {
      var random = SeededRandom(seed: 1000 + seed)
      let turn = Rotation.exp(random.direction() * Angle.degrees(degrees))
      guard let outcome = GravityDirection(Self.history(seed: seed, swing: 0.7, force: { turn * $0 }))?.test(),
        outcome.ratio > 5
      else { continue }
      found += 1
      if case .turned = outcome.cause { right += 1 } else if case .axes = outcome.cause { right += 1 }
    }
    print("turned by \(degrees) degrees: \(found) of 40, named \(right)")
    #expect(found >= 20, "\(degrees): \(found)")
    #expect(Double(right) >= 0.9 * Double(found), "\(degrees): \(right) of \(found)")
  }

  @Test func axesInAnotherOrderAreFound() throws {
    let found = try #require(
      GravityDirection(Self.history(seed: 1, swing: 0.7, gyroscope: { Vector3($0.y, -$0.x, $0.z) }))?.test())
    #expect(found.ratio > PremiseVerdict.limit, "\(found)")
  }

  @Test func aScaleOfTheGyroscopeIsNoAxis() throws {
    let found = try #require(GravityDirection(Self.history(seed: 2, swing: 0.7, gyroscope: { $0 * 2 }))?.test())
    guard case .gyroscopeScale(let scale) = found.cause else { return #expect(Bool(false), "\(found)") }
    #expect(abs(scale - 2) < 0.01 && found.ratio > 5, "\(found)")
  }
}
