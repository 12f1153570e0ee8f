import Datasets
import Dispatch
import Evaluation
import Foundation
import JSONText
import RunResults
import Wording

/// `fuse eval --list`: a row of JSON a recording, in the list's order, in one file.
///
/// The file is replaced by a whole one again and again (`OutputFile`), so that a kill at any time leaves whole rows. With
/// `resumes` the rows whose key is the same are taken over as they are.
struct ListEvaluation {
  /// The list as read.
  var list: RecordingList
  /// The file of the rows.
  var out: String
  /// Files that must not be replaced, besides the list and its recordings.
  var inputs: [String]
  /// Whether to take over rows of an earlier call.
  var resumes: Bool
  /// Everything that affects a row but its recording.
  var settings: EvalSettings
  /// Concurrent trials.
  var jobs: Int
  /// No progress and no closing words.
  var isQuiet: Bool
  /// The trials of a recording.
  var trials: (String) throws -> [Trial]

  /// Evaluates what is missing.
  ///
  /// - Throws: `OutputError` where the file cannot be written, `CommandError` after an interrupt.
  func run() throws {
    // Before the work: what must not be replaced is said at once.
    _ = try OutputFile(path: out, inputs: [list.path] + inputs + list.recordings)
    let earlier = resumes ? try RowFile.rows(in: out, warn: isQuiet ? { _ in } : StandardError.warn) : [:]
    let file = RowFile(path: out, list: list.recordings)
    var subjects: [EvalSubject] = [], keys: [String] = []
    var (taken, failed) = (0, 0)
    for recording in list.recordings {
      do {
        let key = try settings.key(of: recording)
        if let row = earlier[recording], row.key == key {
          file.set(row.bytes, of: recording)
          taken += 1
          failed += row.isFailed ? 1 : 0
          continue
        }
        subjects.append(EvalSubject(name: recording, trials: try trials(recording)))
        keys.append(key)
      } catch {
        // What cannot be opened has no bytes to tell it by; it is looked at again by every call.
        let outcome = EvalOutcome(name: recording, trials: [], asked: 0, failures: ["\(error)"])
        file.set(EvalDocument.row(outcome, key: settings.key(ofFailure: "\(error)", in: recording)), of: recording)
        failed += 1
      }
    }
    try file.writeWhenDue()
    let trials = subjects.flatMap(\.trials)
    let pending = PendingSubjects(subjects) { index, outcome in
      file.set(EvalDocument.row(outcome, key: keys[index]), of: outcome.name)
      // An error is left to the last write, which repeats it.
      try? file.writeWhenDue()
      failed += outcome.failures.isEmpty ? 0 : 1
    }
    pending.look(trials.results(jobs: jobs, isQuiet: isQuiet) { pending.look($0) })
    try file.write()
    let left = subjects.count - pending.reported
    if left > 0 {
      throw CommandError(
        "\(out): interrupted, \(left) of \(list.recordings.count) recordings left out; --resume goes on")
    }
    if !isQuiet {
      StandardError.line(
        "\(out): \(list.recordings.count) rows, \(taken) taken over, \(subjects.count) evaluated, \(failed) with an error"
      )
    }
  }
}

/// A list of recordings: a path a line, as on the command line; empty lines and those that begin with `#` are skipped.
struct RecordingList {
  /// The list's path.
  let path: String
  /// Recordings, and output folders of runs, without trailing slashes; none twice.
  let recordings: [String]

  /// Reads a list.
  ///
  /// - Throws: `DatasetError` and `CommandError` with the line.
  init(contentsOf path: String) throws {
    self.path = path
    var lines: [String: Int] = [:], recordings: [String] = []
    let text = try RegularFile.text(path)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      var name = line.trimmingCharacters(in: .whitespaces)
      if name.isEmpty || name.hasPrefix("#") { continue }
      while name.count > 1, name.hasSuffix("/") { name.removeLast() }
      if let first = lines.updateValue(number + 1, forKey: name) {
        throw CommandError(
          "\(path):\(number + 1): found \(name) again, as in line \(first), expected each recording once")
      }
      recordings.append(name)
    }
    guard !recordings.isEmpty else { throw CommandError("\(path): found no recording, expected a path a line") }
    self.recordings = recordings
  }
}

/// Gives each subject's outcome once, as soon as all its trials are done. Used by one thread at a time.
private final class PendingSubjects: @unchecked Sendable {
  private let subjects: [EvalSubject]
  private let first: [Int]
  private var waiting: [Int]
  private let done: (Int, EvalOutcome) -> Void

  /// How many were given.
  var reported: Int { subjects.count - waiting.count }

  init(_ subjects: [EvalSubject], done: @escaping (Int, EvalOutcome) -> Void) {
    self.subjects = subjects
    self.done = done
    var sum = 0
    first = subjects.map { subject in
      defer { sum += subject.trials.count }
      return sum
    }
    waiting = Array(subjects.indices)
  }

  func look(_ results: [Result<TrialResult, any Error>?]) {
    waiting.removeAll { index in
      let own = results[first[index]..<(first[index] + subjects[index].trials.count)]
      guard own.allSatisfy({ $0 != nil }) else { return false }
      done(index, EvalOutcome(subjects[index], own))
      return true
    }
  }
}

/// The rows of a list, and their file.
private final class RowFile {
  /// A row as it stands in a file.
  struct Row {
    var bytes: [UInt8]
    var key: String
    var isFailed: Bool
  }

  private let path: String
  private let list: [String]
  private var rows: [String: [UInt8]] = [:]
  private var isDue = true
  /// A device or a pipe cannot be replaced: it is written once.
  private let isStream: Bool
  private var written = DispatchTime.now().uptimeNanoseconds
  private var cost: UInt64 = 0
  /// A file that grows is written again at most this share of the time.
  private static let share: UInt64 = 20

  init(path: String, list: [String]) {
    self.path = path
    self.list = list
    isStream = RegularFile.exists(path) && RegularFile.size(path) == nil
  }

  func set(_ row: [UInt8], of recording: String) {
    rows[recording] = row
    isDue = true
  }

  /// Writes unless a file of this size was written just now.
  func writeWhenDue() throws {
    if !isStream, DispatchTime.now().uptimeNanoseconds - written >= Self.share * cost { try write() }
  }

  /// Replaces the file by one of the rows that there are.
  func write() throws {
    guard isDue else { return }
    let began = DispatchTime.now().uptimeNanoseconds
    let file = try OutputFile(path: path, inputs: [])
    for recording in list {
      guard let row = rows[recording] else { continue }
      try file.write(row)
      try file.write([UInt8(ascii: "\n")])
    }
    try file.commit()
    isDue = false
    written = DispatchTime.now().uptimeNanoseconds
    cost = written - began
  }

  /// The rows of a file by recording; none where there is no file. A line that is no row is said, and made again.
  static func rows(in path: String, warn: (String) -> Void) throws -> [String: Row] {
    guard RegularFile.exists(path) else { return [:] }
    var rows: [String: Row] = [:]
    let bytes = try RegularFile.bytes(path, limit: 1 << 30)
    for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let row = JSONValue(parsing: Array(line)), let key = row["key"]?.text, let name = row["name"]?.text else {
        warn(
          "\(path):\(number + 1): found no row of 'fuse eval --list', expected a line of JSON with its key; made again")
        continue
      }
      rows[name] = Row(bytes: Array(line), key: key, isFailed: row["error"]?.text != nil)
    }
    return rows
  }
}

extension [Trial] {
  /// Runs them, `jobs` at a time; nil for a trial that was left out.
  ///
  /// Ctrl-C ends it early: running trials are finished, the others are left out. A second Ctrl-C kills as usual.
  ///
  /// - Parameter finished: called after every trial, one call at a time, with the results so far.
  func results(
    jobs: Int, isQuiet: Bool, finished: @escaping @Sendable (TaskQueue<TrialResult>.Results) -> Void
  ) -> TaskQueue<TrialResult>.Results {
    let progress = TrialProgress(total: count, isQuiet: isQuiet)
    let queue = TaskQueue(count) {
      try self[$0].result()
    } finished: { results in
      progress.show(done: results.count { $0 != nil })
      finished(results)
    }
    EndingSignals.onInterruption { queue.stop() }
    defer {
      EndingSignals.onInterruption(nil)
      progress.erase()
    }
    return queue.run(jobs: jobs)
  }
}
