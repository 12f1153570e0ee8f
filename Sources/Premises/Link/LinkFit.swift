import Foundation
import Geometry
import LeastSquares

/// Maximum a posteriori position and bias of a peer, from ranges along a path.
///
/// `z_i = s |x(t_i) - p_i| + b + e_i`, with a prior on the bias b. From several starts Levenberg-Marquardt with Huber
/// weights finds the modes; each of the best is then refined under the noise that explains it best
/// (`ResidualLikelihood`), with the outliers' weights.
package struct LinkFit {
  /// One range with the antenna's place when it was measured.
  package struct Row {
    package var seconds: Double
    package var range: Double
    package var place: Vector3

    /// A range at a time in seconds, from an antenna's place.
    package init(seconds: Double, range: Double, place: Vector3) {
      (self.seconds, self.range, self.place) = (seconds, range, place)
    }
  }

  /// Which parameters there are.
  package struct Model {
    /// Prior mean and 1-sigma of the bias, metres; nil: the law's.
    package var biasMean = 0.0, biasSigma: Double?
    /// Scale of the ranges against the path; below zero they shorten where the distance grows.
    package var scale = 1.0

    /// A bias within the law's prior, and no scale.
    package init(biasMean: Double = 0, biasSigma: Double? = nil, scale: Double = 1) {
      (self.biasMean, self.biasSigma, self.scale) = (biasMean, biasSigma, scale)
    }
  }

  /// The log likelihood of the ranges at the best mode, with the priors' penalty.
  package private(set) var logLikelihood = -Double.infinity
  /// The noise there.
  package private(set) var noise: ResidualLaw.Noise
  /// Bias, metres.
  package private(set) var bias = 0.0
  /// Each range's share of the log likelihood, given those before it, without the priors' penalty.
  package private(set) var terms: [Double] = []
  /// Probability that each range is none of an outlier's.
  package private(set) var regular: [Double] = []
  /// The modes that were found, positions in the world, metres, best first: starts of the next fit.
  package private(set) var modes: [Vector3] = []

  /// Modes nearer than this are one, metres; so many are refined, and so often.
  private static let distance = 0.3, refined = 2, rounds = 2

  private typealias State = LinkDescent.State

  /// The fit of `rows`, in time order.
  ///
  /// - Parameters:
  ///   - law: of the ranges' errors.
  ///   - starts: positions to start from, besides those in all directions.
  ///   - directions: unit vectors from the path's middle.
  ///   - least: a log likelihood that is not above it is of no use, and may be left lower than it is.
  package init(
    _ rows: [Row], _ model: Model = Model(), law: ResidualLaw = ResidualLaw(), starts: [Vector3] = [],
    directions: [Vector3] = LinkFit.directions, above least: Double = -.infinity
  ) {
    noise = law.candidates[0]
    guard rows.count >= 4 else { return }
    let descent = LinkDescent(rows, model, biasSigma: model.biasSigma ?? law.biasSigma)
    let middle = rows[rows.count / 2].place
    let radius = max(((rows.map({ $0.range }).median ?? 0) - model.biasMean) / model.scale, 0.1)
    let states = (starts + directions.map { middle + $0 * radius }).map { State($0, model.biasMean) }
    var ends = descent.ends(from: states, sigma: law.searchSigma, steps: 8)
    ends.sort { $0.cost < $1.cost }
    var distinct: [State] = []
    for end in ends where distinct.count < 4 {
      if distinct.allSatisfy({ (Self.position($0) - Self.position(end.state)).norm > Self.distance }) {
        distinct.append(end.state)
      }
    }
    modes = distinct.map(Self.position)
    let likelihood = ResidualLikelihood(at: rows.map { $0.seconds }, law)
    refine(Array(distinct.prefix(Self.refined)), descent, likelihood, above: least)
  }

  /// The fit of the null hypothesis: the path's scale within its prior.
  static func null(
    _ rows: [Row], law: ResidualLaw, starts: [Vector3], directions: [Vector3] = LinkFit.directions
  ) -> LinkFit {
    let fits = law.scales.map { scale, penalty in
      var fit = LinkFit(rows, Model(scale: scale), law: law, starts: starts, directions: directions)
      fit.logLikelihood -= penalty
      return fit
    }
    return fits.dropFirst().reduce(fits[0]) { $1.logLikelihood > $0.logLikelihood ? $1 : $0 }
  }

  /// Twelve directions, spread evenly: the corners of an icosahedron.
  package static let directions: [Vector3] = {
    let golden = (1 + 5.0.squareRoot()) / 2
    return [-1.0, 1].flatMap { a in
      [-golden, golden].flatMap { b in
        [Vector3(0, a, b), Vector3(a, b, 0), Vector3(b, 0, a)].map(\.normalized)
      }
    }
  }()

  private static func position(_ state: State) -> Vector3 { Vector3(state.x, state.y, state.z) }

  /// Descends from each of the states under the noise that explains it best, and keeps the best of all.
  private mutating func refine(
    _ states: [State], _ descent: LinkDescent, _ likelihood: ResidualLikelihood, above least: Double
  ) {
    typealias Found = (state: State, sum: Double, outcome: ResidualLikelihood.Outcome)
    func found(_ state: State, near noise: ResidualLaw.Noise?, above least: Double) -> Found? {
      let penalty = 0.5 * descent.penalty(state)
      let outcome = likelihood.evaluate(descent.residuals(state), near: noise, above: least + penalty)
      return outcome.map { (state, $0.logLikelihood - penalty, $0) }
    }
    var now = states.filter { Self.position($0).isFinite && $0.w.isFinite }.map {
      found($0, near: nil, above: -.infinity)!
    }
    var best = now
    for round in 1...Self.rounds {
      let starts = now.map { ($0.state, $0.outcome.regular, max($0.outcome.noise.total, 0.03)) }
      let ends = descent.ends(from: starts, steps: 4)
      for k in now.indices {
        // What follows rests on all rounds but the last, which counts where it is the best of all.
        let needed = round == Self.rounds ? best.reduce(least) { max($0, $1.sum) } : -.infinity
        guard let next = found(ends[k].state, near: now[k].outcome.noise, above: needed) else { continue }
        now[k] = next
        if next.sum > best[k].sum || best[k].sum.isNaN { best[k] = next }
      }
    }
    for (state, sum, outcome) in best where sum > logLikelihood {
      (logLikelihood, noise, bias) = (sum, outcome.noise, state.w)
      (terms, regular) = (outcome.terms, outcome.regular)
    }
  }
}

/// Log likelihood of a link whose error is a function of the antenna's place, as multipath is.
///
/// `z_i = |x - p_i| + b + e(p_i) + w_i`: e a Gaussian field with the covariance `s^2 exp(-|p_i - p_j|^2 / (2 l^2))`, b
/// within its prior, so that the ranges have the covariance `C = K + B^2 11' + v^2 I`. The peer x is fitted by
/// generalised least squares (Gauss-Newton), from each mode of a fit without a field. Source: Rasmussen and Williams,
/// Gaussian processes for machine learning, MIT Press 2006, 2.2 and 2.7.
package enum LinkField {
  /// Fields that are tried: s and l, metres; and white 1-sigma v of a mean range, metres.
  private static let fields: [(sigma: Double, length: Double)] = [(0.1, 0.3), (0.2, 0.3), (0.2, 1)]
  private static let whites = [0.01, 0.03, 0.1]
  private static let rounds = 3

  /// The best of the fields and noises, `log(fields)` paid; nil where nothing can be fitted. What is an outlier to the
  /// fit stays one.
  ///
  /// Cost: O(fields * whites * rows^3 / 6).
  package static func logLikelihood(_ all: [LinkFit.Row], _ fit: LinkFit, law: ResidualLaw = ResidualLaw()) -> Double? {
    let outliers = zip(fit.terms, fit.regular).reduce(0) { $0 + ($1.1 < 0.5 ? $1.0 : 0) }
    let rows = zip(all, fit.regular).filter { $0.1 >= 0.5 }.map(\.0)
    return logLikelihood(rows, from: fit.modes, law.biasSigma).map { $0 + outliers }
  }

  private static func logLikelihood(_ rows: [LinkFit.Row], from modes: [Vector3], _ bias: Double) -> Double? {
    var best: Double?
    for field in fields {
      let covariance = covariance(rows, field.sigma, field.length, bias)
      for white in whites {
        guard let root = root(covariance, white, rows.count) else { continue }
        for mode in modes.prefix(2) {
          guard let found = logLikelihood(rows, mode, root) else { continue }
          best = max(best ?? -.infinity, found)
        }
      }
    }
    return best.map { $0 - log(Double(fields.count)) }
  }

  /// `K + B^2 11'`, lower triangle, row-major.
  private static func covariance(_ rows: [LinkFit.Row], _ sigma: Double, _ length: Double, _ bias: Double) -> [Double] {
    let n = rows.count
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0...r {
        let apart = (rows[r].place - rows[c].place).squaredNorm
        covariance[r * n + c] = sigma * sigma * exp(-apart / (2 * length * length)) + bias * bias
      }
    }
    return covariance
  }

  /// Cholesky root of C, from its part without white noise.
  private static func root(_ part: [Double], _ white: Double, _ n: Int) -> [Double]? {
    var covariance = part
    for k in 0..<n { covariance[k * n + k] += white * white }
    return SmallCholesky.root(covariance, size: n)
  }

  private static func logLikelihood(_ rows: [LinkFit.Row], _ start: Vector3, _ root: [Double]) -> Double? {
    let n = rows.count
    let logRoot = (0..<n).reduce(0) { $0 + log(root[$1 * n + $1]) }
    var (peer, best) = (start, -Double.infinity)
    for _ in 0...rounds {
      let away = rows.map { peer - $0.place }
      let distances = away.map { max($0.norm, 1e-6) }
      let residuals = SmallCholesky.whitened(zip(rows, distances).map { $0.range - $1 }, root)
      let square = residuals.reduce(0) { $0 + $1 * $1 }
      best = max(best, -0.5 * square - logRoot - 0.5 * Double(n) * log(2 * .pi))
      let columns = (0..<3).map { k in SmallCholesky.whitened(zip(away, distances).map { $0[k] / $1 }, root) }
      var normal = Matrix3(diagonal: Vector3(1e-6, 1e-6, 1e-6)), right = Vector3.zero
      for i in 0..<n {
        let j = Vector3(columns[0][i], columns[1][i], columns[2][i])
        normal += Matrix3(outer: j, j)
        right += residuals[i] * j
      }
      guard let inverse = normal.inverse else { break }
      let step = inverse * right
      guard step.isFinite, step.norm > 1e-4 else { break }
      peer += step.norm > 1 ? step / step.norm : step
    }
    return best.isFinite ? best : nil
  }
}
