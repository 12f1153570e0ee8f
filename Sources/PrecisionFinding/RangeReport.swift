/// What became of one range, for the details of its update.
struct RangeReport {
  /// What became of it.
  enum Use: String {
    /// It was used by the estimate.
    case used
    /// It seems NLOS, or is an outlier.
    case rejected
    /// It waits for the next ranges, which show whether it is an outlier, or another antenna is used in its place.
    case held
    /// It is a duplicate of the previous one.
    case repeated
    /// There is no trajectory yet: it waits for one.
    case kept
  }

  /// As measured, metres.
  var range: Double
  /// What became of it.
  var use: Use
  /// Innovation: measured minus predicted, and its 1-sigma, metres; nil where nothing was predicted yet.
  var innovation: (value: Double, sigma: Double)?

  /// By name.
  var details: [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = ["range": .number(range), "rangeUse": .text(use.rawValue)]
    if let innovation {
      details["innovation"] = .number(rounded(innovation.value))
      details["innovationStd"] = .number(rounded(innovation.sigma))
    }
    return details
  }

  private func rounded(_ metres: Double) -> Double { (metres * 1e4).rounded() / 1e4 }
}
