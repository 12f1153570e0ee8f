extension ErrorCovariance {
  /// Probabilistic Kalman update with one scalar: it measures block `own` with certainty and all other states with a
  /// given probability. `own` gets the full gain, all other rows the gain times `probability`. O(n^2).
  ///
  /// With `K` the optimal gain and `S` the innovation variance, `P_ij` loses `K_i S K_j` where i or j belongs to `own`,
  /// and `probability` times that elsewhere; P stays positive definite. Held rows keep their covariances among
  /// themselves.
  /// Source: probabilistic data association, Bar-Shalom, Daum, Huang, IEEE Control Systems 29(6), 2009,
  /// doi:10.1109/MCS.2009.934469, except for `own`: its errors would otherwise contradict every further measurement.
  ///
  /// - Parameters:
  ///   - jacobian: one row for each involved block; a block appears at most once.
  ///   - residual: measured minus predicted.
  ///   - noise: variance of the measurement.
  ///   - probability: 0...1.
  package func update(
    jacobian: [(Block, [Double])], residual: Double, noise: Double, probability: Double, own: Block
  ) -> UpdateResult {
    guard probability < 1 else { return update(jacobian: jacobian, residual: [residual], noise: [noise]) }
    let involved = gather(jacobian, rows: 1)
    let full = offset(of: own)..<offset(of: own) + size(of: own)
    return withStorage { p, count, stride in
      let (n, stride) = (Int(count), Int(stride))
      var cross = [Double](repeating: 0, count: n)
      for (column, h) in zip(involved.columns, involved.matrix) where h != 0 {
        let row = p + Int(column) * stride
        for i in 0..<n { cross[i] += h * row[i] }
      }
      var variance = noise
      for (column, h) in zip(involved.columns, involved.matrix) { variance += h * cross[Int(column)] }
      let nis = residual * residual / variance
      guard nis.isFinite, cross.allSatisfy(\.isFinite) else { return .failed(.notFinite) }
      guard variance > 0 else { return .failed(.notPositiveDefinite) }
      var weight = [Double](repeating: probability, count: n)
      for i in full { weight[i] = 1 }
      for part in held { for i in part.rows { weight[offset(of: part.block) + i] = 0 } }
      for i in 0..<n {
        let gain = cross[i] / variance
        for j in 0..<n { p[i * stride + j] -= max(weight[i], weight[j]) * (gain * cross[j]) }
      }
      return .accepted(nis: nis, correction: (0..<n).map { weight[$0] * cross[$0] * residual / variance })
    }
  }
}
