import Datasets
import Evaluation
import Foundation
import Geometry
import Report
import RunResults

/// Reads runs for a page, each with its recording where that is there.
struct ReportReading {
  /// The recording named by the user.
  var truth: String?
  /// Whether output folders are read even if their files are not those of one run.
  var isUnverified = false
  /// Whether a run whose recording has changed is read without it, or is an error.
  var ignoresOtherRecordings = false

  /// Updates in memory: eight times what a page draws, and as many poses.
  private static let mostUpdates = 40_000

  /// The runs of output folders, and of recordings, which are run first; with the names that the page gives them.
  ///
  /// - Throws: `DatasetError` and `CommandError`.
  func inputs(_ folders: [String], names: [String]) throws -> [ReportInput] {
    let most = max(1, Self.mostUpdates / folders.count)
    return try zip(folders, names).map { folder, name in
      RunFolder.isRun(folder)
        ? try input(
          of: RunFolder.named(folder, isUnverified: isUnverified, keeping: .thinned(most)), name, of: folders.count)
        : try inputOfRecording(folder, name, most, of: folders.count)
    }
  }

  /// Runs the recording into a temporary folder.
  private func inputOfRecording(_ folder: String, _ name: String, _ most: Int, of runs: Int) throws -> ReportInput {
    let scratch = try TemporaryFolder("report")
    try RunExecution(folder: folder, output: "\(scratch.path)/run", options: RunOptions(), format: .text, isQuiet: true)
      .run()
    return try withExtendedLifetime(scratch) {
      try input(of: RunFolder(path: "\(scratch.path)/run", keeping: .thinned(most)), name, madeFrom: folder, of: runs)
    }
  }

  private func input(of run: RunFolder, _ name: String, madeFrom recording: String? = nil, of runs: Int) throws
    -> ReportInput
  {
    let origin = try origin(of: run, named: truth ?? recording)
    let bodyFromDevice = origin?.recording.rig.bodyFromDevice
    let (truth, peers) = (TruthTrajectory(origin?.truth.states ?? []), TruthPeers(origin?.truth.peers ?? []))
    var judge = Judge(
      truth: truth, peers: peers, bodyFromDevice: bodyFromDevice ?? .identity, sharesWorld: run.sharesWorldWithTruth)
    try judge.record(run)
    let seen = origin.flatMap { replay(run, $0, of: runs) }
    return ReportInput(
      run: run, name: name, version: Fuse.configuration.version, bodyFromDevice: bodyFromDevice, truth: truth,
      truePeers: peers, errors: judge.errors(), posterior: seen?.posterior ?? [:], camera: seen?.camera)
  }

  private func origin(of run: RunFolder, named: String?) throws -> RunOrigin? {
    do { return try RunOrigin(of: run, named: named) } catch  where ignoresOtherRecordings { return nil }
  }

  /// What the run knew before it was sure and what its camera saw, from a replay; nil where it cannot be replayed as it
  /// was.
  private func replay(_ run: RunFolder, _ origin: RunOrigin, of runs: Int) -> RunReplay.Seen? {
    guard let replay = try? RunReplay(of: run, named: origin.path) else { return nil }
    return try? replay.seen(
      at: CameraMoments.chosen(run, count: CameraMoments.count(runs: runs)),
      pictureLimit: CameraMoments.pictureLimit(runs: runs))
  }

  /// The names of folders on a page: their own, without the ending that `fuse run` gives them; folders of the same name
  /// with as much of their path as tells them apart.
  static func names(of folders: [String]) -> [String] {
    let parts = folders.map { folder in
      let name = RawArguments.name(of: folder)
      let own = name == "/" ? "root" : name.hasSuffix("-fuse") && name.count > 5 ? String(name.dropLast(5)) : name
      let path = URL(fileURLWithPath: folder).standardizedFileURL.deletingLastPathComponent().pathComponents
      return path.filter { $0 != "/" } + [own]
    }
    return parts.map { own in
      let length = (1...own.count).first { length in
        parts.filter { $0.suffix(length) == own.suffix(length) }.count == 1
      }
      // The same folder twice keeps its name.
      return own.suffix(length ?? 1).joined(separator: "/")
    }
  }
}
