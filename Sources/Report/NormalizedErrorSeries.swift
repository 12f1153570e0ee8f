import Datasets
import Evaluation

/// Normalised errors over time, short enough to draw.
enum NormalizedErrorSeries {
  /// Values drawn of a long recording, at most.
  static let limit = 600

  /// Times in seconds and values; null without any. `start` is the moment that the errors count from.
  static func json(_ errors: NormalizedErrors, from start: Double, limit: Int = limit) -> JSONValue {
    let values = errors.values
    guard !values.isEmpty else { return .null }
    let kept = Decimation.kept(count: values.count, limit: limit, channels: [values.map(\.value)])
    return [
      "t": Columns.numbers(kept.map { start + values[$0].seconds }, 3),
      "v": Columns.significant(kept.map { values[$0].value }),
    ]
  }
}
