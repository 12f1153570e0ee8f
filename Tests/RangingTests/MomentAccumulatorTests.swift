import Geometry
import Ranging
import Simulation
import Testing

@Suite struct MomentAccumulatorTests {
  /// Hypotheses of one direction, told as one, have the weight, mean and covariance of all: as if merged one after the other.
  @Test(arguments: [false, true]) func whatIsSummedIsWhatIsMerged(isMoving: Bool) {
    var random = SeededRandom(seed: 47)
    let nodes = 5
    // Cells of four: the last one is not full, and some of its lanes weigh too little to be listed.
    var set = RandomHypotheses.make(&random, antennas: ["left", "right"], count: 27, isMoving: isMoving)
    for pair in 0..<27 {
      for half in 0...1 {
        var one = set[2 * pair + half]
        // Nobody comes from direction 3.
        one.node = pair % 4 == 3 ? 4 : pair % 4
        set[2 * pair + half] = one
      }
    }
    let weights = (0..<set.count).map { _ in random.uniform() < 0.2 ? 1e-6 : random.uniform() }
    let step = isMoving ? RangingConfiguration().walk.step(0.4) : nil
    var merged = [PositionGaussian?](repeating: nil, count: nodes)
    for i in 0..<set.count where weights[i] > 1e-5 {
      let one = set.gaussian(i, weight: weights[i], after: step)
      if merged[set[i].node]?.merge(one) == nil { merged[set[i].node] = one }
    }
    let summed = set.gaussiansOfNodes(weights: weights, above: 1e-5, after: step)
    #expect(summed.count == 4)
    for (a, b) in zip(summed, merged.compactMap(\.self)) {
      #expect(abs(a.weight - b.weight) < 1e-12 && (a.position - b.position).norm < 1e-12)
      for k in 0..<9 { #expect(abs(a.covariance[k / 3, k % 3] - b.covariance[k / 3, k % 3]) < 1e-11) }
      #expect(abs(a.scale - b.scale) < 1e-13 && abs(a.scaleVariance - b.scaleVariance) < 1e-12)
      #expect((a.scaleCovariance - b.scaleCovariance).norm < 1e-12)
    }
    let listed = set.gaussians(weights: weights, above: 1e-5, after: step)
    #expect(listed.count == weights.count { $0 > 1e-5 })
  }
}
