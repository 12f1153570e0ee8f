import Foundation

/// The log of a data folder without a service: what is whole, and its sessions as recordings. Of any version; changes
/// nothing in the data folder, and wants no service at work there.
package struct LogExport {
  /// What was found or done.
  package struct Report: Sendable {
    /// A line each, for people; the last one sums up.
    package var lines: [String] = []
    /// Whether nothing that was acknowledged is lost, and all was done.
    package var isWhole = true
  }

  private let folder: String
  private let index: LogIndex
  private let reading: LogReading

  /// Reads the log of a data folder.
  ///
  /// - Throws: `LogError` where there is no log, a segment cannot be read, or a service has it.
  private init(data: String) throws {
    folder = "\(data)/log"
    (index, reading) = try LogIndex.read(folder)
  }

  private static func locked<T>(_ data: String, _ body: (LogExport) throws -> T) throws -> T {
    let lock = try LogFolder.lock("\(data)/log", LOCK_SH)
    defer { close(lock) }
    return try body(LogExport(data: data))
  }

  /// Says what of a log is whole and what is not: whose, and where.
  ///
  /// - Throws: `LogError` where it cannot be read.
  package static func check(data: String) throws -> Report { try locked(data) { $0.check() } }

  private func check() -> Report {
    var report = Report(lines: index.lines { $0 } + index.orphanLines)
    for session in ordered {
      if let failure = session.failure { report.lines.append("session \(session.identity.id): \(failure)") }
      if !session.after.isEmpty {
        report.lines.append(
          "session \(session.identity.id): \(session.after.count) whole batches are behind that, from "
            + "\(session.after[0].sequence) on: fuse serve --export writes them as recordings of their own")
      }
    }
    let torn = index.damage.filter(\.isTornWrite)
    report.isWhole = torn.count == index.damage.count && ordered.allSatisfy { $0.hole == nil }
    let batches = index.sessions.values.reduce(0) { $0 + $1.places.count + $1.after.count }
    let failed = ordered.count { $0.hole != nil }
    report.lines.append(
      "\(folder): \(index.sessions.count) sessions, \(batches) batches, \(reading.segments.count) segments of fuse "
        + "\(reading.versions.joined(separator: " and ")): "
        + (report.isWhole
          ? "whole" : "\(index.damage.count - torn.count) places damaged, \(failed) sessions stop at one"))
    return report
  }

  private var ordered: [LogIndex.Session] { index.sessions.values.sorted { $0.identity.id < $1.identity.id } }

  /// Writes the sessions of a log as recordings, `<output>/<id>` each, which it creates. What is behind a hole is
  /// `<output>/<id>-from-<batch>`; batches without a beginning are `<output>/session-<number>.jsonl`, lines without
  /// their first one. What is there already is not touched.
  ///
  /// - Throws: `LogError` where the log cannot be read or `output` not be made.
  package static func export(data: String, to output: String) throws -> Report {
    try locked(data) { log in
      do {
        try FileManager.default.createDirectory(
          atPath: output, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch { throw LogError.file(path: output, cause: "cannot be made: \(error.localizedDescription)") }
      return log.export(output)
    }
  }

  private func export(_ output: String) -> Report {
    var report = Report(lines: index.lines { $0 })
    report.isWhole = index.damage.allSatisfy { !$0.losesRecords || $0.isTornWrite } && index.orphans.isEmpty
    var done = 0
    func part(_ name: String, _ what: String, _ write: (String) throws -> Void) {
      let path = "\(output)/\(name)"
      do {
        guard !FileManager.default.fileExists(atPath: path) else {
          throw LogError.file(path: path, cause: "it is there, expected a name that is free")
        }
        try? FileManager.default.removeItem(atPath: path + ".partial")
        try write(path + ".partial")
        guard rename(path + ".partial", path) == 0 else { throw SegmentFile.error(path) }
        report.lines.append("\(path): \(what)")
        done += 1
      } catch {
        try? FileManager.default.removeItem(atPath: path + ".partial")
        report.isWhole = false
        report.lines.append("\(name): not exported: \(error)")
      }
    }
    for session in ordered {
      let id = session.identity.id
      let setup: SessionSetup
      do { setup = try SessionSetup(body: session.identity.body) } catch {
        report.isWhole = false
        report.lines.append("\(id): not exported: \(error)")
        continue
      }
      func folder(_ name: String, _ places: [LogReading.Place], _ what: String) {
        part(name, what) { partial in
          try FileManager.default.createDirectory(
            atPath: partial, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
          try RecordingArchive(
            setup, name: name, folder: partial,
            records: { body in
              try SegmentReader.read(self.folder, places, body)
            }
          ).writeFolder()
        }
      }
      if session.places.isEmpty {
        report.lines.append("\(id): no batches in front of a hole, or none at all")
      } else {
        folder(id, session.places, Self.count(session.places.count, from: 0))
      }
      if let failure = session.failure {
        report.isWhole = false
        report.lines.append("\(id): \(failure)")
      }
      for run in Self.runs(session.after) {
        folder("\(id)-from-\(run.first)", run.places, Self.count(run.places.count, from: run.first))
      }
    }
    for (number, batches) in index.orphans.sorted(by: { $0.key < $1.key }) {
      part("session-\(number).jsonl", "\(batches.count) batches without the session's first line") { partial in
        let file = try PrivateFile(path: partial)
        try SegmentReader.read(folder, batches.map(\.place)) { record in
          try file.append(record.payload.last == 0x0A ? record.payload : record.payload + [0x0A])
          return true
        }
      }
    }
    report.lines.append(
      "\(output): \(done) recordings of \(index.sessions.count) sessions"
        + (report.isWhole ? "" : ", not all of them whole"))
    return report
  }

  private static func count(_ batches: Int, from first: UInt64) -> String {
    batches == 1 ? "batch \(first)" : "batches \(first) to \(first + UInt64(batches) - 1)"
  }

  /// Batches behind a hole, in runs without a gap.
  private static func runs(
    _ batches: [(sequence: UInt64, place: LogReading.Place)]
  ) -> [(first: UInt64, places: [LogReading.Place])] {
    var runs: [(first: UInt64, places: [LogReading.Place])] = []
    for (sequence, place) in batches {
      if let last = runs.last, last.first + UInt64(last.places.count) == sequence {
        runs[runs.count - 1].places.append(place)
      } else {
        runs.append((sequence, [place]))
      }
    }
    return runs
  }
}
