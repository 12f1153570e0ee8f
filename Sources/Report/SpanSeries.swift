import Datasets
import JSONText

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
          .init(key: "words", value: .array(span.words.map { .string($0) })),
        ]
        if let asks = span.asks { members.append(.init(key: "asks", value: .string(asks))) }
        if let refuted = span.refuted { members.append(.init(key: "refuted", value: .string(refuted))) }
        return .object(members)
      })
  }
}
