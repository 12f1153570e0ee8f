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
    var seconds: Double
    var range: Double
    var place: Vector3

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

  /// Loss of a residual, in sigmas.
  private static let loss = HuberLoss(threshold: 3)

  private let rows: [Row]
  private let model: Model
  private let law: ResidualLaw
  private let inversePriors, priorMean: State
  /// Position in the world and bias, metres.
  private typealias State = SIMD4<Double>

  /// The fit of `rows`, in time order.
  ///
  /// - Parameters:
  ///   - law: of the ranges' errors.
  ///   - starts: positions to start from, besides those in all directions.
  ///   - directions: unit vectors from the path's middle.
  package init(
    _ rows: [Row], _ model: Model = Model(), law: ResidualLaw = ResidualLaw(), starts: [Vector3] = [],
    directions: [Vector3] = LinkFit.directions
  ) {
    self.rows = rows
    self.model = model
    self.law = law
    noise = law.candidates[0]
    let biasSigma = model.biasSigma ?? law.biasSigma
    inversePriors = State(0, 0, 0, 1 / (biasSigma * biasSigma))
    priorMean = State(0, 0, 0, model.biasMean)
    guard rows.count >= 4 else { return }
    let middle = rows[rows.count / 2].place
    let radius = max(((rows.map(\.range).median ?? 0) - model.biasMean) / model.scale, 0.1)
    var ends: [(cost: Double, state: State)] = []
    let even = [Double](repeating: 1, count: rows.count)
    for start in starts + directions.map({ middle + $0 * radius }) {
      ends.append(descend(State(start.x, start.y, start.z, model.biasMean), even, sigma: law.searchSigma, rounds: 8))
    }
    ends.sort { $0.cost < $1.cost }
    var distinct: [State] = []
    for end in ends where distinct.count < 4 {
      if distinct.allSatisfy({ (Self.position($0) - Self.position(end.state)).norm > Self.distance }) {
        distinct.append(end.state)
      }
    }
    modes = distinct.map(Self.position)
    let likelihood = ResidualLikelihood(at: rows.map(\.seconds), law)
    for state in distinct.prefix(Self.refined) { refine(state, likelihood) }
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

  private mutating func refine(_ start: State, _ likelihood: ResidualLikelihood) {
    guard start.x.isFinite, start.y.isFinite, start.z.isFinite, start.w.isFinite else { return }
    var state = start, noise: ResidualLaw.Noise?
    for round in 0...Self.rounds {
      let outcome = likelihood.evaluate(rows.indices.map { residual(state, $0).value }, near: noise)
      noise = outcome.noise
      let sum = outcome.logLikelihood - 0.5 * penalty(state)
      if sum > logLikelihood {
        (logLikelihood, self.noise, bias) = (sum, outcome.noise, state.w)
        (terms, regular) = (outcome.terms, outcome.regular)
      }
      if round < Self.rounds {
        state = descend(state, outcome.regular, sigma: max(outcome.noise.total, 0.03), rounds: 4).state
      }
    }
  }

  private func penalty(_ x: State) -> Double {
    let away = x - priorMean
    return (away * away * inversePriors).sum()
  }

  /// A residual, and the prediction's derivatives by the state.
  @inline(__always)
  private func residual(_ x: State, _ i: Int) -> (value: Double, row: State) {
    let place = rows[i].place
    let away = State(x.x - place.x, x.y - place.y, x.z - place.z, 0)
    let distance = max((away * away).sum().squareRoot(), 1e-6)
    var row = away * (model.scale / distance)
    row.w = 1
    return (rows[i].range - model.scale * distance - x.w, row)
  }

  private func cost(_ x: State, _ weights: [Double], _ sigma: Double) -> Double {
    var sum = penalty(x)
    for i in rows.indices {
      sum += weights[i] * 2 * Self.loss.cost(residual(x, i).value / sigma)
    }
    return sum
  }

  private func descend(_ start: State, _ weights: [Double], sigma: Double, rounds: Int) -> (cost: Double, state: State)
  {
    var x = start, cost = cost(x, weights, sigma)
    let loss = HuberLoss(threshold: Self.loss.threshold * sigma)
    let damping = LevenbergMarquardt.Damping(from: 1e-2, ease: 1 / 0.3, least: 0, raise: 8, most: 1e6)
    var descent = LevenbergMarquardt(steps: rounds, absolute: 1e-2, damping: damping)
    descent.descend(&x, cost: &cost) { x, damping in
      var normal = Symmetric4(), right = -inversePriors * (x - priorMean)
      for i in rows.indices {
        let (r, row) = residual(x, i)
        let weight = weights[i] / (sigma * sigma * loss.varianceFactor(r))
        right += (weight * r) * row
        normal.add(weight, row)
      }
      normal.addDiagonal(inversePriors + damping * (normal.diagonal + 1e-3))
      guard let step = normal.solve(right) else { return .singular }
      return .candidate(x + step, cost: self.cost(x + step, weights, sigma))
    }
    return (cost, x)
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
      for white in whites {
        guard let root = root(rows, field.sigma, field.length, white, bias) else { continue }
        for mode in modes.prefix(2) {
          guard let found = logLikelihood(rows, mode, root) else { continue }
          best = max(best ?? -.infinity, found)
        }
      }
    }
    return best.map { $0 - log(Double(fields.count)) }
  }

  /// Cholesky root of C.
  private static func root(_ rows: [LinkFit.Row], _ sigma: Double, _ length: Double, _ white: Double, _ bias: Double)
    -> [Double]?
  {
    let n = rows.count
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0...r {
        let apart = (rows[r].place - rows[c].place).squaredNorm
        covariance[r * n + c] =
          sigma * sigma * exp(-apart / (2 * length * length)) + bias * bias + (r == c ? white * white : 0)
      }
    }
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

/// A symmetric matrix of four rows, for normal equations.
package struct Symmetric4 {
  package init() {}

  /// Its columns.
  private var columns = (SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero)

  package var diagonal: SIMD4<Double> { SIMD4(columns.0.x, columns.1.y, columns.2.z, columns.3.w) }

  /// `A += w v v^T`.
  @inline(__always)
  package mutating func add(_ weight: Double, _ v: SIMD4<Double>) {
    let scaled = weight * v
    columns.0 += scaled.x * v
    columns.1 += scaled.y * v
    columns.2 += scaled.z * v
    columns.3 += scaled.w * v
  }

  package mutating func addDiagonal(_ d: SIMD4<Double>) {
    columns.0.x += d.x
    columns.1.y += d.y
    columns.2.z += d.z
    columns.3.w += d.w
  }

  /// `A x = b` by `A = L D L^T`; nil where A is not positive definite.
  package func solve(_ b: SIMD4<Double>) -> SIMD4<Double>? {
    var (c0, c1, c2, c3) = columns
    guard c0.x > 0, c0.x.isFinite else { return nil }
    let l0 = c0 / c0.x
    c1 -= l0.y * c0
    c2 -= l0.z * c0
    c3 -= l0.w * c0
    guard c1.y > 0, c1.y.isFinite else { return nil }
    let l1 = c1 / c1.y
    c2 -= l1.z * c1
    c3 -= l1.w * c1
    guard c2.z > 0, c2.z.isFinite else { return nil }
    let l2 = c2 / c2.z
    c3 -= l2.w * c2
    guard c3.w > 0, c3.w.isFinite else { return nil }
    var x = b
    x.y -= l0.y * x.x
    x.z -= l0.z * x.x + l1.z * x.y
    x.w -= l0.w * x.x + l1.w * x.y + l2.w * x.z
    x /= SIMD4(c0.x, c1.y, c2.z, c3.w)
    x.z -= l2.w * x.w
    x.y -= l1.z * x.z + l1.w * x.w
    x.x -= l0.y * x.y + l0.z * x.z + l0.w * x.w
    return x
  }
}
