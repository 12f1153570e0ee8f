/// The order of batches in a session: a pure state machine.
///
/// Numbers count from 0. A batch is taken when its number is the next one; an older one was taken before and changes
/// nothing; a newer one must wait for those in front of it.
package struct SessionProtocol: Equatable, Sendable {
  /// What to do with a batch or a call.
  package enum Decision: Equatable, Sendable {
    /// Take it.
    case take
    /// It was taken before: acknowledge where it is the same, count nothing.
    case repeated
    /// Refuse: the next number is expected.
    case early(next: UInt64)
    /// Refuse: the results are final.
    case finished
  }

  /// The number of the next batch.
  package private(set) var next: UInt64 = 0
  /// Whether the results are final.
  package private(set) var isFinished = false
  /// Whether a line `end` was read.
  package private(set) var hasEnded = false

  /// A session without batches.
  package init() {}

  /// What becomes of a batch with this number.
  package func decide(_ sequence: UInt64) -> Decision {
    if sequence < next { return .repeated }
    if isFinished { return .finished }
    return sequence > next ? .early(next: next) : .take
  }

  /// The next batch was taken. `ends`: it closes the stream.
  package mutating func take(ends: Bool) {
    next += 1
    hasEnded = hasEnded || ends
  }

  /// The results are final from here on.
  package mutating func finish() { isFinished = true }
}
