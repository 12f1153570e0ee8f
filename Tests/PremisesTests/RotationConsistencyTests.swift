import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// What the rotation test names, on rotations of which the truth is known.
@Suite struct RotationConsistencyTests {
  private static let mount = Rotation.exp(Vector3(0.3, -0.8, 1.1))

  private static func rate(_ t: Double) -> Vector3 {
    Vector3(sin(3 * t), 0.8 * sin(2.3 * t + 1), 0.6 * sin(4.1 * t + 2))
  }

  private static func time(_ t: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_000_000_000_000).advanced(bySeconds: t)
  }

  /// Ten seconds of a gyroscope and of rotations that a sensor with `observerFromIMU` sees, stamped late.
  private static func world(
    _ observer: Rotation = mount, late: Double = 0, gyroscope: (Vector3) -> Vector3 = { $0 }
  ) -> (InertialHistory, RotationConsistency) {
    var history = InertialHistory(), truth = InertialHistory()
    for k in 0...2200 {
      let t = 0.005 * Double(k)
      let sample = IMUSample(timestamp: time(t), angularVelocity: rate(t), specificForce: Vector3(0, 0, 9.81))
      truth.append(sample)
      var read = sample
      read.angularVelocity = gyroscope(sample.angularVelocity)
      history.append(read)
    }
    var test = RotationConsistency(observerFromIMU: mount)
    for k in 5...44 {
      let t = 0.24 * Double(k)
      guard let seen = truth.rotation(from: time(t - 0.2), to: time(t)) else { continue }
      test.append(
        RotationConsistency.Observation(
          start: time(t - 0.2 + late), end: time(t + late), vector: observer * seen,
          covariance: Matrix3(diagonal: Vector3(1, 1, 1) * 9e-6)))
    }
    return (history, test)
  }

  @Test func aTrueSetUpIsNotRefuted() throws {
    let (history, test) = Self.world()
    let outcome = try #require(test.test(history))
    #expect(outcome.nullLevel < 0.1 && outcome.best == nil)
    #expect(test.clock(history) == nil)
  }

  @Test func anotherMountIsFound() throws {
    let observer = Rotation.exp(Vector3(0, 0.5, 0)) * Self.mount
    let (history, test) = Self.world(observer)
    let outcome = try #require(test.test(history))
    let best = try #require(outcome.best)
    guard case .mount(let found, let angle) = best.cause else { return #expect(Bool(false), "\(best.cause)") }
    #expect(best.ratio > PremiseVerdict.limit && abs(angle - 0.5) < 0.01 && (found * observer.inverse).log.norm < 0.01)
  }

  @Test(arguments: [Vector3(-1, 1, 1), Vector3(1, -1, -1)]) func signsOfTheGyroscopeAreFound(_ signs: Vector3) throws {
    let (history, test) = Self.world { $0 * signs }
    let outcome = try #require(test.test(history))
    let best = try #require(outcome.best)
    #expect(best.ratio > PremiseVerdict.limit)
    guard case .gyroscopeAxes(let axes) = best.cause else {
      return #expect(signs.x * signs.y * signs.z > 0, "a rotation")
    }
    #expect(axes == Matrix3(diagonal: signs))
  }

  @Test func degreesPerSecondAreFound() throws {
    let (history, test) = Self.world { $0 * (180 / .pi) }
    let outcome = try #require(test.test(history))
    let best = try #require(outcome.best)
    guard case .gyroscopeScale(let scale) = best.cause else { return #expect(Bool(false), "\(best.cause)") }
    #expect(best.ratio > PremiseVerdict.limit && abs(scale * .pi / 180 - 1) < 0.02)
  }

  @Test(arguments: [0.03, -0.035, 0.3]) func aClockIsFound(late: Double) throws {
    let (history, test) = Self.world(late: late)
    let clock = try #require(test.clock(history))
    #expect(clock.ratio > PremiseVerdict.limit && abs(clock.late - late) < 0.004 + 0.05 * abs(late))
  }
}
