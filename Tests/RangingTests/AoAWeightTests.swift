import Foundation
import Ranging
import Testing

@Suite struct AoAWeightTests {
  /// As a link's hundredth angle counts: next to nothing as a measurement.
  private static let late = AoAWeight(told: 0.001, own: 0.5, excused: 0.1)

  private static func unexcused(_ worth: AoAWeight, _ innovation: Double, slope: Double = 1, strange: Double = 0.1)
    -> Double
  {
    worth.unexcused(
      Lanes(repeating: innovation), spread: Lanes(repeating: 4e-4), noise: Lanes(repeating: 4e-3 * slope * slope),
      slope: Lanes(repeating: slope), strange: Lanes(repeating: strange))[0]
  }

  @Test(arguments: [-0.1, -0.03, 0, 0.1]) func whatAnOffsetExplainsTellsNothing(innovation: Double) {
    #expect(Self.unexcused(Self.late, innovation) == 0)
  }

  /// Beyond it, the density of what is left, against that of a strange angle.
  @Test func beyondItEachAngleTells() {
    let variance = 4e-4 + 4e-3 / 0.5
    let anywhere = 0.1 * 0.5 * (2 * Double.pi * variance).squareRoot()
    let expected = (1 - 0.001 / 0.5) * log((0.9 * exp(-0.5 * 0.2 * 0.2 / variance) + anywhere) / (0.9 + anywhere))
    #expect(abs(Self.unexcused(Self.late, 0.3) - expected) < 1e-12)
    #expect(abs(Self.unexcused(Self.late, -0.3) - expected) < 1e-12)
    // However far off, a strange angle is possible.
    #expect(Self.unexcused(Self.late, 2) > log(anywhere) - 0.1)
    // What an offset excuses of an angle is less of its cosine off the level.
    #expect(Self.unexcused(Self.late, 0.09, slope: 0.5) < 0)
  }

  /// An angle that counts in full as a measurement leaves nothing.
  @Test func nothingCountsTwice() {
    #expect(Self.unexcused(AoAWeight(told: 0.5, own: 0.5, excused: 0), 1) == 0)
    #expect(Self.unexcused(.none, 1) == 0)
  }
}
