import Datasets
import Evaluation
import JSONText

/// Normalised errors over time, decimated for drawing.
enum NormalizedErrorSeries {
  /// Largest number of drawn values.
  static let limit = 600

  /// Longest interval without a value across which a line is drawn, seconds.
  static let longestGap = 1.0

  /// Times in seconds and values, with null where a line ends; null without any. `start` is the time of their origin.
  static func json(_ errors: NormalizedErrors, from start: Double, limit: Int = limit) -> JSONValue {
    let values = errors.values
    guard !values.isEmpty else { return .null }
    let kept = Decimation.kept(count: values.count, limit: limit, channels: [values.map(\.value)])
    var (times, drawn): ([Double], [Double?]) = ([], [])
    for (rank, index) in kept.enumerated() {
      let from = rank > 0 ? kept[rank - 1] : index
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
