internal import CGaussianSum
import Foundation
import Geometry

extension GaussianSum {
  /// Measurement update by one range, with LOS/NLOS transitions.
  ///
  /// Every pair has four transitions: LOS to LOS, NLOS to LOS, NLOS to NLOS, LOS to NLOS. Each is weighted by its
  /// likelihood and moved by an iterated Kalman update. Then the two transitions with the same final mode are merged.
  /// Merging after the update keeps an unlikely transition alive if it predicted a jump. Source: second-order
  /// generalised pseudo-Bayes (GPB2), Bar-Shalom, Li, Kirubarajan, "Estimation with applications to tracking and
  /// navigation", 2001, 11.6.5. Each noise candidate estimates its white part from the innovations of its pairs, which changes the prior of
  /// an error of the place (`RangeNoise.logQuietness`). The
  /// arithmetic is in `Shim/GaussianSum/LaneGroup.hpp`.
  ///
  /// Cost: O(count * dimension^2), no allocation per component.
  package mutating func update(_ observation: RangeObservation) -> RangeUpdateResult {
    let white = noises.map(\.expectedVariance)
    var statistics = [fuse_noise_statistics](repeating: fuse_noise_statistics(), count: noises.count)
    var sums = fuse_range_sums()
    var range = fuse_range(observation, anchor: anchor)
    withKernel { fuse_gaussian_sum_update($0, &range, white, &sums, &statistics, $1) }
    let quietness = noises.map(\.logQuietness)
    for (k, candidate) in statistics.enumerated() where candidate.weight > 0 {
      noises[k].learn(degrees: candidate.degrees / candidate.weight, change: candidate.change / candidate.weight)
    }
    let gains = zip(noises, quietness).map { $0.logQuietness - $1 }
    if gains.contains(where: { $0 != 0 }) {
      for i in 0..<count { logWeight[i] += gains[Int(noise[i])] }
    }
    return RangeUpdateResult(sums)
  }

  /// Predicted range of component `i`: the Jacobian H over its state, and the variance `H P H^T`, m^2.
  package func predictedRange(_ i: Int, antenna: Vector3, columns: BiasColumns) -> (row: [Double], variance: Double) {
    let observation = RangeObservation(
      range: 0, antenna: antenna, columns: columns, seconds: 0, extraVariance: 0, configuration: RangingConfiguration())
    var range = fuse_range(observation, anchor: anchor)
    var (row, variance) = ([Double](repeating: 0, count: dimension), 0.0)
    reading { fuse_gaussian_sum_predict($0, Int32(i), &range, &row, &variance, $1) }
    return (row, variance)
  }

  /// Calls the kernel with the components and its work space.
  mutating func withKernel(_ call: (fuse_gaussian_sum, UnsafeMutablePointer<Double>) -> Int32) {
    let (dimension, usesBaseline): (Int, Int32) = (dimension, usesBaseline ? 1 : 0)
    cells.withUnsafeMutableBytes { cells in
      logWeight.withUnsafeMutableBufferPointer { weights in
        noise.withUnsafeBufferPointer { noise in
          let set = fuse_gaussian_sum(
            cells: cells.baseAddress?.assumingMemoryBound(to: Double.self), logWeights: weights.baseAddress,
            noise: noise.baseAddress, count: Int32(noise.count), dimension: Int32(dimension), usesBaseline: usesBaseline
          )
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
    // Lanes of work space that the kernel needs per state.
    let status = withUnsafeTemporaryAllocation(of: Lanes.self, capacity: 12 * dimension) {
      call(UnsafeMutableRawPointer($0.baseAddress!).assumingMemoryBound(to: Double.self))
    }
    precondition(status == 0, "sizes of the hypotheses")
  }

  /// Updates the LOS/NLOS weights by the radio's report.
  package mutating func update(with reported: ReportedNLOS) {
    let (los, nlos) = (log(reported.losLikelihood), log(reported.nlosLikelihood))
    for i in 0..<count { logWeight[i] += i & 1 == 0 ? los : nlos }
  }

  /// Moves a direction by two tangent angles and transports its basis.
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

  /// Normalised weight of the lighter of two components, where the heavier has the weight 1; zero where it is
  /// negligible.
  static func lighterWeight(_ weight: Double) -> Double {
    let fraction = weight / (1 + weight)
    return fraction > 1e-9 ? fraction : 0
  }
}
