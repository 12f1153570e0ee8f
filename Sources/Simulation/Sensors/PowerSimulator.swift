import Foundation

/// Received power in free space, `P = P_1 - 20 log10(d / 1 m)` dBm, minus the NLOS losses.
///
/// Source: Friis, Proceedings of the IRE 34(5), 1946, doi:10.1109/JRPROC.1946.234568.
struct PowerSimulator {
  private let settings: Scenario.Power?
  private var random: SeededRandom

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    self.settings = settings.power
    random = SeededRandom(seed: seed, stream: RandomStream.power(peer: index))
  }

  /// Power of all paths together and of the first path, dBm, over `distance` metres; nil where not reported.
  mutating func measure(distance: Double, isNLOS: Bool) -> (total: Double, firstPath: Double)? {
    guard let settings else { return nil }
    let losPower = settings.atOneMetre - 20 * log10(max(distance, 0.05))
    let errors = (random.gaussian() * settings.noise, random.gaussian() * settings.noise)
    return (
      losPower - (isNLOS ? settings.totalLoss : 0) + errors.0,
      losPower - (isNLOS ? settings.firstPathLoss : 0) + errors.1
    )
  }
}
