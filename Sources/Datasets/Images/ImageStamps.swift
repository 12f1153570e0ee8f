/// Meaning of a recording's image timestamps: `image_stamps` in `dataset.yaml`.
enum ImageStamps: String, CaseIterable, Sendable {
  /// The middle of the exposure, as EuRoC's cameras stamp.
  case middle
  /// Its start: half of the exposure is added.
  case start
  /// Its end: half of the exposure is subtracted.
  case end

  /// Correction of a timestamp, nanoseconds; nil where it needs an unknown exposure (seconds).
  func shift(_ exposure: Double?) -> Int64? {
    let half = exposure.map { Int64(($0 * 5e8).rounded()) }
    return switch self {
    case .middle: 0
    case .start: half
    case .end: half.map { -$0 }
    }
  }
}
