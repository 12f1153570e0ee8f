import Foundation

/// An on/off state: a two-state Markov chain in continuous time, sampled in equal steps.
///
/// With mean dwell time T and stationary probability p of "on", the exit rate is `1 / T` and the entry rate
/// `p / (1 - p) / T`. The exact transition probability of a step is `rate / total (1 - exp(-total step))`, where total is
/// the sum of both rates.
struct TwoStateChain {
  private let entryProbability: Double
  private let exitProbability: Double
  /// The present state.
  private(set) var isOn: Bool

  /// - Parameters:
  ///   - probability: stationary probability of "on", 0 to below 1; 0: never on.
  ///   - dwell: mean dwell time of "on", seconds.
  ///   - step: sampling period, seconds.
  init(probability: Double, dwell: Double, step: Double, isOn: Bool) {
    self.isOn = isOn
    guard probability > 0 else {
      (entryProbability, exitProbability) = (0, 0)
      return
    }
    let exitRate = 1 / dwell
    let entryRate = exitRate * probability / (1 - probability)
    let totalRate = entryRate + exitRate
    entryProbability = entryRate / totalRate * (1 - exp(-totalRate * step))
    exitProbability = exitRate / totalRate * (1 - exp(-totalRate * step))
  }

  /// One step; `draw` is uniform in [0, 1). True where the state changed.
  mutating func advance(_ draw: Double) -> Bool {
    let changes = draw < (isOn ? exitProbability : entryProbability)
    if changes { isOn.toggle() }
    return changes
  }
}
