import Foundation
import Ranging
import Simulation
import Testing

/// The step in which ranges come, and its variance.
@Suite struct RangeResolutionTests {
  private static func resolution(_ ranges: [Double]) -> RangeResolution {
    var resolution = RangeResolution()
    ranges.forEach { resolution.append($0) }
    return resolution
  }

  /// A slow approach with 3 cm of noise.
  private static func approach(step: Double, seed: UInt64 = 1) -> [Double] {
    var random = SeededRandom(seed: seed)
    return (0..<200).map { ((6 - 0.01 * Double($0) + 0.03 * random.gaussian()) / step).rounded() * step }
  }

  @Test(arguments: [0.1, 0.25, 0.3048, 0.5, 1]) func coarseStepsAreFound(step: Double) throws {
    let found = Self.resolution(Self.approach(step: step))
    if found.changes >= RangeResolution.fewValues { #expect(abs(try #require(found.coarseStep) - step) < 1e-3) }
    #expect(found.variance >= step * step / 12)
  }

  @Test(arguments: [0.0001, 0.001, 0.01, 0.05]) func fineStepsAddNothing(step: Double) {
    for seed: UInt64 in 1...50 { #expect(Self.resolution(Self.approach(step: step, seed: seed)).variance == 0) }
  }

  /// n equal values hold the information of one: the sum of the inverse variances stays that of one step, up to a logarithm.
  @Test func aLongRunIsOneValue() {
    var resolution = Self.resolution([5, 5.5, 5, 4.5, 5])
    var information = 0.0
    for _ in 0..<1000 {
      resolution.append(5.5)
      information += 1 / resolution.variance
    }
    #expect(information * 0.25 / 12 < 1 + log(1000.0))
  }

  /// Before the step is known a long run says that it is coarse; a few equal values of a fine radio do not.
  @Test func aRunBeforeTheStepIsKnown() {
    #expect(Self.resolution([5.5, 5.5, 5.5, 5.5]).variance == 0)
    #expect(Self.resolution([5.5, 5.5, 5.5, 5.5, 5.5]).variance > 0.2)
  }
}
