import Foundation

/// Received power in free space, `P = P_1 - 20 log10(d / 1 m)` dBm, less what a blocked first path costs.
///
/// Source: Friis, Proceedings of the IRE 34(5), 1946, doi:10.1109/JRPROC.1946.234568.
struct PowerSimulator {
  private let settings: Scenario.Power?
  private var random: SeededRandom

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    self.settings = settings.power
    random = SeededRandom(seed: seed, stream: RandomStream.power(peer: index))
  }

  /// Power of all paths together and of the first, dBm, over `distance` metres; nil where the radio tells none.
  mutating func measure(distance: Double, isBlocked: Bool) -> (total: Double, firstPath: Double)? {
    guard let settings else { return nil }
    let free = settings.atOneMetre - 20 * log10(max(distance, 0.05))
    let errors = (random.gaussian() * settings.noise, random.gaussian() * settings.noise)
    return (
      free - (isBlocked ? settings.totalLoss : 0) + errors.0,
      free - (isBlocked ? settings.firstPathLoss : 0) + errors.1
    )
  }
}
