import Evaluation
import EvaluationTestSupport
import Foundation
import Geometry
import Simulation
import Testing

/// The closed-form bound against the exact posterior on a line.
@Suite struct DirectionBoundStatistics {
  /// Straight sideways motion leaves a ring; the 1-sigma of its observable, the cosine to the line, meets the bound.
  @Test(arguments: [90.0, 60, 130])
  func theObserverReachesTheBoundOnALine(degrees: Double) throws {
    var random = SeededRandom(seed: 303)
    let path = IdealTrialObserver.path(seconds: 6) { Vector3(0, 0.3 * sin(2 * .pi * $0 / 2), 0) }
    let expected = try #require(DirectionBound(antennas: path, sigma: 0.06)?.cosine(along: Vector3(0, 1, 0)))
    let peer = 20 * Vector3(sin(Angle.degrees(degrees)), cos(Angle.degrees(degrees)), 0)
    var found = 0.0
    for _ in 0..<10 {
      let observer = IdealTrialObserver.afterWhiteNoise(peer: peer, path: path, sigma: 0.06, random: &random)
      found += try IdealTrialObserver.deviation(observer) { $0.normalized.y } / 10
    }
    print("ideal observer against the bound on a line at \(degrees) degrees: \(found / expected)")
    #expect(abs(found / expected - 1) < 0.05)
  }
}
