import Foundation

/// Range errors of the antennas of a device, each independent: a constant bias and a drift. The drift is the
/// Gauss-Markov process of `RangeSimulator` with a fraction of its variance.
struct AntennaErrors {
  private let settings: Scenario.Radio
  private let decay: Double
  private let biases: [Double]
  private var drifts: [Double]
  private var random: SeededRandom

  /// - Parameter decay: autocorrelation of the drift over one step, 0...1.
  init(_ settings: Scenario.Radio, decay: Double, peer index: Int, seed: UInt64) {
    self.settings = settings
    self.decay = decay
    var random = SeededRandom(seed: seed, stream: RandomStream.antennas(peer: index))
    biases = (0..<settings.antennas.count).map { _ in settings.antennaBias * random.gaussian() }
    drifts = (0..<settings.antennas.count).map { _ in settings.driftDeviation * random.gaussian() }
    self.random = random
  }

  /// Bias plus drift of antenna `index`, metres; `common` is the drift common to all antennas.
  func error(of index: Int, common: Double) -> Double {
    // A single antenna has the common drift only.
    let commonFraction = drifts.count > 1 ? settings.driftCommonShare : 1
    return biases[index] + commonFraction.squareRoot() * common + (1 - commonFraction).squareRoot() * drifts[index]
  }

  /// Advances the drifts by one step.
  mutating func advance() {
    let innovation = settings.driftDeviation * (1 - decay * decay).squareRoot()
    for i in drifts.indices { drifts[i] = decay * drifts[i] + innovation * random.gaussian() }
  }
}
