import Datasets
import Dispatch
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
    let queue = TrialQueue(trials, progress: TrialProgress(total: trials.count, isQuiet: isQuiet)) { pending.look($0) }
    pending.look(queue.run(jobs: jobs))
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

/// Runs trials concurrently, each on one thread; results keep the order of the trials.
///
/// Ctrl-C ends it early: running trials are finished, the others are left out. A second Ctrl-C kills as usual.
final class TrialQueue: @unchecked Sendable {
  // Mutable state is guarded by `lock`.
  private let lock = NSLock()
  private let trials: [Trial]
  private var next = 0
  private var interrupted = false
  private var results: [Result<TrialResult, any Error>?]
  private var progress: TrialProgress
  private let finished: @Sendable ([Result<TrialResult, any Error>?]) -> Void

  /// - Parameter finished: called after every trial, one call at a time, with the results so far.
  init(
    _ trials: [Trial], progress: TrialProgress,
    finished: @escaping @Sendable ([Result<TrialResult, any Error>?]) -> Void
  ) {
    self.trials = trials
    self.progress = progress
    self.finished = finished
    results = Array(repeating: nil, count: trials.count)
  }

  /// Runs them all, `jobs` at a time; nil for a trial that an interrupt left out.
  func run(jobs: Int) -> [Result<TrialResult, any Error>?] {
    EndingSignals.onInterruption { [self] in lock.withLock { interrupted = true } }
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, trials.count)) {
      let thread = Thread { [self] in
        while let index = nextIndex() { finish(index, Result { try trials[index].result() }) }
        group.leave()
      }
      // Reading and filtering run on this stack; the default of a second thread is small.
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    group.wait()
    EndingSignals.onInterruption(nil)
    progress.erase()
    return lock.withLock { results }
  }

  private func nextIndex() -> Int? {
    lock.withLock {
      guard next < trials.count, !interrupted else { return nil }
      next += 1
      return next - 1
    }
  }

  private func finish(_ index: Int, _ result: Result<TrialResult, any Error>) {
    lock.withLock {
      results[index] = result
      progress.show(done: results.count { $0 != nil })
      finished(results)
    }
  }
}
