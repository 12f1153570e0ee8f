import Foundation
import Ranging
import Testing

@Suite struct AoAWeightTests {
  /// The hundredth angle of a link: next to no weight as a measurement.
  private static let late = AoAWeight(measurement: 0.001, unbiased: 0.5, biasBound: 0.1)

  private static func logLikelihoodBeyondBias(
    _ weight: AoAWeight, _ innovation: Double, slope: Double = 1, outlierProbability: Double = 0.1
  )
    -> Double
  {
    weight.logLikelihoodBeyondBias(
      Lanes(repeating: innovation), spread: Lanes(repeating: 4e-4), noise: Lanes(repeating: 4e-3 * slope * slope),
      slope: Lanes(repeating: slope), outlierProbability: Lanes(repeating: outlierProbability))[0]
  }

  @Test(arguments: [-0.1, -0.03, 0, 0.1]) func residualsWithinTheBiasBoundHaveNoWeight(innovation: Double) {
    #expect(Self.logLikelihoodBeyondBias(Self.late, innovation) == 0)
  }

  /// Beyond the bound, the density of the remainder against that of an outlier.
  @Test func residualsBeyondTheBoundHaveALikelihood() {
    let variance = 4e-4 + 4e-3 / 0.5
    let anywhere = 0.1 * 0.5 * (2 * Double.pi * variance).squareRoot()
    let expected = (1 - 0.001 / 0.5) * log((0.9 * exp(-0.5 * 0.2 * 0.2 / variance) + anywhere) / (0.9 + anywhere))
    #expect(abs(Self.logLikelihoodBeyondBias(Self.late, 0.3) - expected) < 1e-12)
    #expect(abs(Self.logLikelihoodBeyondBias(Self.late, -0.3) - expected) < 1e-12)
    // Bounded below by the outlier density.
    #expect(Self.logLikelihoodBeyondBias(Self.late, 2) > log(anywhere) - 0.1)
    // At high elevation the same angle bound is a smaller bound of the cosine.
    #expect(Self.logLikelihoodBeyondBias(Self.late, 0.09, slope: 0.5) < 0)
  }

  /// An angle of full weight as a measurement leaves no likelihood.
  @Test func fullWeightLeavesNoLikelihood() {
    #expect(Self.logLikelihoodBeyondBias(AoAWeight(measurement: 0.5, unbiased: 0.5, biasBound: 0), 1) == 0)
    #expect(Self.logLikelihoodBeyondBias(.none, 1) == 0)
  }
}
