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

/// Prediction between two ranges.
extension GaussianSum {
  /// Decay of the Gauss-Markov biases over `seconds` and `metres` of device motion.
  ///
  /// - Parameters:
  ///   - pose: of the device, for errors that are bound to it.
  ///   - changes: of each noise candidate's place, m^2 (`VisitedPlaces`); without, those of a straight path.
  ///   - antennaCorrelation: of the coloured errors of two antennas, 0...1.
  package mutating func predict(
    seconds: Double, metres: Double, pose: PoseVisit = PoseVisit(), changes: [Double]? = nil,
    antennaCorrelation: Double = 0
  ) {
    let decay = noises.indices.map {
      noises[$0].memory(after: seconds, metres: metres, path: pose.path, change: changes?[$0])
    }
    forget(decay, zip(noises, decay).map { $0.coloured * $0.coloured * (1 - $1 * $1) }, antennaCorrelation)
  }

  /// Frees the errors of the pose where the device comes back after `visits` earlier ones (`RangeNoise.renewal`).
  package mutating func renew(after visits: Double, antennaCorrelation: Double = 0) {
    guard visits > 0 else { return }
    forget(noises.map { _ in 1 }, noises.map { $0.renewal(after: visits) }, antennaCorrelation)
  }

  /// Decay of the coloured errors and variance of their process noise, m^2, by noise candidate.
  private mutating func forget(_ decay: [Double], _ newVariance: [Double], _ correlation: Double) {
    let coloured = layout.coloured
    decay.withUnsafeBufferPointer { decay in
      newVariance.withUnsafeBufferPointer { newVariance in
        var step = fuse_forgetting(
          first: Int32(coloured.lowerBound), antennas: Int32(coloured.count), decay: decay.baseAddress,
          newVariance: newVariance.baseAddress, correlation: correlation)
        withKernel { set, _ in fuse_gaussian_sum_forget(set, &step) }
      }
    }
  }

  /// Adds the drift of the trajectory to the peer's relative position.
  ///
  /// - Parameters:
  ///   - position: growth of the relative position's covariance, 3 x 3, world axes, m^2.
  ///   - yawVariance: growth of the heading variance, rad^2: rotates the peer about the device.
  ///   - device: position of the device, world, metres.
  package mutating func drift(position: Matrix3, yawVariance: Double, device: Vector3) {
    guard position.trace > 0 || yawVariance > 0 else { return }
    let from = anchor - device
    var lost = fuse_path_drift()
    lost.position = (
      position[0, 0], position[0, 1], position[0, 2], position[1, 0], position[1, 1], position[1, 2], position[2, 0],
      position[2, 1], position[2, 2]
    )
    lost.yawVariance = yawVariance
    lost.from = (from.x, from.y, from.z)
    withKernel { set, _ in fuse_gaussian_sum_drift(set, &lost) }
  }

  /// Adds `variance`, m^2, to the distance: the direction of the motion is unknown.
  mutating func addRangeVariance(variance: Double) { forEachCell { p, _, _, _ in p[5] += variance } }

  /// Moves the anchor to the antenna's position, world, metres. Only the length of the displacement is used, for the
  /// direction is unobserved.
  mutating func moveAnchor(to antenna: Vector3) {
    addRangeVariance(variance: (antenna - anchor).squaredNorm / 3)
    anchor = antenna
  }

  /// Calls `body` for every cell in order: its covariance, its scalars, its first component (the others follow in steps
  /// of two), and the noise indices of all components.
  @inline(__always)
  mutating func forEachCell(
    _ body: (UnsafeMutablePointer<Lanes>, UnsafeMutablePointer<Lanes>, Int, [Int32]) -> Void
  ) {
    let (size, start, all) = (cellSize, covarianceOffset, noise)
    let groups = groups
    cells.withUnsafeMutableBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let base = cells.baseAddress! + cell * size
        body(base + start, base + Self.scalarsOffset, cell / 2 * 8 + cell % 2, all)
      }
    }
  }
}

extension GaussianSum {
  /// Measurement update by one cosine of an angle of arrival.
  ///
  /// Each component is weighted by its likelihood and moved by a Kalman update. Under NLOS the angle may be that of a
  /// reflector anywhere: the outlier probability is 0.5. An outlier's cosine is uniform in -1...1.
  ///
  /// - Parameters:
  ///   - antenna: position of the array, world, metres.
  ///   - weight: for correlated errors and the constant bias of the array. A likelihood to the power of
  ///     `weight.measurement` is that of the variance divided by it.
  package mutating func update(
    _ measured: DirectionCosine, antenna: Vector3, weight: AoAWeight, _ configuration: RangingConfiguration
  ) {
    guard weight.unbiased > 0 else { return }
    let (noise, n) = (measured.variance / max(weight.measurement, 1e-9), dimension)
    let (before, behind) = (
      LaneVector(repeating: measured.axis + measured.foldedAxis),
      LaneVector(repeating: measured.axis - measured.foldedAxis)
    )
    let (boresight, rotationAxis) = (
      LaneVector(repeating: measured.boresight), LaneVector(repeating: measured.rotationAxis)
    )
    let from = LaneVector(repeating: anchor - antenna)
    let ph = UnsafeMutablePointer<Lanes>.allocate(capacity: n)
    ph.initialize(repeating: .zero, count: n)
    defer { ph.deallocate() }
    var weights = logWeight
    logWeight = []
    forEachCell { p, x, first, _ in
      let cell = x - Self.scalarsOffset
      var (u, e1) = (LaneVector(cell), LaneVector(cell + Self.tangentOffset))
      // `DirectionCosine.model` and its gradient by the position.
      let d = from + x[0] * u
      let r = d.dot(d).squareRoot().atLeast(1e-6)
      let lineOfSight = (1 / r) * d
      let axis = before.replacing(with: behind, where: boresight.dot(d) .< 0)
      let cosine = axis.dot(lineOfSight)
      let gradient = (1 / r) * (axis - cosine * lineOfSight)
      let (h0, h1, h2) = (x[0] * gradient.dot(e1), x[0] * gradient.dot(u.cross(e1)), gradient.dot(u))
      ph[0] = h0 * p[0] + h1 * p[1] + h2 * p[3]
      ph[1] = h0 * p[1] + h1 * p[2] + h2 * p[4]
      for r in 2..<n {
        let t = Self.triangle(r)
        ph[r] = h0 * p[t] + h1 * p[t + 1] + h2 * p[t + 2]
      }
      let innovation = measured.cosine - cosine
      // `DirectionCosine.slope` and its square.
      let sine = rotationAxis.dot(lineOfSight)
      let square = (1 - sine * sine).atLeast(DirectionCosine.leastSquaredSlope)
      let (slope, noise) = (square.squareRoot(), square * noise)
      let variance = (h0 * ph[0] + h1 * ph[1] + h2 * ph[2]).atLeast(0)
      let outlier = first % 2 == 0 ? configuration.aoaOutlierProbability : 0.5
      let regular = (1 - outlier) * slope * Lanes.normal(innovation, variance + noise)
      let all = regular + 0.5 * outlier
      let responsibility = regular / all.atLeast(1e-300)
      let logLikelihoodBeyondBias = weight.logLikelihoodBeyondBias(
        innovation, spread: variance, noise: square * measured.variance, slope: slope,
        outlierProbability: Lanes(repeating: outlier))
      let k = (1 / (variance + noise / responsibility.atLeast(0.02))).replacing(with: 0, where: responsibility .<= 0.02)
      let gain = k * innovation
      Self.move(&u, &e1, ph[0] * gain, ph[1] * gain)
      u.store(cell)
      e1.store(cell + Self.tangentOffset)
      for c in 2..<n { x[c - 2] += ph[c] * gain }
      x[0] = x[0].atLeast(Self.nearest)
      for r in 0..<n {
        let (t, scale) = (Self.triangle(r), k * ph[r])
        for c in 0...r { p[t + c] -= scale * ph[c] }
      }
      for lane in 0..<4 where first + 2 * lane < weights.count {
        weights[first + 2 * lane] += log(max(all[lane], 1e-300)) + logLikelihoodBeyondBias[lane]
      }
    }
    logWeight = weights
  }
}
