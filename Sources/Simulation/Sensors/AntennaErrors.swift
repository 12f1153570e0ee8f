import Foundation

/// What the antennas of a device err by, each for itself, as radios of their own do: a constant, and a wandering error, the same
/// Gauss-Markov process as the peer's (`RangeSimulator`) with a share of its variance.
struct AntennaErrors {
  private let settings: Scenario.Radio
  private let memory: Double
  private let biases: [Double]
  private var drifts: [Double]
  private var random: SeededRandom

  /// - Parameter memory: what a step leaves of a wandering error, 0...1.
  init(_ settings: Scenario.Radio, memory: Double, peer index: Int, seed: UInt64) {
    self.settings = settings
    self.memory = memory
    var random = SeededRandom(seed: seed, stream: RandomStream.antennas(peer: index))
    biases = (0..<settings.antennas.count).map { _ in settings.antennaBias * random.gaussian() }
    drifts = (0..<settings.antennas.count).map { _ in settings.driftDeviation * random.gaussian() }
    self.random = random
  }

  /// Constant and wandering error of antenna `index`, metres, where the wandering error of all of them is `common`.
  func error(of index: Int, common: Double) -> Double {
    // One antenna has nobody to share with.
    let share = drifts.count > 1 ? settings.driftCommonShare : 1
    return biases[index] + share.squareRoot() * common + (1 - share).squareRoot() * drifts[index]
  }

  /// One step on.
  mutating func wander() {
    let fresh = settings.driftDeviation * (1 - memory * memory).squareRoot()
    for i in drifts.indices { drifts[i] = memory * drifts[i] + fresh * random.gaussian() }
  }
}
