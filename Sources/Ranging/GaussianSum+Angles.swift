import Foundation
import Geometry

extension GaussianSum {
  /// Bayes' rule for one cosine of an angle of arrival: each hypothesis is weighted by how well it logPredictiveDensity it and moved by a
  /// Kalman update. With a blocked sight the angle is as likely to be that of the reflector, which may stand anywhere. A strange
  /// cosine is anywhere between -1 and 1.
  ///
  /// - Parameters:
  ///   - antenna: where the array was, world, metres.
  ///   - worth: neighbouring angles err alike, and all of them by an array's offset. A likelihood to the power of `worth.told` is that of a variance
  ///     so many times as large the other way.
  package mutating func update(
    _ measured: DirectionCosine, antenna: Vector3, worth: AoAWeight, _ configuration: RangingConfiguration
  ) {
    guard worth.own > 0 else { return }
    let (noise, n) = (measured.variance / max(worth.told, 1e-9), dimension)
    let (before, behind) = (
      LaneVector(repeating: measured.axis + measured.fold), LaneVector(repeating: measured.axis - measured.fold)
    )
    let (ahead, upright) = (LaneVector(repeating: measured.ahead), LaneVector(repeating: measured.upright))
    let from = LaneVector(repeating: anchor - antenna)
    let ph = UnsafeMutablePointer<Lanes>.allocate(capacity: n)
    ph.initialize(repeating: .zero, count: n)
    defer { ph.deallocate() }
    var weights = logWeight
    logWeight = []
    forEachCell { p, x, first, _ in
      let cell = x - Self.scalarsOffset
      var (u, e1) = (LaneVector(cell), LaneVector(cell + Self.tangentOffset))
      // `DirectionCosine.model` and its gradient over the place.
      let d = from + x[0] * u
      let r = d.dot(d).squareRoot().atLeast(1e-6)
      let way = (1 / r) * d
      let axis = before.replacing(with: behind, where: ahead.dot(d) .< 0)
      let cosine = axis.dot(way)
      let gradient = (1 / r) * (axis - cosine * way)
      let (h0, h1, h2) = (x[0] * gradient.dot(e1), x[0] * gradient.dot(u.cross(e1)), gradient.dot(u))
      ph[0] = h0 * p[0] + h1 * p[1] + h2 * p[3]
      ph[1] = h0 * p[1] + h1 * p[2] + h2 * p[4]
      for r in 2..<n {
        let t = Self.triangle(r)
        ph[r] = h0 * p[t] + h1 * p[t + 1] + h2 * p[t + 2]
      }
      let innovation = measured.cosine - cosine
      // `DirectionCosine.slope` and its square.
      let sine = upright.dot(way)
      let square = (1 - sine * sine).atLeast(DirectionCosine.leastSquaredSlope)
      let (slope, noise) = (square.squareRoot(), square * noise)
      let variance = (h0 * ph[0] + h1 * ph[1] + h2 * ph[2]).atLeast(0)
      let strange = first % 2 == 0 ? configuration.aoaOutlierProbability : 0.5
      let regular = (1 - strange) * slope * Lanes.normal(innovation, variance + noise)
      let all = regular + 0.5 * strange
      let responsibility = regular / all.atLeast(1e-300)
      let unexcused = worth.unexcused(
        innovation, spread: variance, noise: square * measured.variance, slope: slope,
        strange: Lanes(repeating: strange))
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
        weights[first + 2 * lane] += log(max(all[lane], 1e-300)) + unexcused[lane]
      }
    }
    logWeight = weights
  }
}
