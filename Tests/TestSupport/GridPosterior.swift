import Foundation
import Geometry

/// The exact Bayes posterior over where a peer is, on a grid: the yardstick for every approximation.
///
/// Given a place, constant and Gauss-Markov bias are linear and Gaussian; their conditional Kalman filter has the same
/// covariance and gain at every place, so each cell carries two means and a weight only. The prior is flat over directions but
/// for an elevation prior, and flat in distance. Cells below e^-20 of the best are given up.
package struct GridPosterior {
  private struct Cell {
    var place: Vector3
    var constant = 0.0
    var coloured = 0.0
    var logWeight: Double
  }

  private var cells: [Cell]
  private let white: Double
  private let sigmaColoured: Double
  private let memory: Double
  /// Covariance of (constant, coloured), shared.
  private var p: (Double, Double, Double)

  /// - Parameters:
  ///   - directions: unit vectors of equal solid angle.
  ///   - spacing: of the distances, metres, around `distance` as far as the first range allows.
  ///   - elevationPrior: 1-sigma, radians.
  package init(
    directions: [Vector3], around distance: Double, spacing: Double, elevationPrior: Double, white: Double,
    coloured: Double, constant: Double, memory: Double
  ) {
    self.white = white
    sigmaColoured = coloured
    self.memory = memory
    p = (constant * constant, 0, coloured * coloured)
    let total = (white * white + coloured * coloured + constant * constant).squareRoot()
    let steps = Int((4 * total / spacing).rounded(.up))
    cells = []
    for u in directions {
      let elevation = asin(u.z) / elevationPrior
      for k in -steps...steps where distance + spacing * Double(k) > 0 {
        cells.append(Cell(place: (distance + spacing * Double(k)) * u, logWeight: -0.5 * elevation * elevation))
      }
    }
  }

  /// Bayes' rule for a range taken at `device`, `seconds` after the one before.
  package mutating func update(range: Double, device: Vector3, after seconds: Double) {
    let phi = exp(-seconds / memory)
    p.1 *= phi
    p.2 = phi * phi * p.2 + sigmaColoured * sigmaColoured * (1 - phi * phi)
    let (k0, k1) = (p.0 + p.1, p.1 + p.2)
    let s = k0 + k1 + white * white
    var best = -Double.infinity
    for i in cells.indices {
      cells[i].coloured *= phi
      let innovation = range - (cells[i].place - device).norm - cells[i].constant - cells[i].coloured
      cells[i].logWeight -= 0.5 * innovation * innovation / s
      cells[i].constant += k0 / s * innovation
      cells[i].coloured += k1 / s * innovation
      best = max(best, cells[i].logWeight)
    }
    p = (p.0 - k0 * k0 / s, p.1 - k0 * k1 / s, p.2 - k1 * k1 / s)
    cells.removeAll { $0.logWeight < best - 20 }
  }

  /// Circular mean of the peer's azimuth as seen from `device`, radians.
  package func azimuth(from device: Vector3) -> Double {
    let best = cells.reduce(-Double.infinity) { max($0, $1.logWeight) }
    var sum = SIMD2<Double>.zero
    for cell in cells {
      let d = cell.place - device
      sum += exp(cell.logWeight - best) / max(d.horizontalNorm, 1e-9) * SIMD2(d.x, d.y)
    }
    return atan2(sum.y, sum.x)
  }
}
