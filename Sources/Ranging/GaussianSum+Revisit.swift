import Foundation

/// What an update does not tell some noise candidates.
extension GaussianSum {
  /// Puts the components of some noise candidates back to what they were before an update, and keeps these candidates'
  /// probability.
  ///
  /// For a candidate m that learns nothing from a range, `p(z | i, m)` is the same for all its components i, and its
  /// evidence is that of the others together: `p(m | z) = p(m)`.
  ///
  /// - Parameters:
  ///   - candidates: whether each noise candidate is put back.
  ///   - before: the same components before the update; weights normalised up to a common factor.
  /// - Returns: log density of the range under the others, 1/m; nil where there are none.
  @discardableResult
  package mutating func restore(_ candidates: [Bool], from before: GaussianSum) -> Double? {
    guard before.count == count, let peakBefore = before.logWeight.max(), let peak = logWeight.max(), peak.isFinite
    else {
      return nil
    }
    var (kept, all, others) = (0.0, 0.0, 0.0)
    for i in 0..<count {
      let weight = exp(before.logWeight[i] - peakBefore)
      all += weight
      if candidates[Int(noise[i])] { kept += weight } else { others += exp(logWeight[i] - peak) }
    }
    guard kept > 0 else { return nil }
    // In units of the weights before the update, in which all of them sum up to `all`.
    let rescaling = others > 0 && all > kept ? log((all - kept) / others) : 0
    for i in 0..<count {
      if candidates[Int(noise[i])] {
        copyNumbers(of: i, from: before)
        logWeight[i] = before.logWeight[i] - peakBefore
      } else {
        logWeight[i] += rescaling - peak
      }
    }
    for k in noises.indices where candidates[k] { noises[k] = before.noises[k] }
    return others > 0 && all > kept ? log(others / (all - kept)) + peak - peakBefore : nil
  }
}
