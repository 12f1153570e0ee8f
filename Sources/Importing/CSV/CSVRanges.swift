import Datasets
import Foundation
import Geometry
import SensorData

/// The ranges of a map for CSV files: one file with a column of ids, or a file an anchor.
struct CSVRanges {
  /// What `peer` says where a file's name has the id.
  private static let fromName = "from the name"

  private let section: ImportMap.Section
  private let root: String

  init(_ section: ImportMap.Section, root: String) { (self.section, self.root) = (section, root) }

  /// What a row is read by.
  private struct Columns {
    let scale: Double, turn: Double
    let invalid: [Double]
    let columns: [SourceTable.Column]

    init(_ section: ImportMap.Section, hasPeer: Bool) throws(DatasetError) {
      let units = ["m": 1, "cm": 0.01, "mm": 0.001]
      scale = units[try section.word("range_unit", ["m", "cm", "mm"])]!
      turn = try section.word("angle_unit", ["rad", "deg"]) == "deg" ? Double.pi / 180 : 1
      invalid = try section.file.numbers("invalid", "readings that mean no range") ?? []
      var columns: [SourceTable.Column] = [
        .init(try section.text("time", "the column of the time")),
        .init(try section.text("range", "the column of the range")),
        .init(
          names: hasPeer ? [try section.text("peer", "the column of the peer's id, or peer_id: a name")] : [],
          needed: hasPeer),
      ]
      for key in ["range_std", "azimuth", "elevation", "antenna", "rssi"] {
        let name = try section.file.text(key)
        columns.append(.init(names: name.map { [$0] } ?? [], needed: name != nil))
      }
      self.columns = columns
    }

    func angle(_ t: SourceTable, _ column: Int, _ bounds: ClosedRange<Double>) throws(SourceFault) -> Double? {
      guard let value = try t.numberIfAny(column) else { return nil }
      guard bounds.contains(value * turn) else {
        throw SourceFault(
          found: "an angle of \(value)",
          expected: turn == 1 ? "radians: is it in degrees? 'angle_unit: deg' in the map" : "an angle in degrees")
      }
      return value * turn
    }
  }

  /// One file, a row ahead.
  private final class Source {
    let table: SourceTable
    private let form: TimeForm
    private let peer: String?
    private let columns: Columns
    private(set) var failures = 0
    private(set) var head: RangeMeasurement?

    init(_ path: String, _ columns: Columns, peer: String?, form: TimeForm) throws(DatasetError) {
      (self.columns, self.peer, self.form) = (columns, peer, form)
      table = try SourceTable(path: path, columns: columns.columns, isRadio: true)
      try advance()
    }

    func advance() throws(DatasetError) {
      head = try table.next { (t: SourceTable) throws(SourceFault) -> RangeMeasurement? in
        guard let raw = try t.numberIfAny(1), !columns.invalid.contains(raw), raw > 0 else {
          failures += 1
          return nil
        }
        let id = try t.text(2)
        guard let peer = peer ?? id else { throw SourceFault(found: "no peer", expected: "an id") }
        let scale = columns.scale
        return RangeMeasurement(
          timestamp: Timestamp(nanoseconds: try t.time(0, form)), peer: peer, range: raw * scale,
          standardDeviation: try t.numberIfAny(3).map { $0 * scale },
          azimuth: try columns.angle(t, 4, SensorBounds.azimuth),
          elevation: try columns.angle(t, 5, SensorBounds.elevation), antenna: try t.text(6), rssi: try t.numberIfAny(7)
        )
      }
    }
  }

  func read(into target: inout ImportTarget) throws {
    try section.check([
      "file", "files", "time", "time_unit", "peer", "peer_id", "range", "range_unit", "invalid", "range_std", "azimuth",
      "elevation", "angle_unit", "antenna", "rssi", "antennas", "T_BS", "range_noise_std",
    ])
    let fixed = try section.file.text("peer_id")
    let isFromName = try section.file.text("peer") == Self.fromName
    let files = try files(isFromName: isFromName)
    let columns = try Columns(section, hasPeer: fixed == nil && !isFromName)
    var sources: [Source] = []
    for file in files {
      let form = try timeForm(file.path, &target.report)
      sources.append(try Source(file.path, columns, peer: fixed ?? (isFromName ? file.peer : nil), form: form))
    }
    if isFromName {
      target.report.decide(
        "\(files.count) files of ranges, the peers by their names: \(files.map(\.peer).prefix(20).joined(separator: ", "))"
      )
    }
    // Files of several anchors are brought into one order of time.
    while let next = sources.filter({ $0.head != nil }).min(by: { $0.head!.timestamp < $1.head!.timestamp }) {
      try target.add(next.head!, next.table.refuse)
      try next.advance()
    }
    target.report.count("uwb0 failed ranges", sources.reduce(0) { $0 + $1.failures })
    target.report.count("uwb0 bad rows skipped", sources.reduce(0) { $0 + $1.table.bad })
    target.rig.radio = try radio()
  }

  private func timeForm(_ path: String, _ report: inout ImportReport) throws(DatasetError) -> TimeForm {
    try CSVImport.timeForm(section, path, .ranges, &report)
  }

  private func radio() throws(DatasetError) -> RadioCalibration {
    var antennas: [String: Vector3] = ["": try section.file.pose("T_BS")?.translation ?? .zero]
    if let named = try section.file.section("antennas") {
      antennas = [:]
      for id in named.keys {
        let p = try named.numbers(id, "[x, y, z] in metres") ?? []
        guard p.count == 3 else {
          throw named.fault(id, found: "antenna '\(id)' of \(p.count) numbers", expected: "[x, y, z] in metres")
        }
        antennas[id] = Vector3(p[0], p[1], p[2])
      }
    }
    return RadioCalibration(
      antennas: antennas, rangeNoise: try section.file.number("range_noise_std", "metres above 0", in: 1e-6...1e4))
  }

  // MARK: - Files

  /// The files, in order of their names, with what their names say of the peer.
  private func files(isFromName: Bool) throws(DatasetError) -> [(path: String, peer: String)] {
    let isList = section.file.isList("files")
    let listed = isList ? try section.file.texts("files") ?? [] : []
    let key = section.file.keys.contains("files") ? "files" : "file"
    let stated = isList ? nil : try section.file.text(key)
    guard let pattern = stated, pattern.contains("*") || pattern.contains("{peer}")
    else {
      let names =
        listed.isEmpty ? [try section.text(key, "a file beside the source, or files: anchor_*.csv")] : listed
      return names.map { name in
        let stem = name.split(separator: "/").last.map(String.init) ?? name
        return (
          name.hasPrefix("/") ? name : "\(root)/\(name)", stem.contains(".") ? String(stem.prefix { $0 != "." }) : stem
        )
      }
    }
    let found = matches(pattern)
    guard !found.isEmpty else {
      let there = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted().prefix(12)
      throw section.file.fault(
        key, found: "no file \(pattern)",
        expected: "a pattern of names in \(root), which has: \(there.joined(separator: ", "))")
    }
    guard isFromName || section.file.keys.contains("peer") || section.file.keys.contains("peer_id") else {
      throw section.file.fault(
        "files", found: "files: \(pattern) without peer", expected: "peer: \(Self.fromName), or the column of the ids")
    }
    return found
  }

  /// Files below the root whose names fit; the part that the first `*`, or `{peer}`, stands for names the peer.
  private func matches(_ pattern: String) -> [(path: String, peer: String)] {
    var open: [(path: String, peer: String?)] = [(pattern.hasPrefix("/") ? "" : root, nil)]
    for part in pattern.split(separator: "/").map(String.init) {
      var next: [(String, String?)] = []
      for (folder, peer) in open {
        guard part.contains("*") || part.contains("{peer}") else {
          next.append(("\(folder)/\(part)", peer))
          continue
        }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "/" : folder)) ?? [])
          .sorted()
        for name in names {
          if let found = Self.wildcard(part, name) { next.append(("\(folder)/\(name)", peer ?? found)) }
        }
      }
      open = next
    }
    let files = open.filter { RegularFile.size($0.path) != nil }
    // Numbers in their own order: 2 before 10.
    return files.map { ($0.path, $0.peer ?? "") }.sorted {
      if let a = Int($0.1), let b = Int($1.1), a != b { return a < b }
      return $0.0 < $1.0
    }
  }

  /// What `{peer}`, or else the first `*`, of a pattern stands for in a name; nil where the name does not fit.
  private static func wildcard(_ pattern: String, _ name: String) -> String? {
    let peer = "{peer}", isNamed = pattern.contains(peer)
    /// The part that names the peer, empty while none does.
    func fit(_ pattern: Substring, _ rest: Substring, hasPeer: Bool) -> Substring? {
      guard let mark = pattern.first else { return rest.isEmpty ? rest : nil }
      let isPeer = pattern.hasPrefix(peer) || mark == "*" && !isNamed && !hasPeer
      guard isPeer || mark == "*" else {
        return rest.first == mark ? fit(pattern.dropFirst(), rest.dropFirst(), hasPeer: hasPeer) : nil
      }
      let behind = pattern.dropFirst(pattern.hasPrefix(peer) ? peer.count : 1)
      // The shortest part behind which the rest of the pattern fits.
      for count in (isPeer ? 1 : 0)...max(isPeer ? 1 : 0, rest.count) where count <= rest.count {
        if let found = fit(behind, rest.dropFirst(count), hasPeer: hasPeer || isPeer) {
          return isPeer ? rest.prefix(count) : found
        }
      }
      return nil
    }
    return fit(Substring(pattern), Substring(name), hasPeer: false).map(String.init)
  }
}
