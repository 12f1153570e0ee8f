import EstimatorTestSupport
import Simulation
import Testing

/// Two cameras on one device, over several seeds.
@Suite struct SecondCameraStatistics {
  /// A known baseline improves the trajectory, with shared feature ids or not, and the covariance stays consistent.
  @Test(arguments: [true, false]) func aBaselineMakesThePathBetter(sharedIDs: Bool) throws {
    let scenario = try Scenario.named("stereo")
    var ratios: [Double] = [], nees: [Double] = []
    for seed in 1...6 as ClosedRange<UInt64> {
      let one = try SimulatedRun(scenario, seed: seed).errors()
      let two = try SimulatedRun(scenario, seed: seed, cameras: 2, sharedIDs: sharedIDs).errors()
      ratios.append(two.yawAligned / one.yawAligned)
      nees.append(two.nees.position)
    }
    let product = ratios.reduce(1, *)
    print("two cameras (shared ids: \(sharedIDs)): errors over one's \(ratios), NEES \(nees)")
    // Points observed by both have a known distance: more informative than twice as many points.
    #expect(product < (sharedIDs ? 0.34 : 1), "a geometric mean of 5/6, and of 1, over six seeds")
    // The mean of six runs of three degrees of freedom is above 7 once in 900; 0.5 is a sigma of 2.4 times the error.
    #expect((0.5...7).contains(nees.reduce(0, +) / 6))
  }
}
