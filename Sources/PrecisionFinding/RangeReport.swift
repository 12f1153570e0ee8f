/// What became of one range, for the details of its update.
struct RangeReport {
  /// What became of it.
  enum Use: String {
    /// It moved the estimate.
    case used
    /// Its sight seems blocked, or it is grossly wrong.
    case rejected
    /// It waits for the next ones, which tell whether it is gross, or another antenna is heard in its place.
    case held
    /// It is the one before, said once more: no news.
    case repeated
    /// There is no trajectory yet: it waits for one.
    case kept
  }

  /// As measured, metres.
  var range: Double
  /// What became of it.
  var use: Use
  /// Measured minus expected, and the 1-sigma of that, metres; nil where nothing was expected yet.
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
