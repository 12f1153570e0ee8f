import Foundation
import Geometry
import LeastSquares

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
