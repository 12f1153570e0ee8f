import Foundation
import Geometry

extension HypothesisSet {
  /// Splits hypotheses that are wider than the range's curvature allows into three narrower ones each.
  ///
  /// A Gaussian that spans a curved ring would foretell its edges wrongly; a third of its width bends a ninth as much. The
  /// three-component split of a Gaussian (offsets +-1.0575 sigma, width 0.6716 sigma, weights 0.2252, 0.5495) is
  /// from DeMars, Bishop and Jah, JGCD 36(4), 2013, doi:10.2514/1.58987. The split is along the tangent axis that bends,
  /// conditioned so that mean and covariance of the sum are kept.
  mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    let n = dimension
    let m = n - 2
    for i in 0..<count {
      guard count + 2 <= limit else { return }
      let (metres, axis) = bend(i, antenna: antenna)
      guard metres > 0.7 * noises[Int(noise[i])].white else { continue }
      let base = i * n * n
      let variance = covariance[base + axis * n + axis]
      let sigma = variance.squareRoot()
      guard sigma > 1e-4 else { continue }
      // Direction of the split in state space: the regression of everything on the bending axis.
      let column = (0..<n).map { covariance[base + $0 * n + axis] / sigma }
      let shrink = 1 - 0.6716 * 0.6716
      var narrowed = Array(covariance[base..<(base + n * n)])
      for r in 0..<n { for c in 0..<n { narrowed[r * n + c] -= shrink * column[r] * column[c] } }
      let u = direction[i]
      let e1 = tangent[i]
      let s = Array(scalars[(i * m)..<((i + 1) * m)])
      for side in [-1.0575, 1.0575] {
        var moved = u
        var basis = e1
        Self.move(&moved, &basis, side * column[0], side * column[1])
        var shifted = s
        for k in 0..<m { shifted[k] += side * column[k + 2] }
        shifted[0] = max(shifted[0], 0.05)
        append(
          logWeight: logWeight[i] + log(0.22525), direction: moved, tangent: basis, noise: Int(noise[i]),
          scalars: shifted, covariance: narrowed)
      }
      logWeight[i] += log(0.5495)
      for k in 0..<(n * n) { covariance[base + k] = narrowed[k] }
    }
  }
}
