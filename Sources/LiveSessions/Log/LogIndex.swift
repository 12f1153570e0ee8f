/// The sessions of a log and what damage means for each: a pure state machine over what a reading finds, in its order.
///
/// The rule: a session is whole as far as its batches have no gap. Behind a gap, a hole, it stops; what follows is kept.
/// Damage that does not say whose records it took may have taken the last ones of every session that was open and has none
/// behind it: each of these is named, and goes on.
package struct LogIndex {
  /// Batches that are missing between those that are there, or at the end.
  package struct Hole: Equatable, Sendable {
    /// The missing numbers.
    package var missing: ClosedRange<UInt64>
    /// What took them; empty where nothing that was found can have.
    package var causes: [LogDamage]

    /// A batch behind its beginning is lost, too; `isLast`: none is known to follow.
    fileprivate mutating func take(_ sequence: UInt64, _ cause: LogDamage, isLast: Bool) {
      causes.append(cause)
      if isLast { missing = missing.lowerBound...max(missing.upperBound, sequence) }
    }
  }

  /// One session.
  package struct Session: Sendable {
    /// Who it is.
    package var identity: SessionIdentity
    /// When it was created, nanoseconds since 1970.
    package var created: Int64
    /// Its batches from the first, without a gap.
    package var places: [LogReading.Place] = []
    /// Bytes of its batches.
    package var bytes = 0
    /// Whether its results are final, and every batch in front of that is there or in the hole.
    package var isFinished = false
    /// What is missing behind `places`.
    package var hole: Hole?
    /// Whole batches behind the hole, with their numbers.
    package var after: [(sequence: UInt64, place: LogReading.Place)] = []
    /// Damage that may have taken its last batches.
    package var doubts: [LogDamage] = []
    /// Its last batch, which was the log's tail: cut, perhaps acknowledged.
    package var cut: LogDamage?
    fileprivate var first: LogReading.Place
    fileprivate var last: LogReading.Place

    /// Why it cannot go on; nil where it can.
    package var failure: String? {
      guard let hole else { return nil }
      let causes = hole.causes.map(\.words).joined(separator: "; ")
      return
        "\(LogIndex.batches(hole.missing)) missing in the log (\(causes.isEmpty ? "nothing found there says why" : causes)), expected all: "
        + "updates and recording end in front of it, and nothing more is taken; send what follows to a new session"
    }

    /// What its readers should know; nil where there is nothing.
    package var warning: String? {
      if let cut {
        return "the log's tail was cut, with batch \(places.count) of this session in it (\(cut.words)): "
          + "send it again if it was acknowledged"
      }
      guard let doubt = doubts.first else { return nil }
      return "the log is damaged (\(doubt.words)): batches from \(places.count) on may have been lost there; "
        + "send them again if they were acknowledged"
    }
  }

  /// Sessions by their numbers, those that are gone left out.
  package private(set) var sessions: [UInt64: Session] = [:]
  /// Numbers of deleted sessions.
  package private(set) var gone: Set<UInt64> = []
  /// Ids of deleted sessions, as far as their beginnings are still there.
  package private(set) var goneIDs: Set<String> = []
  /// Whole batches of sessions whose beginning is lost, by number.
  package private(set) var orphans: [UInt64: [(sequence: UInt64, place: LogReading.Place)]] = [:]
  /// Segments with records of a session, by number.
  package private(set) var touched: [UInt64: Set<Int>] = [:]
  /// The largest number.
  package private(set) var last: UInt64 = 0
  /// All damage.
  package private(set) var damage: [LogDamage] = []

  /// An index of nothing.
  package init() {}

  /// The index of the log in a folder, with what was read.
  package static func read(_ folder: String) throws -> (index: LogIndex, reading: LogReading) {
    var index = LogIndex()
    let reading = try LogReading(folder: folder) { index.add($0) }
    index.finish()
    return (index, reading)
  }

  /// Adds what was found next.
  package mutating func add(_ found: LogReading.Found) {
    switch found {
    case .record(let record, let place): add(record, place)
    case .damage(let one):
      damage.append(one)
      guard let identity = one.identity, one.losesRecords else { return }
      last = max(last, identity.session)
      lose(identity, one)
    }
  }

  private mutating func add(_ record: LogRecord, _ place: LogReading.Place) {
    guard record.kind != .removed else { return }
    last = max(last, record.session)
    touched[record.session, default: []].insert(place.segment)
    guard !gone.contains(record.session) else { return }
    switch record.kind {
    case .create:
      // Written twice.
      guard sessions[record.session] == nil, let identity = SessionIdentity(payload: record.payload) else { break }
      sessions[record.session] = Session(identity: identity, created: record.arrival, first: place, last: place)
    case .batch:
      guard sessions[record.session] != nil else {
        orphans[record.session, default: []].append((record.sequence, place))
        return
      }
      batch(&sessions[record.session]!, record.sequence, place)
      sessions[record.session]!.bytes += record.payload.count
    case .finish:
      sessions[record.session]?.isFinished = true
      if let count = sessions[record.session]?.places.count, record.sequence > count {
        open(&sessions[record.session]!, UInt64(count)...record.sequence - 1)
      }
    case .delete:
      if let session = sessions.removeValue(forKey: record.session) { goneIDs.insert(session.identity.id) }
      orphans[record.session] = nil
      gone.insert(record.session)
    case .removed: break
    }
    sessions[record.session]?.last = place
  }

  private func batch(_ session: inout Session, _ sequence: UInt64, _ place: LogReading.Place) {
    let next = UInt64(session.places.count)
    if session.hole == nil, sequence > next { open(&session, next...sequence - 1) }
    if session.hole == nil {
      if sequence == next { session.places.append(place) }
    } else if sequence > session.hole!.missing.lowerBound, sequence > session.after.last?.sequence ?? 0 {
      if session.after.isEmpty { session.hole!.missing = session.hole!.missing.lowerBound...sequence - 1 }
      session.after.append((sequence, place))
    }
  }

  private func open(_ session: inout Session, _ missing: ClosedRange<UInt64>) {
    if session.hole == nil { session.hole = Hole(missing: missing, causes: []) }
  }

  /// A record is lost, and known.
  private mutating func lose(_ identity: LogDamage.Identity, _ one: LogDamage) {
    guard identity.kind == .batch, let session = sessions[identity.session] else { return }
    let next = UInt64(session.places.count)
    if one.isTail {
      // The last write: not acknowledged where it is torn. The session waits for it again.
      if !one.isTornWrite, session.hole == nil, identity.sequence == next { sessions[identity.session]!.cut = one }
      return
    }
    if session.hole == nil, identity.sequence >= next { open(&sessions[identity.session]!, next...identity.sequence) }
    sessions[identity.session]!.hole?.take(identity.sequence, one, isLast: session.after.isEmpty)
  }

  /// All was added: says which damage that names nobody may have taken what.
  package mutating func finish() {
    let silent = damage.filter { $0.losesRecords && $0.identity == nil && !$0.isTornWrite }
    for (number, session) in sessions {
      let end = session.hole == nil ? nil : session.after.first?.place
      for one in silent {
        let place = LogReading.Place(segment: one.segment, offset: one.range.lowerBound)
        let lastWhole = session.places.last ?? session.first
        if session.hole != nil, place > lastWhole, end == nil || place < end! {
          sessions[number]!.hole!.causes.append(one)
        }
        if session.hole == nil, !session.isFinished, place > session.last { sessions[number]!.doubts.append(one) }
      }
    }
  }

  // MARK: words

  /// A line for each damage, with the sessions and batches that it took; `name` makes a session's name of its id.
  package func lines(name: (String) -> String) -> [String] {
    damage.map { one in
      var whose: [String] = []
      if let identity = one.identity, one.losesRecords { whose.append(Self.words(identity, sessions, gone, name)) }
      if one.identity == nil, one.losesRecords, !one.isTornWrite {
        let named = sessions.sorted { $0.value.identity.id < $1.value.identity.id }
        for (_, session) in named {
          if let hole = session.hole, hole.causes.contains(one) {
            whose.append("\(Self.batches(hole.missing)) of session \(name(session.identity.id))")
          } else if session.doubts.contains(one) {
            whose.append("perhaps batches from \(session.places.count) on of session \(name(session.identity.id))")
          }
        }
        whose += orphans.keys.sorted().map { "perhaps the beginning of session number \($0)" }
        if whose.isEmpty { whose.append("no batch of a session that is still there is missing") }
      }
      let tail = one.isTornWrite ? " (a torn tail: not acknowledged)" : one.isTail ? " (the log's tail)" : ""
      return one.words + tail + (whose.isEmpty ? "" : ": " + whose.joined(separator: ", "))
    }
  }

  private static func words(
    _ identity: LogDamage.Identity, _ sessions: [UInt64: Session], _ gone: Set<UInt64>, _ name: (String) -> String
  ) -> String {
    let session =
      sessions[identity.session].map { "session \(name($0.identity.id))" }
      ?? (gone.contains(identity.session) ? "a deleted session" : "session number \(identity.session)")
    return switch identity.kind {
    case .create: "the beginning of \(session)" + (sessions[identity.session] == nil ? "" : ", which is there twice")
    case .batch: "batch \(identity.sequence) of \(session)"
    case .finish: "the end of \(session)"
    case .delete: "the deletion of \(session)"
    case .removed: "a list of removed segments"
    }
  }

  fileprivate static func batches(_ range: ClosedRange<UInt64>) -> String {
    range.lowerBound == range.upperBound
      ? "batch \(range.lowerBound)" : "batches \(range.lowerBound) to \(range.upperBound)"
  }

  /// Numbers of sessions whose beginning is lost, with the batches that are kept, a line each.
  package var orphanLines: [String] {
    orphans.sorted { $0.key < $1.key }.map { number, batches in
      "session number \(number): its beginning is lost; \(batches.count) batches of it are whole and kept, "
        + "from \(batches[0].sequence) on"
    }
  }
}
