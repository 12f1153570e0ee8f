import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import RunResults
import SensorData

/// Compact, deterministic lists of values for the page.
enum Columns {
  /// Numbers with at most `decimals` decimals; null for nil and non-finite values.
  static func numbers(_ values: [Double?], _ decimals: Int) -> JSONValue {
    .array(values.map { number($0, decimals) })
  }

  /// One such number. A whole one is written without its point.
  static func number(_ value: Double?, _ decimals: Int) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    let scale = pow(10, Double(decimals))
    let rounded = (value * scale).rounded() / scale
    guard rounded.isFinite else { return .null }
    return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
  }

  /// Numbers with three significant digits.
  static func significant(_ values: [Double?]) -> JSONValue {
    .array(
      values.map { value in
        guard let value, value != 0, value.isFinite else { return number(value, 0) }
        return number(value, min(12, max(0, 2 - Int(log10(abs(value)).rounded(.down)))))
      })
  }

  /// Words as a list of distinct ones and, for each value, its index in it; null for nil.
  static func words(_ values: [String?]) -> JSONValue {
    var indices: [String: Int] = [:]
    var words: [String] = []
    let at = values.map { value -> JSONValue in
      guard let value else { return .null }
      if indices[value] == nil {
        indices[value] = words.count
        words.append(value)
      }
      return .integer(indices[value]!)
    }
    return ["words": .texts(words), "at": .array(at)]
  }
}

/// Seconds from the beginning of the recording, or of the run's output where that is not known.
struct TimeAxis {
  /// Its origin.
  let start: Timestamp
  /// First and last time of the run's output, seconds; equal for an empty run.
  let span: ClosedRange<Double>

  /// The axis of a run.
  init(_ run: RunFolder) {
    let stamps = run.updates.map(\.timestamp) + run.poses.map(\.timestamp)
    let first = stamps.min() ?? Timestamp(nanoseconds: 0)
    var start = first
    if case .integer(let nanoseconds)? = run.result?["start"] { start = Timestamp(nanoseconds: Int64(nanoseconds)) }
    self.start = start
    let last = (stamps.max() ?? first).seconds(since: start)
    // A run that began at least a second after the recording is drawn from its own beginning.
    let from = min(first.seconds(since: start), last)
    span = (from < 1 ? min(0, from) : from)...last
  }

  /// Seconds since the start.
  func seconds(_ time: Timestamp) -> Double { time.seconds(since: start) }
}

/// Selects the samples of a long recording needed for a drawing.
///
/// Samples are split into equal bins. Each bin keeps the smallest and the largest value of every channel, so a drawn
/// line keeps its extent. The first and the last sample are always kept.
package enum Decimation {
  /// Indexes to keep, ascending, of `count` samples: all of them up to `limit`, else at most `limit` and the two ends.
  ///
  /// - Parameter channels: values by sample; nil counts as no value. O(channels x count).
  package static func kept(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let bins = max(1, limit / max(1, 2 * channels.count))
    var keep = [Bool](repeating: false, count: count)
    keep[0] = true
    keep[count - 1] = true
    for bin in 0..<bins {
      let range = (bin * count / bins)..<((bin + 1) * count / bins)
      for channel in channels {
        var (least, most): (Int?, Int?) = (nil, nil)
        for index in range {
          guard let value = channel[index], value.isFinite else { continue }
          if least.map({ value < channel[$0]! }) ?? true { least = index }
          if most.map({ value > channel[$0]! }) ?? true { most = index }
        }
        for index in [least, most] { if let index { keep[index] = true } }
      }
    }
    return keep.indices.filter { keep[$0] }
  }

  /// The same for a scatter plot: three quarters evenly spaced, to keep the density, and one quarter extremes.
  package static func sampled(count: Int, limit: Int, channels: [[Double?]]) -> [Int] {
    guard count > limit else { return Array(0..<max(0, count)) }
    let even = max(1, 3 * limit / 4)
    let spaced = (0..<even).map { $0 * count / even }
    return Set(spaced + kept(count: count, limit: limit / 4, channels: channels)).sorted()
  }
}

/// Intervals in which a value stayed the same, for bands along the time axis; at most `limit` of them.
enum SpanSeries {
  private struct Span: Equatable {
    var from: Double
    var to: Double
    /// The status and then its reasons; or one word.
    var words: [String]
    /// What the user is asked for; nil for nothing.
    var asks: String?
    /// The code of a premise that is refuted.
    var refuted: String?
  }

  /// Status, reasons and what the phone asks for; `refuted` names a premise that is refuted in an update.
  static func statuses(
    _ updates: [(seconds: Double, update: UpdateRecord)], refuted: (UpdateRecord) -> String?, limit: Int
  ) -> JSONValue {
    var spans: [Span] = []
    for (seconds, update) in updates {
      let next = Span(
        from: seconds, to: seconds, words: [update.status] + update.reasons, asks: update.guidance,
        refuted: refuted(update))
      if let last = spans.indices.last {
        spans[last].to = seconds
        let (a, b) = (spans[last], next)
        if a.words == b.words, a.asks == b.asks, a.refuted == b.refuted { continue }
      }
      spans.append(next)
    }
    return json(spans, limit)
  }

  /// Runs of the same word over samples in time order; intervals without a word are left out.
  static func words(_ samples: [(seconds: Double, word: String?)], limit: Int) -> JSONValue {
    var spans: [Span] = []
    for (seconds, word) in samples {
      let words = word.map { [$0] } ?? []
      if let last = spans.indices.last {
        spans[last].to = seconds
        if spans[last].words == words { continue }
      }
      spans.append(Span(from: seconds, to: seconds, words: words))
    }
    return json(spans.filter { !$0.words.isEmpty }, limit)
  }

  /// Beyond the limit only the longest are drawn: the others are thinner than a line.
  private static func json(_ spans: [Span], _ limit: Int) -> JSONValue {
    var drawn = spans
    if drawn.count > limit {
      let order = spans.indices.sorted {
        let (a, b) = (spans[$0].to - spans[$0].from, spans[$1].to - spans[$1].from)
        return a == b ? $0 < $1 : a > b
      }
      drawn = order.prefix(limit).sorted().map { spans[$0] }
    }
    return .array(
      drawn.map { span in
        var members: [JSONValue.Member] = [
          .init(key: "from", value: Columns.number(span.from, 3)), .init(key: "to", value: Columns.number(span.to, 3)),
          .init(key: "words", value: .texts(span.words)),
        ]
        if let asks = span.asks { members.append(.init(key: "asks", value: .string(asks))) }
        if let refuted = span.refuted { members.append(.init(key: "refuted", value: .string(refuted))) }
        return .object(members)
      })
  }
}

/// The device's path: the estimate, the truth aligned to it, and the normalised errors of its poses.
struct PathSeries {
  /// Largest number of drawn poses.
  static let limit = 1500

  private let input: ReportInput
  private let map: MapFrame
  private let time: TimeAxis

  init(_ input: ReportInput, map: MapFrame, time: TimeAxis) {
    self.input = input
    self.map = map
    self.time = time
  }

  /// Times in seconds, positions in metres, headings in degrees clockwise from up on the page.
  var json: JSONValue {
    let poses = input.run.poses
    let points = poses.map { map.position($0.worldFromBody) }
    let kept = Decimation.kept(
      count: poses.count, limit: Self.limit, channels: [points.map(\.x), points.map(\.y), points.map(\.z)])
    return [
      "t": Columns.numbers(kept.map { time.seconds(poses[$0].timestamp) }, 3),
      "x": Columns.numbers(kept.map { points[$0].x }, 3), "y": Columns.numbers(kept.map { points[$0].y }, 3),
      "z": Columns.numbers(kept.map { points[$0].z }, 3),
      "heading": Columns.numbers(kept.map { map.heading(poses[$0].worldFromBody) }, 1),
      "truth": truth(kept.map { poses[$0].timestamp }),
    ]
  }

  /// The true path at the same times; null where worlds cannot be aligned.
  private func truth(_ moments: [Timestamp]) -> JSONValue {
    guard let alignment = input.errors.trajectory?.alignment else { return .null }
    let points = moments.map { moment -> Vector3? in
      guard let truthFromEstimate = alignment.truthFromEstimate(at: moment),
        let pose = input.truth.worldFromBody(at: moment)
      else { return nil }
      return map.position(truthFromEstimate.inverse * pose)
    }
    return [
      "x": Columns.numbers(points.map { $0?.x }, 3), "y": Columns.numbers(points.map { $0?.y }, 3),
      "z": Columns.numbers(points.map { $0?.z }, 3),
    ]
  }

  /// Normalised errors of position and attitude.
  var normalizedErrors: JSONValue {
    guard let errors = input.errors.trajectory,
      let first = input.run.poses.first(where: { input.truth.worldFromBody(at: $0.timestamp) != nil })
    else { return .null }
    let start = time.seconds(first.timestamp)
    return [
      "position": NormalizedErrorSeries.json(errors.positionNEES, from: start),
      "attitude": NormalizedErrorSeries.json(errors.attitudeNEES, from: start),
    ]
  }
}

/// Normalised errors over time, decimated for drawing.
enum NormalizedErrorSeries {
  /// Largest number of drawn values.
  static let limit = 600

  /// Longest interval without a value across which a line is drawn, seconds.
  private static let longestGap = 1.0

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
