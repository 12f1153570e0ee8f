import Foundation
import Ranging

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
  private let seconds: [Double]
  /// `exp(-dt / tau)` since the residual before, for each correlation time.
  private let decays: [[Double]]

  /// For residuals at times in seconds, in time order.
  package init(at seconds: [Double], _ law: ResidualLaw = ResidualLaw()) {
    self.law = law
    self.seconds = seconds
    decays = ResidualLaw.times.map { time in
      seconds.indices.map { exp((seconds[max($0 - 1, 0)] - seconds[$0]) / time) }
    }
  }

  /// The likelihood of residuals, as many as there are times.
  ///
  /// Cost: O(candidates * residuals), four candidates side by side.
  ///
  /// - Parameter noise: of about these residuals, where it is known: only candidates beside it are asked.
  package func evaluate(_ residuals: [Double], near noise: ResidualLaw.Noise? = nil) -> Outcome {
    precondition(residuals.count == seconds.count)
    let lasting = Lanes(law.lastings[0], law.lastings[1], law.lastings[2], law.lastings[3])
    var best = (sum: -Double.infinity, noise: law.candidates[0])
    let known = noise.flatMap { noise in law.whites.firstIndex(of: noise.white) }
    for (k, white) in law.whites.enumerated() where known.map({ abs($0 - k) <= 1 }) ?? true {
      for (time, decays) in zip(ResidualLaw.times, decays) where noise.map({ $0.time == time }) ?? true {
        let sums = logLikelihoods(residuals, decays, white * white, lasting * lasting)
        for lane in 0..<4 where sums[lane] > best.sum {
          best = (sums[lane], ResidualLaw.Noise(white: white, lasting: lasting[lane], time: time))
        }
      }
    }
    return outcome(residuals, best.noise)
  }

  /// Residuals between logarithms of their densities' product: each is at least 1e-12.
  private static let product = 8

  /// Log likelihoods under four variances s of the lasting part, with a white variance w.
  private func logLikelihoods(_ residuals: [Double], _ decays: [Double], _ w: Double, _ s: Lanes) -> Lanes {
    let (share, size) = (law.regular, law.size)
    let (long, short) = (law.long / size, Lanes(repeating: law.short / size))
    var mean = Lanes.zero, variance = s, product = Lanes.one, sums = Lanes.zero
    for k in residuals.indices {
      let decay = decays[k], kept = decay * decay
      mean *= decay
      variance = kept * variance + (1 - kept) * s
      let innovation = residuals[k] - mean, total = variance + w
      let good = share * Lanes.exp(-0.5 * innovation * innovation / total) / (2 * .pi * total).squareRoot()
      let magnitude = innovation.replacing(with: -innovation, where: innovation .< 0)
      let weight = short.replacing(with: long, where: innovation .> 0)
      let density = good + (weight * Lanes.exp(-magnitude / size)).atLeast(ResidualLaw.least)
      product *= density
      if (k + 1) % Self.product == 0 || k + 1 == residuals.count {
        for lane in 0..<4 { sums[lane] += log(product[lane]) }
        product = .one
      }
      let gain = variance / total * (good / density)
      mean += gain * innovation
      variance -= gain * variance
    }
    return sums
  }

  /// The likelihood under one noise, with each residual's share.
  private func outcome(_ residuals: [Double], _ noise: ResidualLaw.Noise) -> Outcome {
    let (w, s) = (noise.white * noise.white, noise.lasting * noise.lasting)
    var outcome = Outcome(logLikelihood: 0, noise: noise, regular: [], terms: [])
    var (mean, variance) = (0.0, s)
    for (k, decay) in decays[ResidualLaw.times.firstIndex(of: noise.time)!].enumerated() {
      mean *= decay
      variance = decay * decay * variance + s * (1 - decay * decay)
      let (innovation, total) = (residuals[k] - mean, variance + w)
      let (density, regular) = law.density(innovation, variance: total)
      outcome.terms.append(log(density))
      outcome.regular.append(regular)
      outcome.logLikelihood += outcome.terms[k]
      let gain = variance / total * regular
      mean += gain * innovation
      variance -= gain * variance
    }
    return outcome
  }
}
