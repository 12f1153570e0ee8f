/// What the stamps of a recording's images say: `image_stamps` in `dataset.yaml`.
enum ImageStamps: String, CaseIterable, Sendable {
  /// The middle of the exposure, as EuRoC's cameras stamp.
  case middle
  /// Its start: half of the exposure is added.
  case start
  /// Its end: half of it is taken off.
  case end

  /// What to add to a stamp, nanoseconds; nil where it takes an exposure, in seconds, that nobody knows.
  func shift(_ exposure: Double?) -> Int64? {
    let half = exposure.map { Int64(($0 * 5e8).rounded()) }
    return switch self {
    case .middle: 0
    case .start: half
    case .end: half.map { -$0 }
    }
  }
}
