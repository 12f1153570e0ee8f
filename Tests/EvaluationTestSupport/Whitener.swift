import Evaluation
import Foundation
import Geometry

/// The dense covariance of the errors of ranges (constant, Gauss-Markov, white, bound to the pose) by its Cholesky factor:
/// the dense reference for the recursive filter.
package struct Whitener {
  private var factor: [[Double]] = []

  /// - Parameters:
  ///   - gaps: seconds before each range.
  ///   - poses: one for each range; none: nothing is bound to them.
  ///   - peer: its place, world, metres.
  package init(_ model: RangeErrorModel, gaps: [Double], poses: [RangingPose] = [], peer: Vector3 = .zero) {
    var times: [Double] = []
    for gap in gaps { times.append((times.last ?? 0) + gap) }
    for i in times.indices {
      var row: [Double] = []
      for j in 0...i {
        var c = model.constant * model.constant
        c += model.coloured * model.coloured * exp(-(times[i] - times[j]) / model.memory)
        if i == j { c += model.white * model.white }
        if !poses.isEmpty { c += model.boundCovariance(poses[i], poses[j], peer: peer) }
        for k in 0..<j { c -= row[k] * (i == j ? row[k] : factor[j][k]) }
        row.append(i == j ? c.squareRoot() : c / factor[j][j])
      }
      factor.append(row)
    }
  }

  /// Logarithm of the covariance's determinant.
  package var logDeterminant: Double { factor.reduce(0) { $0 + 2 * log($1[$1.count - 1]) } }

  /// Errors (metres) as independent standard normals.
  package func whitened(_ errors: [Double]) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(errors.count)
    for (row, error) in zip(factor, errors) {
      var rest = error
      for (j, value) in result.enumerated() { rest -= row[j] * value }
      result.append(rest / row[row.count - 1])
    }
    return result
  }

  /// Errors (metres) of that covariance from independent standard normals.
  package func coloured(_ normals: [Double]) -> [Double] {
    factor.map { row in zip(row, normals).reduce(0) { $0 + $1.0 * $1.1 } }
  }
}
