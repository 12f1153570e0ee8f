import Geometry
import Ranging
import Simulation
import Testing

@Suite struct MomentAccumulatorTests {
  /// The sums of one lattice direction have the weight, mean and covariance of pairwise merges.
  @Test(arguments: [false, true]) func sumsEqualPairwiseMerges(isMoving: Bool) {
    var random = SeededRandom(seed: 47)
    let directions = 5
    // Cells of four: the last one is not full, and some components are below the weight limit.
    var set = RandomGaussianSum.make(&random, antennas: ["left", "right"], count: 27, isMoving: isMoving)
    for pair in 0..<27 {
      for half in 0...1 {
        var one = set[2 * pair + half]
        // Lattice direction 3 has no component.
        one.latticeDirection = pair % 4 == 3 ? 4 : pair % 4
        set[2 * pair + half] = one
      }
    }
    let weights = (0..<set.count).map { _ in random.uniform() < 0.2 ? 1e-6 : random.uniform() }
    var merged = [PositionGaussian?](repeating: nil, count: directions)
    for i in 0..<set.count where weights[i] > 1e-5 {
      let one = set.gaussian(i, weight: weights[i], after: 0.4)
      if merged[set[i].latticeDirection]?.merge(one) == nil { merged[set[i].latticeDirection] = one }
    }
    let summed = set.gaussiansByLatticeDirection(weights: weights, above: 1e-5, after: 0.4)
    #expect(summed.count == 4)
    for (a, b) in zip(summed, merged.compactMap(\.self)) {
      #expect(abs(a.weight - b.weight) < 1e-12 && (a.position - b.position).norm < 1e-12)
      for k in 0..<9 { #expect(abs(a.covariance[k / 3, k % 3] - b.covariance[k / 3, k % 3]) < 1e-11) }
      #expect(abs(a.scale - b.scale) < 1e-13 && abs(a.scaleVariance - b.scaleVariance) < 1e-12)
      #expect((a.scaleCovariance - b.scaleCovariance).norm < 1e-12)
    }
    let listed = set.gaussians(weights: weights, above: 1e-5, after: 0.4)
    #expect(listed.count == weights.count { $0 > 1e-5 })
  }
}
