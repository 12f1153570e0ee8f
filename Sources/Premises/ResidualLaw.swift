import Foundation
import Geometry
import LeastSquares
import Ranging

/// Error law of a link's mean ranges, as the tests of premises use it: what radios have, widened by the settings of the
/// filter and by what the recording states of its radio.
///
/// A range errs by a bias b, by a lasting and a white error of unknown size (a lattice of candidates), and by outliers.
/// An outlier has a probability p (`rangeOutlierProbability`) and either sign; besides, a mean range is too long where
/// it touches NLOS, with the probability `1 - q`, `q = r / (l + r) exp(-l T)` for a mean over T seconds and the rates l
/// of LOS to NLOS and r back. Both have an exponential law of the size. What is allowed so is no fault of the set-up; a
/// filter that is set to allow less makes no other one.
package struct ResidualLaw: Equatable, Sendable {
  /// The noise of one link.
  package struct Noise: Equatable, Sendable {
    /// 1-sigma of the white part and of the lasting part, metres.
    package var white: Double
    package var lasting: Double
    /// Correlation time of that, seconds.
    package var time: Double
    /// Both together, metres.
    package var total: Double { (white * white + lasting * lasting).squareRoot() }
  }

  /// Seconds of which a mean range is one.
  static let sampleLength = 0.24
  /// Correlation times of the lasting part, seconds.
  static let times = [0.3, 2.0]
  /// What radios have: the bias's prior 1-sigma, 1-sigma of the candidates' parts, metres; probabilities of a range that
  /// is too long and too short, mean size of such errors, metres. A person's speed, 1-sigma of each axis, m/s.
  private static let usual = (
    bias: 0.15, whites: [0.02, 0.06, 0.15, 0.4], lastings: [0.005, 0.05, 0.12, 0.3], long: 0.05, short: 0.005,
    size: 1.5, speed: Vector3(0.8, 0.8, 0.15)
  )
  /// Probabilities of an outlier at most, and of no NLOS at least: a law under which no range counts would test
  /// nothing.
  private static let (mostOutliers, leastLOS) = (0.5, 0.1)
  /// Ratio of a white candidate to the one before, beyond the usual ones.
  private static let whiteStep = 2.5
  /// Scales within the prior that the null hypothesis is asked at, in its 1-sigmas; only 1 where that is below
  /// `leastScale`: then no alternative is near.
  private static let scaleSteps = [0.0, -1, 1, -2, 2], leastScale = 0.03
  /// However far off, a range has a density: else no hypothesis would be finite.
  static let least = 1e-12

  /// Prior 1-sigma of the bias, metres.
  package let biasSigma: Double
  /// Prior 1-sigma of the scale, a ratio.
  let scaleSigma: Double
  /// A peer that walks.
  let velocity: PeerVelocityModel
  /// 1-sigma of the candidates' white parts, metres, and of the four lasting parts.
  let whites: [Double], lastings: [Double]
  /// All candidates.
  package let candidates: [Noise]
  /// Probabilities of a mean range that is no outlier, that is too long, that is too short; mean of the last two's
  /// errors, metres.
  package let regular: Double, long: Double, short: Double, size: Double
  /// 1-sigma of a range while modes are looked for, metres.
  let searchSigma: Double

  /// The law under these settings.
  ///
  /// - Parameters:
  ///   - ranging: with what is stated of the radio (`RangingConfiguration.stating`).
  ///   - statedNoise: total 1-sigma of a range, metres; nil: that of the settings.
  package init(_ ranging: RangingConfiguration = RangingConfiguration(), statedNoise: Double? = nil) {
    biasSigma = max(ranging.biasPrior, Self.usual.bias)
    scaleSigma = ranging.scalePrior
    let speed = ranging.peerVelocityModel.speed
    velocity = PeerVelocityModel(
      speed: Vector3(
        max(speed.x, Self.usual.speed.x), max(speed.y, Self.usual.speed.y), max(speed.z, Self.usual.speed.z)),
      memory: ranging.peerVelocityTime)
    let noise = statedNoise ?? ranging.assumedNoise
    var whites = Self.usual.whites
    while let last = whites.last, last < noise { whites.append(min(last * Self.whiteStep, noise)) }
    let coloured = (ranging.noiseCandidates + ranging.multipathCandidates).map(\.x).max() ?? 0
    let lastings =
      coloured > Self.usual.lastings[3] ? [0.005, 0.05, Self.usual.lastings[3], coloured] : Self.usual.lastings
    (self.whites, self.lastings) = (whites, lastings)
    candidates = whites.flatMap { white in
      lastings.flatMap { lasting in Self.times.map { Noise(white: white, lasting: lasting, time: $0) } }
    }
    searchSigma = max(0.15, noise)
    let p = min(ranging.rangeOutlierProbability, Self.mostOutliers)
    let los = max(
      ranging.losReturnRate / ranging.losTransitionRate * exp(-ranging.losLossRate * Self.sampleLength), Self.leastLOS)
    long = max(los * p / 2 + 1 - los, Self.usual.long)
    short = max(los * p / 2, Self.usual.short)
    regular = 1 - long - short
    // Half: NLOS biases, by far the more, are shorter than outliers.
    size = max(ranging.rangeOutlierScale / 2, Self.usual.size)
  }

  /// Scales of the null hypothesis, with their penalty, half the square of the deviate.
  var scales: [(scale: Double, penalty: Double)] {
    guard scaleSigma > Self.leastScale else { return [(1, 0)] }
    return Self.scaleSteps.map { (exp($0 * scaleSigma), 0.5 * $0 * $0) }
  }

  /// The density of an innovation, outliers included, and the probability that it is none.
  @inline(__always)
  func density(_ innovation: Double, variance: Double) -> (value: Double, regular: Double) {
    let good = regular * NormalDistribution.density(innovation, variance: variance)
    let bad = max((innovation > 0 ? long : short) * exp(-abs(innovation) / size) / size, Self.least)
    return (good + bad, good / (good + bad))
  }
}
