import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import SensorData

/// The output folder of a run, read back for evaluation, reports and comparison.
package struct RunFolder: Sendable {
  /// What is kept in memory: some hundred bytes an update and a pose. `forEachUpdate` and `PoseReader` read all, one at a time.
  package enum Kept: Equatable, Sendable {
    case all
    /// No updates.
    case poses
    /// No updates and no poses.
    case none
    /// At most so many updates, and as many poses: `Thinning`, updates by peer.
    case thinned(Int)
  }

  /// A pose of the trajectory.
  package struct PoseRow: Equatable, Sendable {
    /// When.
    package var timestamp: Timestamp
    /// The body in the estimate's world.
    package var worldFromBody: Pose
  }

  /// Its path, as given by the user.
  package let path: String
  /// The updates, in the file's order; how many of them was asked for.
  package let updates: [UpdateRecord]
  /// Whether updates are missing, because there were more than was asked for.
  package let isThinned: Bool
  /// The trajectory, in the file's order; empty where there is none; how much of it was asked for.
  package let poses: [PoseRow]
  /// `result.json`; nil where there is none.
  package let result: JSONValue?
  /// Path of the run's recording; nil where the run has none.
  package let recordingPath: String?
  /// Warnings, one line each.
  package let warnings: [String]

  /// Whether a folder is the output of a run rather than a recording.
  package static func isRun(_ path: String) -> Bool {
    RegularFile.exists("\(path)/\(RunFileNames.updates)") && !RegularFile.exists("\(path)/mav0")
  }

  /// Whether the path is neither: a file, or a folder without `mav0`.
  package static func isNeitherRunNorRecording(_ path: String) -> Bool {
    RegularFile.exists(path) && !isRun(path) && !RegularFile.isFolder("\(path)/mav0")
  }

  /// Reads a folder. Only `updates.jsonl` is required.
  ///
  /// - Parameter isVerified: false: files that are not those of one run are read all the same.
  /// - Throws: `DatasetError` with file and line for a line that cannot be read, and for a file that is not the one of
  ///   `result.json`.
  package init(
    path: String, isVerified: Bool = true, keeping kept: Kept = .all
  ) throws(DatasetError) {
    self.path = path
    guard !UnfinishedMark.exists(in: path) else {
      throw DatasetError(
        file: path, found: "a folder that was not written to its end (\(UnfinishedMark.name))",
        expected: "a whole one: make it again")
    }
    let resultPath = "\(path)/\(RunFileNames.result)"
    result = RegularFile.exists(resultPath) ? try JSONValue(contentsOf: resultPath) : nil
    warnings = try isVerified ? RunManifest.check(result, in: path) : []
    (updates, isThinned) = try Self.readUpdates(path, kept)
    poses = try Self.readPoses(path, kept)
    let timingPath = "\(path)/\(RunFileNames.timing)"
    recordingPath = RegularFile.exists(timingPath) ? try JSONValue(contentsOf: timingPath)["recording"]?.text : nil
  }

  /// Calls `body` with every update of the file.
  ///
  /// - Throws: `DatasetError` with file and line for a line that is no update.
  package func forEachUpdate(_ body: (UpdateRecord) -> Void) throws(DatasetError) {
    let reader = try UpdateReader(folder: path)
    while let update = try reader.next() { body(update) }
  }

  private static func readUpdates(
    _ folder: String, _ kept: Kept
  ) throws(DatasetError) -> (updates: [UpdateRecord], isThinned: Bool) {
    let reader = try UpdateReader(folder: folder)
    guard kept.most > 0, kept != .poses else { return ([], false) }
    var updates = Thinning<String?, UpdateRecord>(most: kept.most)
    while let update = try reader.next() { updates.append(update, of: update.peer) }
    return (updates.elements, updates.isThinned)
  }

  private static func readPoses(_ folder: String, _ kept: Kept) throws(DatasetError) -> [PoseRow] {
    guard kept.most > 0 else { return [] }
    let reader = try PoseReader(folder: folder)
    var poses = Thinning<Bool, PoseRow>(most: kept.most)
    while let row = try reader.next() {
      poses.append(PoseRow(timestamp: row.timestamp, worldFromBody: row.worldFromBody), of: true)
    }
    return poses.elements
  }

  /// Whether the run was initialised from the ground truth, in its world. External odometry keeps its own world.
  package var sharesWorldWithTruth: Bool {
    let configuration = result?["configuration"]
    return configuration?["initialize"]?.text == "groundtruth" && configuration?["trajectory"]?.text == "imuAndCamera"
  }
}

extension RunFolder.Kept {
  /// Most elements of a kind.
  fileprivate var most: Int {
    switch self {
    case .all, .poses: .max
    case .none: 0
    case .thinned(let most): most
    }
  }
}

/// Sizes and hashes of the files of a run, in its `result.json`: what does not match it is of another run.
struct RunManifest {
  private let files: [(name: String, fingerprint: AtomicFile.Fingerprint)]
  private static let key = "files"

  /// The manifest of finished files.
  init(_ files: [AtomicFile]) {
    self.files = files.compactMap { file in file.fingerprint.map { (file.name, $0) } }
  }

  /// A result with the manifest as its last member.
  func added(to result: JSONValue) -> JSONValue {
    guard case .object(let members) = result else { return result }
    let entries = files.map { file in
      JSONValue.Member(
        key: file.name,
        value: ["bytes": .integer(file.fingerprint.size), "sha256": .string(file.fingerprint.sha256)])
    }
    return .object(members + [.init(key: Self.key, value: .object(entries))])
  }

  /// Checks the files of a folder against the result's manifest.
  ///
  /// - Returns: warnings, where there is nothing to check against.
  /// - Throws: `DatasetError` for the first file that differs.
  static func check(_ result: JSONValue?, in folder: String) throws(DatasetError) -> [String] {
    guard let result else {
      throw DatasetError(
        file: "\(folder)/\(RunFileNames.result)", found: "no such file",
        expected: "the result of a run that came to its end, or --unverified to read what there is")
    }
    guard case .object(let entries)? = result[key] else {
      return [
        "\(folder)/\(RunFileNames.result): no '\(key)', as earlier versions wrote it: whether its files belong "
          + "together is unknown"
      ]
    }
    for name in RunFileNames.data {
      let path = "\(folder)/\(name)"
      let entry = entries.first { $0.key == name }?.value
      if entry == nil, !RegularFile.exists(path) { continue }
      let size = RegularFile.size(path)
      if let size, let entry, entry["bytes"]?.double == Double(size),
        try InputDigest.sha256(of: path) == entry["sha256"]?.text
      {
        continue
      }
      throw DatasetError(
        file: path, found: size == nil ? "no such file" : "the file of another run than \(RunFileNames.result)",
        expected: "files that belong together: run it again, or read them with --unverified")
    }
    return []
  }
}

/// A sequence of unknown length in bounded memory: every 2^k-th element of each kind, with its first and its last.
///
/// k grows whenever more than `most` elements are kept, so that between half of `most` and `most` stay, besides the last ones. Amortised
/// O(1) for an element.
package struct Thinning<Kind: Hashable, Element> {
  private let most: Int
  private var stride = 1
  /// Elements with their place in the sequence and their kind.
  private var kept: [(place: Int, kind: Kind, element: Element)] = []
  /// How many elements there were of each kind, and the last where it is not kept.
  private var counts: [Kind: Int] = [:]
  private var lasts: [Kind: (place: Int, kind: Kind, element: Element)] = [:]
  private var place = 0

  /// An empty sequence of which at most so many are kept, at least one, and the last of each kind.
  package init(most: Int) { self.most = max(1, most) }

  /// Whether elements are missing.
  package var isThinned: Bool { stride > 1 }

  /// What is kept, in the sequence's order.
  package var elements: [Element] {
    lasts.isEmpty ? kept.map(\.element) : (kept + lasts.values).sorted { $0.place < $1.place }.map(\.element)
  }

  /// Appends an element.
  package mutating func append(_ element: Element, of kind: Kind) {
    let ordinal = counts[kind, default: 0]
    counts[kind] = ordinal + 1
    if ordinal.isMultiple(of: stride) {
      kept.append((place, kind, element))
      lasts[kind] = nil
    } else {
      lasts[kind] = (place, kind, element)
    }
    place += 1
    // One of each kind cannot be thinned.
    if kept.count > max(most, counts.count) { halve() }
  }

  private mutating func halve() {
    stride *= 2
    var seen: [Kind: Int] = [:]
    var removed: [Kind: (place: Int, kind: Kind, element: Element)] = [:]
    kept.removeAll { item in
      let ordinal = seen[item.kind, default: 0]
      seen[item.kind] = ordinal + 1
      let stays = ordinal.isMultiple(of: 2)
      removed[item.kind] = stays ? nil : item
      return !stays
    }
    for (kind, item) in removed where lasts[kind] == nil { lasts[kind] = item }
  }
}

extension Judge {
  /// Records a whole run from its folder.
  ///
  /// - Throws: `DatasetError`.
  package mutating func record(_ run: RunFolder) throws(DatasetError) {
    let poses = try PoseReader(folder: run.path)
    while let pose = try poses.next() {
      if pose.beginsWorld { beginWorld(at: pose.timestamp) }
      record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
    let reader = try UpdateReader(folder: run.path)
    while let line = try reader.next() {
      if let peer = line.peer, let update = JudgedUpdate(line) { record(update, peer: peer) }
    }
  }
}

extension JudgedUpdate {
  /// The published values of one line; nil for a line of the session.
  package init?(_ record: UpdateRecord) {
    guard record.peer != nil else { return nil }
    self.init(
      timestamp: record.timestamp, distance: record.distance,
      distanceStandardDeviation: record.distanceStandardDeviation, horizontalAngle: record.horizontalAngle?.value,
      horizontalAngleInterval: record.horizontalAngle.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil },
      verticalDirectionEstimate: record.verticalDirectionEstimate ?? "unknown", worldPosition: record.worldPosition,
      positionCovariance: record.positionCovariance, status: record.status, reasons: record.reasons,
      rangeUse: record.details["rangeUse"]?.text)
  }
}
