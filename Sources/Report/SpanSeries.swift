import Datasets
import Evaluation

/// Intervals in which a value stayed the same, for bands along the time axis; at most `limit` of them.
enum SpanSeries {
  private struct Span: Equatable {
    var from: Double
    var to: Double
    /// The status and then its reasons; or one word.
    var words: [String]
  }

  /// Status and reasons; `start` is the origin of the spans, seconds.
  static func statuses(_ spans: [ConvergenceSpan], from start: Double, limit: Int) -> JSONValue {
    json(spans.map { Span(from: start + $0.from, to: start + $0.to, words: [$0.status] + $0.reasons) }, limit)
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
        [
          "from": Columns.number(span.from, 3), "to": Columns.number(span.to, 3),
          "words": .array(span.words.map { .string($0) }),
        ]
      })
  }
}
