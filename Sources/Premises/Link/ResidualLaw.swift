import CGaussianSum
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
    // Where nothing is stated, the filter's prior is wide enough to be honest, and would forgive what a user can mend.
    let isStated = ranging.biasPrior != RangingConfiguration().biasPrior
    biasSigma = isStated ? max(ranging.biasPrior, Self.usual.bias) : Self.usual.bias
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

/// Likelihood of the residuals of a link under what radios do: white noise, an error that lasts, and outliers.
///
/// `e_k = g_k + w_k` with a Gauss-Markov process g (1-sigma s, correlation time tau) and white noise w; a share of the
/// ranges is longer or, far more seldom, shorter by an exponentially distributed error (`ResidualLaw`). The scalar Kalman
/// filter gives `log p(e_1 ... e_n)`; the noise is the best of the law's candidates. Errors that last are what makes a plain sum of squares call a wrong set-up right, and a right one wrong.
/// Source of the process: as `RangeNoise`.
package struct ResidualLikelihood {
  /// The outcome.
  package struct Outcome {
    package var logLikelihood: Double
    package var noise: ResidualLaw.Noise
    /// Probability that each residual is none of an outlier's.
    package var regular: [Double]
    /// Each residual's share of the log likelihood, given those before it.
    package var terms: [Double]
  }

  private let law: ResidualLaw
  private let count: Int
  /// `exp(-dt / tau)` since the residual before, one correlation time after the other, and the largest of each but the
  /// first.
  private let decays: [Double], largestDecays: [Double]
  private let usesBaseline: Bool

  /// For residuals at times in seconds, in time order.
  ///
  /// - Parameter usesBaseline: without the processor's wider vectors; the bits are the same.
  package init(at seconds: [Double], _ law: ResidualLaw = ResidualLaw(), usesBaseline: Bool = false) {
    self.law = law
    self.usesBaseline = usesBaseline
    count = seconds.count
    let decays = ResidualLaw.times.map { time in
      seconds.indices.map { exp((seconds[max($0 - 1, 0)] - seconds[$0]) / time) }
    }
    largestDecays = decays.map { $0.dropFirst().max() ?? 0 }
    self.decays = decays.flatMap { $0 }
  }

  /// The likelihood of residuals, as many as there are times.
  ///
  /// Cost: O(candidates * residuals), sixteen candidates side by side, as far as they may be the best.
  ///
  /// - Parameter noise: of about these residuals, where it is known: only candidates beside it are asked.
  package func evaluate(_ residuals: [Double], near noise: ResidualLaw.Noise? = nil) -> Outcome {
    evaluate(residuals, near: noise, above: -.infinity)!
  }

  /// The same; nil where it is known to be below `least`.
  package func evaluate(_ residuals: [Double], near noise: ResidualLaw.Noise?, above least: Double) -> Outcome? {
    precondition(residuals.count == count)
    // The likelier first, so that others are soon given up; of equals the first of the law's order counts.
    let known = noise.flatMap { noise in law.whites.firstIndex(of: noise.white) }, first = known ?? Self.usual
    var candidates: [Int] = []
    candidates.reserveCapacity(law.whites.count * ResidualLaw.times.count)
    for away in 0..<(known == nil ? law.whites.count : 2) {
      for k in away == 0 ? [first] : [first - away, first + away] where law.whites.indices.contains(k) {
        for t in ResidualLaw.times.indices where noise == nil || noise!.time == ResidualLaw.times[t] {
          candidates.append(k * ResidualLaw.times.count + t)
        }
      }
    }
    var best = (sum: -Double.infinity, candidate: Int.max), isGivenUp = false
    for start in stride(from: 0, to: candidates.count, by: 4) {
      let four = candidates[start..<min(start + 4, candidates.count)]
      for (candidate, sums) in zip(four, logLikelihoods(residuals, four, above: max(least, best.sum))) {
        isGivenUp = isGivenUp || sums.x == -.infinity
        for lane in 0..<4
        where sums[lane] > best.sum || (sums[lane] == best.sum && 4 * candidate + lane < best.candidate) {
          best = (sums[lane], 4 * candidate + lane)
        }
      }
    }
    guard best.sum > -.infinity else { return isGivenUp ? nil : outcome(residuals, law.candidates[0]) }
    let (place, lane) = best.candidate.quotientAndRemainder(dividingBy: 4)
    let (k, t) = place.quotientAndRemainder(dividingBy: ResidualLaw.times.count)
    return outcome(
      residuals, ResidualLaw.Noise(white: law.whites[k], lasting: law.lastings[lane], time: ResidualLaw.times[t]))
  }

  /// Place of the white part that is asked first: six centimetres.
  private static let usual = 1

  /// Log likelihoods under the four lasting parts of each of four candidates, places of a white part and a time; minus
  /// infinity where all are below `least`.
  private func logLikelihoods(_ residuals: [Double], _ places: ArraySlice<Int>, above least: Double) -> [Lanes] {
    let lasting = Lanes(law.lastings[0], law.lastings[1], law.lastings[2], law.lastings[3])
    return residuals.withUnsafeBufferPointer { residuals in
      decays.withUnsafeBufferPointer { decays in
        var problem = fuse_residuals(
          residuals: residuals.baseAddress, count: Int32(count), usesBaseline: usesBaseline ? 1 : 0,
          lasting: lasting * lasting, regular: law.regular, longer: law.long, shorter: law.short, size: law.size,
          least: ResidualLaw.least)
        var candidates = places.map { place in
          let (k, t) = place.quotientAndRemainder(dividingBy: ResidualLaw.times.count)
          return fuse_noise_candidate(
            decays: decays.baseAddress.map { $0 + t * count }, largestDecay: largestDecays[t],
            white: law.whites[k] * law.whites[k], likelihoods: .zero)
        }
        fuse_residual_likelihoods(&problem, &candidates, Int32(candidates.count), least)
        return candidates.map(\.likelihoods)
      }
    }
  }

  /// The likelihood under one noise, with each residual's share.
  private func outcome(_ residuals: [Double], _ noise: ResidualLaw.Noise) -> Outcome {
    let (w, s) = (noise.white * noise.white, noise.lasting * noise.lasting)
    var outcome = Outcome(
      logLikelihood: 0, noise: noise, regular: [Double](repeating: 0, count: count),
      terms: [Double](repeating: 0, count: count))
    var (mean, variance, sum) = (0.0, s, 0.0)
    let first = ResidualLaw.times.firstIndex(of: noise.time)! * count
    for k in 0..<count {
      let decay = decays[first + k]
      mean *= decay
      variance = decay * decay * variance + s * (1 - decay * decay)
      let (innovation, total) = (residuals[k] - mean, variance + w)
      let (density, regular) = law.density(innovation, variance: total)
      let term = log(density)
      outcome.terms[k] = term
      outcome.regular[k] = regular
      sum += term
      let gain = variance / total * regular
      mean += gain * innovation
      variance -= gain * variance
    }
    outcome.logLikelihood = sum
    return outcome
  }
}
