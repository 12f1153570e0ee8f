internal import CReferenceKernel
import Simulation

/// Fixed work: times of different machines are compared as ratios to its time.
///
/// One half is the filter's most expensive operation, in Eigen: a Kalman update of 60 rows over 66 columns of a
/// covariance of 201 rows. The other half represents the rest: a plain loop in Swift, the product of that covariance
/// with the update's matrix. The third part is the work of a frame as published filters do it: 60 points observed in 11
/// poses each, projected, compressed, and one update of the same covariance.
struct ReferenceKernel {
  private static let dimension = 201, columns = 66, rows = 60
  private static let points = 60, measurements = 22

  private let covariance: [Double]
  private let jacobian: [Double]
  private let residual: [Double]
  private let observationsJacobian: [Double]
  private let involved = (0..<Self.columns).map { Int32($0 + 15) }

  init() {
    var random = SeededRandom(seed: 1)
    let (n, m) = (Self.dimension, Self.columns)
    // A^T A / n + I / 100, with few columns of A: positive definite, and correlated like a filter's.
    let factor = (0..<20 * n).map { _ in random.gaussian() }
    var covariance = [Double](repeating: 0, count: n * n)
    for i in 0..<n {
      for j in 0..<n {
        for k in 0..<20 { covariance[i * n + j] += factor[k * n + i] * factor[k * n + j] / Double(n) }
      }
      covariance[i * n + i] += 0.01
    }
    self.covariance = covariance
    jacobian = (0..<Self.rows * m).map { _ in random.gaussian() }
    residual = (0..<Self.rows).map { _ in random.gaussian() }
    observationsJacobian = (0..<(Self.points + Self.measurements) * m).map { _ in random.gaussian() }
  }

  /// Shortest time of several passes, nanoseconds, each part separately.
  func time(passes: Int) -> (update: Int, loop: Int, frame: Int) {
    var best = (update: Int.max, loop: Int.max, frame: Int.max)
    for _ in 0..<passes {
      var work = covariance
      let began = StageClock.threadTime()
      update(&work)
      let middle = StageClock.threadTime()
      let sum = loop(work)
      let ended = StageClock.threadTime()
      precondition(sum.isFinite, "the loop's result is used, so that it is not optimised away")
      work = covariance
      let start = StageClock.threadTime()
      frame(&work)
      let frame = StageClock.threadTime() - start
      best = (min(best.update, middle - began), min(best.loop, ended - middle), min(best.frame, frame))
    }
    return best
  }

  private func frame(_ covariance: inout [Double]) {
    let m = Self.columns, left = Self.measurements - 3
    var stacked: [Double] = []
    var residuals: [Double] = []
    stacked.reserveCapacity(Self.points * left * m)
    residuals.reserveCapacity(Self.points * left)
    for k in 0..<Self.points {
      var H = Array(observationsJacobian[(k * m)..<(k * m + Self.measurements * m)])
      var F = Array(observationsJacobian[k..<(k + 3 * Self.measurements)])
      var r = Array(observationsJacobian[(2 * k)..<(2 * k + Self.measurements)])
      let status = fuse_reference_project(&F, Int32(Self.measurements), &H, Int32(m), &r)
      precondition(status == 0, "the reference projection is well posed")
      stacked += H[(3 * m)...]
      residuals += r[3...]
    }
    let status = fuse_reference_compress(&stacked, Int32(residuals.count), Int32(m), &residuals)
    precondition(status == 0, "the reference compression is well posed")
    update(&covariance, jacobian: Array(stacked[..<(m * m)]), residual: Array(residuals[..<m]))
  }

  private func update(_ covariance: inout [Double]) { update(&covariance, jacobian: jacobian, residual: residual) }

  private func update(_ covariance: inout [Double], jacobian: [Double], residual: [Double]) {
    var correction = [Double](repeating: 0, count: Self.dimension)
    let status = fuse_reference_update(
      &covariance, Int32(Self.dimension), involved, Int32(Self.columns), jacobian, Int32(residual.count), residual,
      &correction)
    precondition(status == 0, "the reference update is well posed")
  }

  private func loop(_ covariance: [Double]) -> Double {
    let (n, m) = (Self.dimension, Self.columns)
    var trace = 0.0
    for r in 0..<Self.rows {
      for i in 0..<n {
        var sum = 0.0
        for j in 0..<m { sum += covariance[i * n + j + 15] * jacobian[r * m + j] }
        trace += sum * sum
      }
    }
    return trace
  }
}
