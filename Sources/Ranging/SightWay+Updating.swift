import Geometry

/// Bayes' rule on a way.
extension SightWay {
  /// What a way found.
  struct Outcome {
    var innovation = Lanes.zero
    var variance = Lanes.zero
    /// Probability that the range was no gross error.
    var responsibility = Lanes.zero
  }

  /// The Kalman update, iterated once where the range bends, weighted down by the probability of a gross error
  /// (`R / p(regular)`); the share is multiplied by the likelihood. An excess cannot be negative: the evidence for a normal
  /// distribution cut at zero is that for the whole one times the ratio of the shares above zero after and before.
  ///
  /// Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993, doi:10.1109/9.250476.
  ///
  /// - Parameter active: the pairs in which the way matters; the others are left as they are.
  mutating func assimilate(
    _ reading: Reading, noiseVariance r: Lanes, where active: SIMDMask<SIMD4<Int64>>
  ) -> Outcome {
    let (x, columns) = (scalars, reading.columns)
    var (row, variance) = linearise(direction, tangent, rho: x[0], reading)
    var biases = x[1] + x[columns.coloured - 2] + x[n - 3]
    if let constant = columns.constant { biases += x[constant - 2] }
    var innovation = reading.range - row.distance * (1 + x[2]) - biases
    func foretold(variance: Lanes) -> LaneLikelihood {
      LaneLikelihood(
        innovation: innovation, variance: variance, grossShare: reading.grossShare, grossSpread: reading.grossSpread)
    }
    var likelihood = foretold(variance: variance + r)
    if case .new(let prior) = excess {
      likelihood = likelihood.shared(Lanes(repeating: 1 - prior.farShare))
      // Only who is surprised by an excess asks whether it is one of the long ones.
      let isSurprised = (innovation .> 0) .& (innovation * innovation .> variance + r)
      if any(isSurprised) {
        let wider = variance + (prior.far.variance - prior.near.variance)
        let far = foretold(variance: wider + r).shared(Lanes.zero.replacing(with: prior.farShare, where: isSurprised))
        let isFar = far.regular .> likelihood.regular
        likelihood = likelihood + far
        fresh.replace(with: prior.far.variance, where: isFar)
        ph[n - 1] = fresh
        variance.replace(with: wider, where: isFar)
      }
    }
    let outcome = Outcome(
      innovation: innovation, variance: variance + r, responsibility: likelihood.responsibility)
    share.replace(with: share * likelihood.total, where: active)
    let moved = active .& (outcome.responsibility .> 0.02)
    let noise = r / outcome.responsibility.atLeast(0.02)
    let positive = positiveExcess(where: moved)

    let (bend1, bend2) = row.bends(covariance)
    let bend = bend1.replacing(with: bend2, where: bend2 .> bend1)
    let curved = moved .& (bend * bend .> 0.01 * outcome.variance)
    if any(curved) {
      // A second pass at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
      let gain = (innovation / (variance + noise)).replacing(with: 0, where: .!curved)
      let (d0, d1, d2) = (ph[0] * gain, ph[1] * gain, ph[2] * gain)
      var (u, e1) = (direction, tangent)
      HypothesisSet.move(&u, &e1, d0, d1)
      (row, variance) = linearise(u, e1, rho: (x[0] + d2).atLeast(HypothesisSet.nearest), reading)
      let scale = 1 + x[2]
      innovation =
        reading.range - row.distance * scale - biases + scale
        * (row.alpha1 * d0 + row.alpha2 * d1 + row.rho * d2)
    }

    k = (1 / (variance + noise)).replacing(with: 0, where: .!moved)
    let gain = (k * innovation).replacing(with: 0, where: .!moved)
    HypothesisSet.move(&direction, &tangent, ph[0] * gain, ph[1] * gain)
    for c in 2..<n { x[c - 2] += ph[c] * gain }
    x[0] = x[0].atLeast(HypothesisSet.nearest)
    share *= positiveExcess(where: moved) / positive
    return outcome
  }
}
