internal import CGaussianSum
import Foundation
import Geometry

extension GaussianSum {
  /// Bayes' rule for one range, in which the sight may have been lost or come back.
  ///
  /// Every pair is tried in its four ways (free and still free, blocked and cleared, blocked and still blocked, free and
  /// just blocked); each way is weighted by how well it logPredictiveDensity the range and moved by an iterated Kalman update; then
  /// the two ways that end alike are merged. Merging after the evidence and not before keeps a rare way alive that foresaw
  /// a jump. Source: second-order generalised pseudo-Bayes, Bar-Shalom, Li, Kirubarajan, "Estimation with applications
  /// to tracking and navigation", 2001, 11.6.5. Each noise learns its white part from what its pairs logPredictiveDensity. The arithmetic is
  /// `Shim/GaussianSum/LaneGroup.hpp`.
  ///
  /// Cost: O(count * dimension^2), no allocation per hypothesis.
  package mutating func update(_ evidence: RangeEvidence) -> RangeVerdict {
    let white = noises.map(\.expectedVariance)
    var news = [fuse_noise_statistics](repeating: fuse_noise_statistics(), count: noises.count)
    var sums = fuse_range_sums()
    var range = fuse_range(evidence, anchor: anchor)
    withKernel { fuse_gaussian_sum_update($0, &range, white, &sums, &news, $1) }
    for (k, told) in news.enumerated() where told.weight > 0 {
      noises[k].learn(degrees: told.degrees / told.weight, change: told.change / told.weight)
    }
    return RangeVerdict(sums)
  }

  /// What hypothesis `i` foretells of a range: the row H over its state, and the variance `H P H^T`, m^2.
  package func logPredictiveDensity(_ i: Int, antenna: Vector3, columns: BiasColumns) -> (row: [Double], variance: Double) {
    let evidence = RangeEvidence(
      range: 0, antenna: antenna, columns: columns, seconds: 0, extraVariance: 0, configuration: RangingConfiguration())
    var range = fuse_range(evidence, anchor: anchor)
    var (row, variance) = ([Double](repeating: 0, count: dimension), 0.0)
    reading { fuse_gaussian_sum_predict($0, Int32(i), &range, &row, &variance, $1) }
    return (row, variance)
  }

  /// Calls the kernel with the hypotheses as it sees them, and with room for its work.
  mutating func withKernel(_ call: (fuse_gaussian_sum, UnsafeMutablePointer<Double>) -> Int32) {
    let (dimension, usesBaseline): (Int, Int32) = (dimension, usesBaseline ? 1 : 0)
    cells.withUnsafeMutableBytes { cells in
      logWeight.withUnsafeMutableBufferPointer { weights in
        noise.withUnsafeBufferPointer { noise in
          let set = fuse_gaussian_sum(
            cells: cells.baseAddress?.assumingMemoryBound(to: Double.self), logWeights: weights.baseAddress,
            noise: noise.baseAddress, count: Int32(noise.count), dimension: Int32(dimension), usesBaseline: usesBaseline)
          Self.withWork(dimension) { call(set, $0) }
        }
      }
    }
  }

  /// The same for a call that only reads the cells.
  func reading(_ call: (fuse_gaussian_sum, UnsafeMutablePointer<Double>) -> Int32) {
    cells.withUnsafeBytes { cells in
      let start = UnsafeMutableRawPointer(mutating: cells.baseAddress)
      let set = fuse_gaussian_sum(
        cells: start?.assumingMemoryBound(to: Double.self), logWeights: nil, noise: nil, count: Int32(count),
        dimension: Int32(dimension), usesBaseline: usesBaseline ? 1 : 0)
      Self.withWork(dimension) { call(set, $0) }
    }
  }

  private static func withWork(_ dimension: Int, _ call: (UnsafeMutablePointer<Double>) -> Int32) {
    // What the kernel wants for each number of the state.
    let status = withUnsafeTemporaryAllocation(of: Lanes.self, capacity: 12 * dimension) {
      call(UnsafeMutableRawPointer($0.baseAddress!).assumingMemoryBound(to: Double.self))
    }
    precondition(status == 0, "sizes of the hypotheses")
  }

  /// Weights the pairs by the radio's own guess.
  package mutating func weigh(_ guess: ReportedNLOS) {
    let (free, blocked) = (log(guess.losLikelihood), log(guess.nlosLikelihood))
    for i in 0..<count { logWeight[i] += i & 1 == 0 ? free : blocked }
  }

  /// Moves a direction by two tangent angles and carries its basis along.
  package static func move(_ u: inout Vector3, _ e1: inout Vector3, _ alpha1: Double, _ alpha2: Double) {
    var (direction, tangent) = (LaneVector(repeating: u), LaneVector(repeating: e1))
    move(&direction, &tangent, Lanes(repeating: alpha1), Lanes(repeating: alpha2))
    (u, e1) = (direction[0], tangent[0])
  }

  /// The same of four.
  @inline(__always)
  static func move(_ u: inout LaneVector, _ e1: inout LaneVector, _ alpha1: Lanes, _ alpha2: Lanes) {
    let moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized
    e1 = (e1 - e1.dot(moved) * moved).normalized
    u = moved
  }

  /// What the lighter of two that become one gets, where the heavier weighs 1 and it `weight`: nothing where it does not matter.
  static func lighterWeight(_ weight: Double) -> Double {
    let share = weight / (1 + weight)
    return share > 1e-9 ? share : 0
  }
}
