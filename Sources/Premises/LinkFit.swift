import Foundation
import Geometry

/// Maximum a posteriori position and bias of a peer, from ranges along a path.
///
/// `z_i = s |x(t_i) - p_i| + b + e_i`, with a prior on the bias b. From several
/// starts Levenberg-Marquardt with Huber weights finds the modes; each of the best is then refined under the noise that explains it best
/// (`RangeErrorModel`), with the outliers' weights.
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
    /// Prior 1-sigma of the bias, metres.
    package var biasSigma = 0.15
    /// Scale of the ranges against the path.
    package var scale = 1.0

    /// A bias within what radios have, and no scale.
    package init(biasSigma: Double = 0.15, scale: Double = 1) { (self.biasSigma, self.scale) = (biasSigma, scale) }
  }

  /// The log likelihood of the ranges at the best mode, with the priors' penalty.
  package private(set) var logLikelihood = -Double.infinity
  /// The noise there.
  package private(set) var noise = RangeErrorModel.candidates[0]
  /// Bias, metres.
  package private(set) var bias = 0.0
  /// Each range's share of the log likelihood, given those before it, without the priors' penalty.
  package private(set) var terms: [Double] = []
  /// The modes that were found, positions in the world, metres, best first: starts of the next fit.
  package private(set) var modes: [Vector3] = []

  /// 1-sigma of a range while modes are looked for, metres.
  private static let sigma = 0.15
  /// Modes nearer than this are one, metres; so many are refined, and so often.
  private static let distance = 0.3, refined = 2, rounds = 2

  private let rows: [Row]
  private let model: Model
  private let inversePriors: [Double]

  /// The fit of `rows`, in time order.
  ///
  /// - Parameters:
  ///   - starts: positions to start from, besides those in all directions.
  ///   - directions: unit vectors from the path's middle.
  package init(_ rows: [Row], _ model: Model = Model(), starts: [Vector3] = [], directions: [Vector3] = LinkFit.directions) {
    self.rows = rows
    self.model = model
    inversePriors = [0, 0, 0, 1 / (model.biasSigma * model.biasSigma)]
    guard rows.count >= 4 else { return }
    let middle = rows[rows.count / 2].place
    let radius = max(rows.map(\.range).sorted()[rows.count / 2] / model.scale, 0.1)
    var ends: [(cost: Double, state: [Double])] = []
    let even = [Double](repeating: 1, count: rows.count)
    for start in starts + directions.map({ middle + $0 * radius }) {
      let state = [start.x, start.y, start.z, 0]
      ends.append(descend(state, even, sigma: Self.sigma, rounds: 8))
    }
    ends.sort { $0.cost < $1.cost }
    var distinct: [[Double]] = []
    for end in ends where distinct.count < 4 {
      if distinct.allSatisfy({ (Self.position($0) - Self.position(end.state)).norm > Self.distance }) {
        distinct.append(end.state)
      }
    }
    modes = distinct.map(Self.position)
    for state in distinct.prefix(Self.refined) { refine(state) }
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

  private static func position(_ state: [Double]) -> Vector3 { Vector3(state[0], state[1], state[2]) }

  private mutating func refine(_ start: [Double]) {
    guard start.allSatisfy(\.isFinite) else { return }
    let seconds = rows.map(\.seconds)
    var state = start
    for round in 0...Self.rounds {
      let outcome = RangeErrorModel.evaluate(rows.indices.map { residual(state, $0).value }, at: seconds)
      let sum = outcome.logLikelihood - 0.5 * zip(state, inversePriors).reduce(0) { $0 + $1.0 * $1.0 * $1.1 }
      if sum > logLikelihood { (logLikelihood, noise, bias, terms) = (sum, outcome.noise, state[3], outcome.terms) }
      if round < Self.rounds {
        state = descend(state, outcome.regular, sigma: max(outcome.noise.total, 0.03), rounds: 4).state
      }
    }
  }

  private func residual(_ x: [Double], _ i: Int) -> (value: Double, direction: Vector3) {
    let away = Self.position(x) - rows[i].place
    let distance = max(away.norm, 1e-6)
    return (rows[i].range - model.scale * distance - x[3], away * (model.scale / distance))
  }

  private func cost(_ x: [Double], _ weights: [Double], _ sigma: Double) -> Double {
    var sum = zip(x, inversePriors).reduce(0) { $0 + $1.0 * $1.0 * $1.1 }
    for i in rows.indices {
      let r = abs(residual(x, i).value) / sigma
      // Huber's loss: quadratic within three sigmas.
      sum += weights[i] * (r < 3 ? r * r : 6 * r - 9)
    }
    return sum
  }

  private func descend(_ start: [Double], _ weights: [Double], sigma: Double, rounds: Int)
    -> (cost: Double, state: [Double])
  {
    let n = inversePriors.count
    var x = start, cost = cost(x, weights, sigma), damping = 1e-2
    var normal = [Double](repeating: 0, count: n * n), right = [Double](repeating: 0, count: n)
    var row = [Double](repeating: 1, count: n)
    for _ in 0..<rounds {
      for k in normal.indices { normal[k] = 0 }
      for k in 0..<n { right[k] = -inversePriors[k] * x[k] }
      for i in rows.indices {
        let (r, u) = residual(x, i)
        let weight = weights[i] / (sigma * sigma * max(1, abs(r) / (3 * sigma)))
        (row[0], row[1], row[2]) = (u.x, u.y, u.z)
        for a in 0..<n {
          let scaled = weight * row[a]
          right[a] += scaled * r
          for b in 0...a { normal[n * a + b] += scaled * row[b] }
        }
      }
      for k in 0..<n { normal[(n + 1) * k] += inversePriors[k] + damping * (normal[(n + 1) * k] + 1e-3) }
      guard let step = SmallCholesky.solve(normal, right, size: n) else { break }
      let next = zip(x, step).map { $0 + $1 }
      let value = self.cost(next, weights, sigma)
      if value < cost {
        let gain = cost - value
        (x, cost, damping) = (next, value, damping * 0.3)
        if gain < 1e-2 { break }
      } else {
        damping *= 8
        if damping > 1e6 { break }
      }
    }
    return (cost, x)
  }
}
