import Foundation

/// A state that comes and goes: a two-state Markov chain in continuous time, looked at in equal steps.
///
/// With the mean length `dwell` of a spell and its `share` of the time, it ends at the rate `1 / dwell` and begins at
/// `share / (1 - share) / dwell`; within a step it changes with the probability
/// `rate / total (1 - exp(-total step))`, exactly.
struct TwoStateChain {
  private let beginning: Double
  private let ending: Double
  /// Whether the state is there now.
  private(set) var isOn: Bool

  /// - Parameters:
  ///   - share: of the time, 0 to below 1; 0 never begins.
  ///   - dwell: mean length of a spell, seconds.
  ///   - step: seconds between looks.
  init(share: Double, dwell: Double, step: Double, isOn: Bool) {
    self.isOn = isOn
    guard share > 0 else {
      (beginning, ending) = (0, 0)
      return
    }
    let leaving = 1 / dwell
    let entering = leaving * share / (1 - share)
    let total = entering + leaving
    beginning = entering / total * (1 - exp(-total * step))
    ending = leaving / total * (1 - exp(-total * step))
  }

  /// One step; `draw` is uniform in [0, 1). True where the state changed.
  mutating func advance(_ draw: Double) -> Bool {
    let changes = draw < (isOn ? ending : beginning)
    if changes { isOn.toggle() }
    return changes
  }
}
