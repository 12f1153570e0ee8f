internal import CLinearAlgebra

/// Outcome of a Kalman update.
package enum UpdateResult: Equatable, Sendable {
  /// Why an update failed; the covariance is unchanged.
  package enum Failure: String, Equatable, Sendable {
    /// The innovation covariance, or the updated one, was not positive definite.
    case notPositiveDefinite
    /// NaN or infinity in the input or the result.
    case notFinite
    /// Out of memory, or an inconsistent call.
    case failed
  }

  /// Done: the normalised innovation squared (NIS), and the correction of the whole error state, one number per row.
  case accepted(nis: Double, correction: [Double])
  /// The NIS exceeded the chi-square gate.
  case rejected(nis: Double)
  /// Failed.
  case failed(Failure)

  init(status: Int32, nis: Double, correction: @autoclosure () -> [Double]) {
    switch Int(status) {
    case FUSE_LA_OK: self = .accepted(nis: nis, correction: correction())
    case FUSE_LA_REJECTED: self = .rejected(nis: nis)
    case FUSE_LA_NOT_POSITIVE: self = .failed(.notPositiveDefinite)
    case FUSE_LA_NOT_FINITE: self = .failed(.notFinite)
    default: self = .failed(.failed)
    }
  }
}

extension ErrorCovariance {
  /// Kalman update of the covariance with `r = H dx + v`, H given over the involved blocks only. O(rows n^2).
  ///
  /// The caller injects the correction into the state (`NavigationFilter.apply`).
  ///
  /// - Parameters:
  ///   - jacobian: rows x size(of block), row-major, for each involved block; a block appears at most once.
  ///   - residual: measured minus predicted; its count is the number of rows.
  ///   - noise: covariance of v: one number per row (diagonal) or rows x rows, row-major; empty means unit noise.
  ///   - gate: chi-square gate: reject when `r^T S^-1 r` exceeds it; nil accepts everything.
  package func update(jacobian: [(Block, [Double])], residual: [Double], noise: [Double] = [], gate: Double? = nil)
    -> UpdateResult
  {
    update(stack(jacobian, residual), noise: noise, gate: gate)
  }

  /// NIS `r^T (H P H^T + R)^-1 r` without an update; nil where it is undefined. Parameters as in `update`.
  package func normalizedInnovation(jacobian: [(Block, [Double])], residual: [Double], noise: [Double] = []) -> Double?
  {
    var nis: [Double] = []
    normalizedInnovations(stack(jacobian, residual), noise: noise, into: &nis)
    return nis.first.flatMap { $0.isNaN ? nil : $0 }
  }

  private func stack(_ jacobian: [(Block, [Double])], _ residual: [Double]) -> RowStack {
    var stack = RowStack()
    let matrix = gather(jacobian, rows: residual.count).matrix
    stack.append(LinearisedRows(blocks: jacobian.map(\.0), jacobian: matrix, residual: residual), in: self)
    return stack
  }

  /// Kalman update with all parts of a stack, as above; non-unit `noise` only for a single part.
  package func update(_ stack: RowStack, noise: [Double] = [], gate: Double? = nil) -> UpdateResult {
    let full = Self.full(noise, rows: stack.residual.count)
    var nis = 0.0
    var correction = [Double](repeating: 0, count: dimension)
    let kept = held.flatMap { part in part.rows.map { offset(of: part.block) + $0 } }
    let before = kept.flatMap { i in kept.map { self[i, $0] } }
    let status = withStorage { storage, n, stride in
      full.withUnsafeBufferPointer { noise in
        stack.withStack {
          fuse_la_update(
            storage, n, stride, $0, noise.isEmpty ? nil : noise.baseAddress, gate ?? .infinity, workspace, &correction,
            &nis)
        }
      }
    }
    if Int(status) == FUSE_LA_OK, !kept.isEmpty {
      restore(kept, before)
      for i in kept { correction[i] = 0 }
    }
    return UpdateResult(status: status, nis: nis, correction: correction)
  }

  /// NIS of each part separately; NaN where it is undefined.
  package func normalizedInnovations(_ stack: RowStack, noise: [Double] = [], into nis: inout [Double]) {
    nis.removeAll(keepingCapacity: true)
    guard stack.count > 0 else { return }
    nis.append(contentsOf: repeatElement(.nan, count: stack.count))
    let full = Self.full(noise, rows: stack.residual.count)
    let status = withStorage { storage, n, stride in
      full.withUnsafeBufferPointer { noise in
        stack.withStack {
          fuse_la_innovations(
            storage, n, stride, $0, noise.isEmpty ? nil : noise.baseAddress, workspace, &nis)
        }
      }
    }
    if Int(status) != FUSE_LA_OK { for i in nis.indices { nis[i] = .nan } }
  }

  /// Restores values, row-major, at the intersections of some rows and columns.
  private func restore(_ rows: [Int], _ values: [Double]) {
    withStorage { storage, _, stride in
      for (a, i) in rows.enumerated() {
        for (b, j) in rows.enumerated() { storage[i * Int(stride) + j] = values[a * rows.count + b] }
      }
    }
  }

  private static func full(_ noise: [Double], rows: Int) -> [Double] {
    guard noise.count == rows, rows > 1 else {
      precondition(noise.isEmpty || noise.count == rows * rows, "shape of the noise")
      return noise
    }
    var matrix = [Double](repeating: 0, count: rows * rows)
    for i in 0..<rows { matrix[i * rows + i] = noise[i] }
    return matrix
  }

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
