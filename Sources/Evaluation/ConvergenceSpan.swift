/// An interval in which status and reasons of a peer stayed the same.
package struct ConvergenceSpan: Equatable, Sendable {
  /// Seconds since the peer's first update.
  package var from: Double
  /// Seconds since the peer's first update: where the next span begins.
  package var to: Double
  /// `unknown`, `notConverged`, `converged`.
  package var status: String
  /// Most important first.
  package var reasons: [String]

  /// The spans of updates in time order.
  static func spans(_ updates: [JudgedUpdate]) -> [ConvergenceSpan] {
    guard let start = updates.first?.timestamp else { return [] }
    var spans: [ConvergenceSpan] = []
    for update in updates {
      let now = update.timestamp.seconds(since: start)
      if let last = spans.indices.last {
        spans[last].to = now
        if spans[last].status == update.status, spans[last].reasons == update.reasons { continue }
      }
      spans.append(ConvergenceSpan(from: now, to: now, status: update.status, reasons: update.reasons))
    }
    return spans
  }
}
