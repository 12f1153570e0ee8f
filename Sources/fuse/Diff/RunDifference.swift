import Datasets
import Evaluation
import Foundation
import Geometry
import SensorData

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
