import Datasets
import Evaluation
import Foundation
import Geometry
import RunResults
import SensorData
import Wording

/// Differences between the published results of two runs of one recording.
package struct RunDifference {
  /// Differences up to these count as none.
  package struct Tolerance: Equatable, Sendable {
    /// Metres, for distances and positions.
    package var distance: Double
    /// Radians, for angles and their intervals.
    package var angle: Double

    /// A tolerance from its parts.
    package init(distance: Double = 0, angle: Double = 0) {
      self.distance = distance
      self.angle = angle
    }
  }

  /// How one value of the updates changed.
  package struct Change: Equatable, Sendable {
    /// Updates in which it differs.
    package var count = 0
    /// When it first differs.
    package var first: Timestamp
    /// The largest difference, in the value's unit; nil where it is a word, or is missing on one side only.
    package var largest: Double?
    /// When that is.
    package var largestAt: Timestamp?
    /// Updates in which only one side has it.
    package var onOneSide = 0
  }

  /// An update that differs.
  package struct Example: Equatable, Sendable {
    package var timestamp: Timestamp
    package var peer: String?
    /// Differing values: name, before, after.
    package var values: [(name: String, before: String, after: String)]

    package static func == (a: Self, b: Self) -> Bool {
      a.timestamp == b.timestamp && a.peer == b.peer && a.values.elementsEqual(b.values, by: ==)
    }
  }

  /// An interval in which the statuses differ.
  package struct Span: Equatable, Sendable {
    package var peer: String?
    package var from: Timestamp
    package var to: Timestamp
    /// Status and reasons, in words.
    package var before: String
    package var after: String
  }

  /// The first moment of either run.
  package private(set) var start = Timestamp(nanoseconds: .max)
  /// Updates in both runs, those of them that differ, those only before, only after.
  package private(set) var counts = (both: 0, differing: 0, onlyBefore: 0, onlyAfter: 0)
  /// The first update that differs.
  package private(set) var first: Example?
  /// Changes by peer ("" is the session) and by name of the value.
  package private(set) var changes: [String: [String: Change]] = [:]
  /// Intervals of differing status.
  package private(set) var spans: [Span] = []
  /// Poses that differ by more than the tolerance, and the largest differences: metres, radians.
  package private(set) var poses = (compared: 0, differing: 0, distance: 0.0, angle: 0.0)
  /// Poses that are in one run only.
  package private(set) var unmatchedPoses = 0
  /// The runs' verdicts; nil for a run of a version that had none.
  package private(set) var verdicts: (before: RunVerdict?, after: RunVerdict?)
  /// What each run came to for each peer.
  package private(set) var outcomes: [String: (before: PeerTally, after: PeerTally)] = [:]

  /// Whether the set-up is judged otherwise; a run without a verdict says nothing about it.
  package var hasOtherVerdict: Bool {
    guard let before = verdicts.before, let after = verdicts.after else { return false }
    return before.state != after.state || before.cause?.code != after.cause?.code
  }

  /// Whether nothing changed.
  package var isEmpty: Bool {
    counts.onlyBefore + counts.onlyAfter + poses.differing + unmatchedPoses == 0 && changes.isEmpty && !hasOtherVerdict
  }

  /// Compares updates by timestamp and peer, poses by timestamp. Updates are read from the folders, one moment at a time.
  ///
  /// - Throws: `DatasetError`.
  package init(before: RunFolder, after: RunFolder, tolerance: Tolerance = Tolerance()) throws(DatasetError) {
    for time in [before, after].compactMap({ $0.poses.first?.timestamp }) { start = min(start, time) }
    let (old, new) = (try MomentReader(before), try MomentReader(after))
    while let time = [old.time, new.time].compactMap(\.self).min() {
      start = min(start, time)
      compareMoment(try old.take(time), try new.take(time), tolerance)
    }
    comparePoses(before.poses, after.poses, tolerance)
    verdicts = (before.verdict, after.verdict)
  }

  /// Compares the updates of one timestamp.
  private mutating func compareMoment(_ before: [UpdateRecord], _ after: [UpdateRecord], _ tolerance: Tolerance) {
    for update in before {
      if let peer = update.peer { outcomes[peer, default: (.init(), .init())].before.add(update) }
    }
    for update in after { if let peer = update.peer { outcomes[peer, default: (.init(), .init())].after.add(update) } }
    let (old, new) = (Self.byKey(before), Self.byKey(after))
    for key in Set(old.keys).union(new.keys).sorted() {
      switch (old[key], new[key]) {
      case (let a?, let b?):
        counts.both += 1
        compare(a, b, tolerance)
      case (.some, nil): counts.onlyBefore += 1
      default: counts.onlyAfter += 1
      }
    }
  }

  /// Identifies an update: some timestamps have several of one peer.
  private struct Key: Hashable, Comparable {
    var timestamp: Timestamp
    var peer: String
    var ordinal: Int
    static func < (a: Key, b: Key) -> Bool { (a.timestamp, a.peer, a.ordinal) < (b.timestamp, b.peer, b.ordinal) }
  }

  private static func byKey(_ updates: [UpdateRecord]) -> [Key: UpdateRecord] {
    var result: [Key: UpdateRecord] = [:]
    for update in updates {
      var key = Key(timestamp: update.timestamp, peer: update.peer ?? "", ordinal: 0)
      while result[key] != nil { key.ordinal += 1 }
      result[key] = update
    }
    return result
  }

  private mutating func compare(_ a: UpdateRecord, _ b: UpdateRecord, _ tolerance: Tolerance) {
    var example = Example(timestamp: a.timestamp, peer: a.peer, values: [])
    for value in ComparedValue.all {
      let (before, after) = (value.read(a), value.read(b))
      guard let difference = ComparedValue.difference(before, after, value.limit(tolerance)) else { continue }
      record(difference, value.name, a)
      example.values.append((value.name, before.words, after.words))
    }
    if first == nil, !example.values.isEmpty { first = example }
    let statuses = (ComparedValue.statusText(a), ComparedValue.statusText(b))
    if !example.values.isEmpty || statuses.0 != statuses.1 { counts.differing += 1 }
    if statuses.0 != statuses.1 { record(statuses.0, statuses.1, a) }
  }

  private mutating func record(_ difference: ComparedValue.Difference, _ name: String, _ update: UpdateRecord) {
    var change = changes[update.peer ?? "", default: [:]][name] ?? Change(first: update.timestamp)
    change.count += 1
    switch difference {
    case .amount(let amount):
      if amount > change.largest ?? -1 { (change.largest, change.largestAt) = (amount, update.timestamp) }
    case .oneSided: change.onOneSide += 1
    case .word: break
    }
    changes[update.peer ?? "", default: [:]][name] = change
  }

  private mutating func record(_ before: String, _ after: String, _ update: UpdateRecord) {
    if let last = spans.lastIndex(where: { $0.peer == update.peer }), spans[last].before == before,
      spans[last].after == after, update.timestamp.seconds(since: spans[last].to) <= 0.3
    {
      spans[last].to = update.timestamp
    } else {
      spans.append(
        Span(peer: update.peer, from: update.timestamp, to: update.timestamp, before: before, after: after))
    }
  }

  private mutating func comparePoses(_ a: [RunFolder.PoseRow], _ b: [RunFolder.PoseRow], _ tolerance: Tolerance) {
    var others = Dictionary(b.map { ($0.timestamp, $0.worldFromBody) }, uniquingKeysWith: { $1 })
    for row in a {
      guard let other = others.removeValue(forKey: row.timestamp) else {
        unmatchedPoses += 1
        continue
      }
      poses.compared += 1
      let distance = (row.worldFromBody.translation - other.translation).norm
      let isSame = row.worldFromBody.rotation == other.rotation
      let angle = isSame ? 0 : (row.worldFromBody.rotation * other.rotation.inverse).log.norm
      if distance > tolerance.distance || angle > tolerance.angle { poses.differing += 1 }
      poses.distance = max(poses.distance, distance)
      poses.angle = max(poses.angle, angle)
    }
    unmatchedPoses += others.count
  }
}

/// What a run came to for one peer, for a person: how long it knew what, and with what it ended.
package struct PeerTally: Equatable, Sendable {
  /// Updates, those with an angle, those that were converged.
  package private(set) var updates = 0
  package private(set) var withAngle = 0
  package private(set) var converged = 0
  /// When an angle was first known, and when it first converged.
  package private(set) var firstAngle: Timestamp?
  package private(set) var firstConverged: Timestamp?
  /// The last update.
  private var last: UpdateRecord?

  /// Adds the next update.
  package mutating func add(_ update: UpdateRecord) {
    updates += 1
    last = update
    if update.horizontalAngle != nil {
      withAngle += 1
      firstAngle = firstAngle ?? update.timestamp
    }
    guard update.status == "converged" else { return }
    converged += 1
    firstConverged = firstConverged ?? update.timestamp
  }

  /// Updates whose convergence or angle another run has or lacks: what orders peers.
  package func change(to other: PeerTally) -> Int {
    max(abs(converged - other.converged), abs(withAngle - other.withAngle))
  }

  /// What changed for a person, a few words each: `converged 213 -> 70 updates`; empty where nothing did.
  package func words(to other: PeerTally, since start: Timestamp) -> [String] {
    func seconds(_ time: Timestamp?) -> String {
      time.map { "\(Words.fixed($0.seconds(since: start), 1)) s" } ?? "never"
    }
    func change(_ name: String, _ before: String, _ after: String, _ unit: String = "") -> String? {
      before == after ? nil : "\(name) \(before) -> \(after)\(unit)"
    }
    return [
      change("converged", "\(converged)", "\(other.converged)", " updates"),
      change("for the first time", seconds(firstConverged), seconds(other.firstConverged)),
      change("angle in", "\(withAngle)", "\(other.withAngle)", " updates"),
      change("first angle", seconds(firstAngle), seconds(other.firstAngle)),
      change("at the end", Self.end(last), Self.end(other.last)),
    ].compactMap(\.self)
  }

  /// What a person sees: coarse, so that no digit that nobody sees is a change.
  private static func end(_ update: UpdateRecord?) -> String {
    guard let update else { return "nothing" }
    let distance = update.distance.map { "\(Words.fixed($0, 1)) m" } ?? "no distance"
    return [distance, update.horizontalAngle.map { Words.side($0.value) }].compactMap(\.self).joined(separator: " ")
  }
}

/// The updates of a run, moment by moment.
final class MomentReader {
  private let reader: UpdateReader
  private var head: UpdateRecord?

  /// Opens the updates of a folder.
  init(_ run: RunFolder) throws(DatasetError) {
    reader = try UpdateReader(folder: run.path)
    head = try reader.next()
  }

  /// The time of the next updates; nil at the end.
  var time: Timestamp? { head?.timestamp }

  /// The updates of that time, in the file's order; empty where the next ones are later.
  ///
  /// - Throws: `DatasetError`, also for an update that is earlier than the one before it.
  func take(_ time: Timestamp) throws(DatasetError) -> [UpdateRecord] {
    var updates: [UpdateRecord] = []
    while let update = head, update.timestamp == time {
      updates.append(update)
      head = try reader.next()
      if let head, head.timestamp < time {
        throw DatasetError(
          file: reader.path, line: reader.line, found: "an update that is earlier than the one before it",
          expected: "updates in order of time")
      }
    }
    return updates
  }
}

/// A value of an update by which two runs are compared.
struct ComparedValue: Sendable {
  /// What it is in one update.
  enum Content: Equatable {
    case none
    case numbers([Double])
    case word(String)

    /// As text.
    var words: String {
      switch self {
      case .none: "none"
      case .numbers(let numbers): numbers.map { Words.fixed($0, 3) }.joined(separator: " ")
      case .word(let word): word
      }
    }
  }

  /// How two contents differ.
  enum Difference: Equatable {
    /// By this amount, in the value's unit.
    case amount(Double)
    /// One side has none.
    case oneSided
    /// Another word.
    case word
  }

  /// Kind of value: it decides the distance measure and the tolerance.
  enum Kind { case metres, radians, unitVector, word }

  /// Its name in `updates.jsonl`.
  var name: String
  /// Kind of value.
  var kind: Kind
  /// The value in an update.
  var read: @Sendable (UpdateRecord) -> Content

  /// The published values, in output order.
  static let all: [ComparedValue] = [
    Self(name: "distance", kind: .metres) { number($0.distance) },
    Self(name: "horizontalAngle", kind: .radians) { number($0.horizontalAngle?.value) },
    Self(name: "horizontalAngleInterval", kind: .radians) { update in
      update.horizontalAngle.map { .numbers([$0.low, $0.high]) } ?? .none
    },
    Self(name: "direction", kind: .unitVector) { vector($0.direction) },
    Self(name: "verticalDirectionEstimate", kind: .word) { word($0.verticalDirectionEstimate) },
    Self(name: "worldTransform", kind: .metres) { vector($0.worldPosition) },
    Self(name: "quality", kind: .word) { word($0.quality) },
    Self(name: "convergence", kind: .word) { .word(statusText($0)) },
    Self(name: "guidance", kind: .word) { word($0.guidance) },
  ]

  /// Status and reasons, in words.
  static func statusText(_ update: UpdateRecord) -> String {
    update.reasons.isEmpty ? update.status : "\(update.status) (\(update.reasons.joined(separator: ", ")))"
  }

  /// Largest difference that counts as none.
  func limit(_ tolerance: RunDifference.Tolerance) -> (Kind, Double) {
    (kind, kind == .metres ? tolerance.distance : tolerance.angle)
  }

  /// The difference of two contents; nil up to the limit.
  static func difference(_ a: Content, _ b: Content, _ limit: (kind: Kind, amount: Double)) -> Difference? {
    if a == b { return nil }
    switch (a, b) {
    case (.numbers(let x), .numbers(let y)) where x.count == y.count:
      let amount: Double
      switch limit.kind {
      case .radians: amount = zip(x, y).map { abs(Angle.wrapped($0 - $1)) }.max() ?? 0
      case .unitVector: amount = 2 * asin(min(1, norm(x, y) / 2))
      case .metres, .word: amount = norm(x, y)
      }
      return amount > limit.amount ? .amount(amount) : nil
    case (.none, _), (_, .none): return .oneSided
    default: return .word
    }
  }

  private static func norm(_ x: [Double], _ y: [Double]) -> Double {
    zip(x, y).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }

  private static func number(_ value: Double?) -> Content { value.map { .numbers([$0]) } ?? .none }
  private static func word(_ value: String?) -> Content { value.map { .word($0) } ?? .none }
  private static func vector(_ value: Vector3?) -> Content { value.map { .numbers([$0.x, $0.y, $0.z]) } ?? .none }
}
