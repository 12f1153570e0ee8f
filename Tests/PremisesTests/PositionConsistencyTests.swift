import Foundation
import Geometry
import Premises
import SensorData
import Simulation
import Testing

/// A tracker's positions against the accelerometer beside it.
@Suite struct PositionConsistencyTests {
  /// A hand that swings the device, its inertial unit with a bias, and a tracker 30 times a second whose pose goes through `written`.
  ///
  /// - Parameters:
  ///   - noise: of the tracker's positions, metres; attitudes err by as many radians.
  ///   - late: of the tracker's stamps, seconds.
  private static func ratio(
    seed: UInt64, seconds: Double = 6, swing: Double = 0.2, noise: Double = 0.003, late: Double = 0,
    written: (Pose) -> Pose = { $0 }
  ) throws -> (cause: PositionConsistency.Cause, ratio: Double) {
    var random = SeededRandom(seed: seed), history = InertialHistory(), positions = PositionConsistency()
    let phases = random.gaussian3() * 3, rates = Vector3(1.9, 1.3, 1.6) + random.gaussian3() * 0.2
    let bias = random.gaussian3() * 0.3, tilt = Rotation.exp(random.gaussian3() * 0.02), initial = random.rotation()
    func phase(_ t: Double) -> Vector3 {
      Vector3(sin(rates.x * t + phases.x), sin(rates.y * t + phases.y), sin(rates.z * t + phases.z))
    }
    func attitude(_ t: Double) -> Rotation { initial * .exp(0.3 * phase(0.7 * t)) }
    func position(_ t: Double) -> Vector3 { Vector3(0.4, 0.3, 0) * t + swing * phase(t) }
    let dt = 0.005, start = Timestamp(nanoseconds: 5_000_000_000)
    for k in 0...Int(seconds / dt) {
      let t = Double(k) * dt
      let rate = (attitude(t - dt / 2).inverse * attitude(t + dt / 2)).log / dt
      let acceleration = (position(t + dt) - 2 * position(t) + position(t - dt)) / (dt * dt)
      history.append(
        IMUSample(
          timestamp: start.advanced(bySeconds: t), angularVelocity: rate,
          specificForce: attitude(t).inverse * (acceleration + Vector3(0, 0, 9.81)) + bias))
      guard k % 7 == 0 else { continue }
      let (error, turn) = (random.gaussian3() * noise, Rotation.exp(random.gaussian3() * noise))
      let seen = Pose(
        rotation: tilt * attitude(t - late) * turn, translation: tilt * position(t - late) + error)
      positions.append(written(seen), at: start.advanced(bySeconds: t), history)
    }
    return try #require(positions.test())
  }

  private static func moved(_ pose: Pose, _ position: Vector3) -> Pose {
    Pose(rotation: pose.rotation, translation: position)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func positionsOfAnotherConventionAreNamed(seed: UInt64) throws {
    let mirrored = try Self.ratio(seed: seed) { pose in
      Self.moved(pose, Vector3(pose.translation.x, -pose.translation.y, pose.translation.z))
    }
    #expect(mirrored.ratio > PremiseVerdict.limit)
    #expect(mirrored.cause == .axes(Matrix3(diagonal: Vector3(1, -1, 1))))
    let turned = try Self.ratio(seed: seed) { pose in
      Self.moved(pose, Vector3(-pose.translation.y, pose.translation.x, pose.translation.z))
    }
    #expect(turned.ratio > PremiseVerdict.limit)
    let inverse = try Self.ratio(seed: seed) { pose in
      Self.moved(pose, -(pose.rotation.inverse * pose.translation))
    }
    #expect(inverse.ratio > PremiseVerdict.limit && inverse.cause == .inverse)
    let frozen = try Self.ratio(seed: seed) { pose in Self.moved(pose, Vector3(1, 2, 0)) }
    #expect(frozen.ratio > PremiseVerdict.limit && frozen.cause == .unrelated)
  }

  /// A radian and a metre are the tracker's own; nothing in between is another convention: 300 trackers, good and bad, late by up to 30 ms.
  @Test func trueConventionsAreNotRefuted() throws {
    var largest = -Double.infinity
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: 7000 + seed)
      let noise = 0.001 * pow(100, random.uniform()), swing = 0.02 * pow(20, random.uniform())
      let found = try Self.ratio(
        seed: seed, swing: swing, noise: noise, late: 0.06 * (random.uniform() - 0.5))
      largest = max(largest, found.ratio)
    }
    // By Markov's inequality one of 300 passes 5 + ln 300 with a probability of 0.007, if the tests were of the law; the refuting limit is 18.
    #expect(largest < 5 + log(300))
  }

  /// Nothing is said of a tracker at rest.
  @Test func restIsNoEvidence() throws {
    let found = try Self.ratio(seed: 4, swing: 0) { pose in Self.moved(pose, -1 * pose.translation) }
    #expect(found.ratio < 5)
  }
}
