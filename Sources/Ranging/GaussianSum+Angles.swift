import Foundation
import Geometry

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
