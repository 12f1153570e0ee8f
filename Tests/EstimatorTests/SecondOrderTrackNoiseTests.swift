import CameraGeometry
import Estimator
import Simulation
import Testing

/// Second moment of a point's true inverse distance for an uncertain baseline.
@Suite struct SecondOrderTrackNoiseTests {
  let prior = InverseDistancePrior(mean: 0.3, sigma: 0.3)

  private func square(_ found: Double, sigma: Double, relativeBaseline: Double) -> Double {
    SecondOrderTrackNoise.trueSquare(found: found, sigma: sigma, relativeBaseline: relativeBaseline, prior: prior)
  }

  @Test(arguments: [0, 0.01, 0.3, 2]) func anExactEstimateIsTheTruth(found: Double) {
    #expect(abs(square(found, sigma: 0, relativeBaseline: 0) - found * found) < 1e-12)
  }

  /// With a negligible baseline a point carries no information: the prior's second moment remains.
  @Test(arguments: [0, 0.3, 2]) func withoutBaselineThePriorRemains(found: Double) {
    let beforehand = prior.mean * prior.mean + prior.sigma * prior.sigma
    for relative in [1e3, 1e300, .infinity] {
      #expect(abs(square(found, sigma: 0.1, relativeBaseline: relative) / beforehand - 1) < 0.1)
    }
  }

  /// Points drawn from the prior, estimated with noisy baselines: the mean square of those found at one value equals
  /// the prediction, up to the Gaussian approximation of the product of errors. The squared estimate itself is up to 40
  /// % too small at 0.3.
  @Test(arguments: [(0.01, 0.3), (0.1, 0.3), (0.25, 0.3), (1, 0.3), (1, 0.1), (0.01, 0.1)])
  func agreesWithDraws(relativeBaseline: Double, found: Double) {
    var random = SeededRandom(seed: 5)
    let sigma = 0.03
    var (sum, count) = (0.0, 0)
    for _ in 0..<400_000 {
      let truth = prior.mean + prior.sigma * random.gaussian()
      let seen = truth * (1 + relativeBaseline.squareRoot() * random.gaussian()) + sigma * random.gaussian()
      if abs(seen - found) < 0.02 {
        sum += truth * truth
        count += 1
      }
    }
    let predicted = square(found, sigma: sigma, relativeBaseline: relativeBaseline)
    #expect(abs(predicted / (sum / Double(count)) - 1) < 0.3)
  }
}
