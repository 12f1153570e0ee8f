import Datasets
import Evaluation

/// Normalised errors over time, short enough to draw.
enum NormalizedErrorSeries {
  /// Values drawn of a long recording, at most.
  static let limit = 600

  /// Over a longer time without a value no line is drawn, seconds.
  static let longestGap = 1.0

  /// Times in seconds and values, with null where a line ends; null without any. `start` is the moment that they count from.
  static func json(_ errors: NormalizedErrors, from start: Double, limit: Int = limit) -> JSONValue {
    let values = errors.values
    guard !values.isEmpty else { return .null }
    let kept = Decimation.kept(count: values.count, limit: limit, channels: [values.map(\.value)])
    var (times, drawn): ([Double], [Double?]) = ([], [])
    for (place, index) in kept.enumerated() {
      let from = place > 0 ? kept[place - 1] : index
      if let end = (from..<index).first(where: { values[$0 + 1].seconds - values[$0].seconds > longestGap }) {
        times.append(start + values[end].seconds)
        drawn.append(nil)
      }
      times.append(start + values[index].seconds)
      drawn.append(values[index].value)
    }
    return ["t": Columns.numbers(times, 3), "v": Columns.significant(drawn)]
  }
}
