import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// The distance without a trajectory.
@Suite struct RangeOnlyDistanceTests {
  static func distance(
    range: Double = 5, age: Double = 0, bias: Double = 0, biasSigma: Double = 0.15, noise: Double = 0.1,
    lever: Double = 0, nlosProbability: Double = 0, isStationary: Bool = false
  ) -> RangeOnlyDistance {
    RangeOnlyDistance(
      range: range, age: age, bias: (bias, biasSigma * biasSigma), noise: noise, lever: lever,
      nlosProbability: nlosProbability,
      peerIsStationary: isStationary, FinderConfiguration())
  }

  @Test func everyUncertaintyWidensIt() {
    let fresh = Self.distance()
    #expect(fresh.mean == 5 && abs(fresh.sigma - 0.0325.squareRoot()) < 1e-12)
    #expect(Self.distance(noise: 0.3).sigma > fresh.sigma && Self.distance(biasSigma: 0.02).sigma < fresh.sigma)
    let held = Self.distance(lever: 0.3)
    #expect(abs(held.sigma * held.sigma - fresh.sigma * fresh.sigma - 0.03) < 1e-12)
    // 85 % of the NLOS biases have a mean square of 0.64 m^2, 15 % of 9 m^2.
    let nlos = Self.distance(nlosProbability: 0.5)
    #expect(abs(nlos.sigma * nlos.sigma - fresh.sigma * fresh.sigma - 0.5 * (0.85 * 0.64 + 0.15 * 9)) < 1e-9)
    #expect(nlos.mean == 5)
  }

  /// A range that is 680 s old was once as certain as a fresh one.
  @Test func ageWidensIt() {
    let sigmas = [0, 0.1, 1, 10, 100, 680].map { Self.distance(age: $0).sigma }
    #expect(zip(sigmas, sigmas.dropFirst()).allSatisfy { $0 < $1 } && sigmas[1] < sigmas[0] + 0.05)
    // A device at half a metre a second, and a peer that strolls: together some metres after ten seconds.
    #expect((4...12).contains(sigmas[3]) && sigmas[5] > 340)
    // For a peer that reports that it is stationary, the device's own motion is left.
    #expect(abs(Self.distance(age: 10, biasSigma: 0, noise: 0, isStationary: true).sigma - 5) < 1e-9)
    #expect(Self.distance(age: -3).sigma == sigmas[0], "a clock that went back")
  }

  @Test func aBiasIsTakenOffAndNothingIsNegative() {
    #expect(abs(Self.distance(bias: 0.3).mean - 4.7) < 1e-12 && Self.distance(range: 0.1, bias: 0.3).mean == 0)
  }

  /// Round the peer, so that the radio's bias of 0.3 m is observable. Then the tracker loses its position: the distance
  /// stays right, which it was not by 0.3 m.
  @Test func whatIsKnownOfTheRadioOutlivesThePath() throws {
    let peer = Vector3(3, 4, 0.3)
    func path(_ t: Double) -> Pose {
      let round = Vector3(2.2 * cos(0.6 * t), 1.5 * sin(0.6 * t), 0.5 * sin(2.2 * t))
      return Pose(rotation: OdometryWorld.path(0).rotation, translation: peer + round)
    }
    var random = SeededRandom(seed: 5)
    var events: [TimedEvent] = []
    for k in 0...400 where k < 325 || k > 375 {
      let t = Double(k) / 25
      events.append(TimedEvent(.odometry(OdometryPose(timestamp: OdometryWorld.time(t), worldFromSensor: path(t)))))
    }
    for k in 0..<160 {
      let t = 0.1 * Double(k) + 0.013
      let distance = (peer - path(t).translation).norm
      events.append(OdometryWorld.range(t, "a", distance + 0.3 + 0.03 * random.gaussian()))
    }
    let updates = OdometryWorld.run(events.sorted { $0.event.timestamp < $1.event.timestamp }).updates(of: "a")
    let gap = updates.filter { $0.details["range"] != nil && $0.object.quality == .imprecise }
    #expect(gap.count > 10)
    var errors = 0.0
    for update in gap {
      let t = update.timestamp.seconds(since: OdometryWorld.time(0))
      let error = try #require(update.object.distance) - (peer - path(t).translation).norm
      #expect(abs(error) < 3 * (try #require(update.object.distanceStandardDeviation)))
      errors += error / Double(gap.count)
    }
    #expect(abs(errors) < 0.15, "mean error \(errors)")
  }
}
