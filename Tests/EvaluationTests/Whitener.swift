import Evaluation
import Foundation

/// The dense covariance of the errors of ranges (constant, Gauss-Markov, white) by its Cholesky factor: the dense
/// reference for the recursive filter.
struct Whitener {
  private var factor: [[Double]] = []

  /// - Parameter gaps: seconds before each range.
  init(_ model: RangeErrorModel, gaps: [Double]) {
    var times: [Double] = []
    for gap in gaps { times.append((times.last ?? 0) + gap) }
    for i in times.indices {
      var row: [Double] = []
      for j in 0...i {
        var c = model.constant * model.constant
        c += model.coloured * model.coloured * exp(-(times[i] - times[j]) / model.memory)
        if i == j { c += model.white * model.white }
        for k in 0..<j { c -= row[k] * (i == j ? row[k] : factor[j][k]) }
        row.append(i == j ? c.squareRoot() : c / factor[j][j])
      }
      factor.append(row)
    }
  }

  /// Logarithm of the covariance's determinant.
  var logDeterminant: Double { factor.reduce(0) { $0 + 2 * log($1[$1.count - 1]) } }

  /// Errors (metres) as independent standard normals.
  func whitened(_ errors: [Double]) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(errors.count)
    for (row, error) in zip(factor, errors) {
      var rest = error
      for (j, value) in result.enumerated() { rest -= row[j] * value }
      result.append(rest / row[row.count - 1])
    }
    return result
  }
}
