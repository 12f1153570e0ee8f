import Datasets
import Foundation
import JSONText
import RunResults

/// Everything that affects a row of `fuse eval --list` but its recording: version, options, settings of the finder.
struct EvalSettings {
  private let text: JSONValue
  private let reading: ReadingOptions

  /// - Parameters:
  ///   - options: of the runs.
  ///   - others: options of the evaluation by name.
  ///   - files: files that these name; their content counts.
  /// - Throws: `DatasetError` for a file that cannot be read.
  init(_ options: RunOptions, others: [String: String?], files: [String]) throws {
    reading = options.reading
    text = [
      "version": .string(FuseVersion.current), "build": .string(try Self.build.get()),
      "from": .number(options.from), "to": .number(options.to), "odometry": .bool(options.forcesOdometry),
      "initialize": .string(options.initialization.rawValue), "noRanges": .bool(options.leavesOutRanges),
      "offline": .bool(options.isOffline), "configuration": ConfigurationFile.effective(options.finder),
      "others": .sorted(others.mapValues { .string($0) }),
      "files": .array(try files.map { .string(try InputDigest.sha256(of: $0)) }),
    ]
  }

  /// The hash of the executable: two builds of one version are two finders.
  static let build = Result<String, any Error> {
    guard let path = Bundle.main.executablePath else {
      throw CommandError("found no path of this program, expected one: its hash is part of every row's key")
    }
    return try InputDigest.sha256(of: path)
  }

  /// The key of a recording, or of an output folder: 64 hexadecimal digits.
  ///
  /// - Throws: `DatasetError` for what cannot be opened.
  func key(of path: String) throws -> String {
    guard !RunFolder.isRun(path) else {
      // Its result names the hashes of its own files and of the ground truth.
      return key(try files(of: path).map { ($0, try InputDigest.sha256(of: path + "/" + $0)) })
    }
    let digest = try InputDigest(try Recording.open(URL(fileURLWithPath: path), options: reading))
    return key((digest.inputs + digest.groundTruth).map { ($0.path, $0.sha256) })
  }

  /// The key of a recording that cannot be opened: by its path and what is wrong.
  func key(ofFailure words: String, in path: String) -> String { key([(path, words)]) }

  private func key(_ files: [(path: String, hash: String)]) -> String {
    var json = JSONWriter()
    json.value(["settings": text, "recording": .array(files.map { .array([.string($0.path), .string($0.hash)]) })])
    return InputDigest.sha256(of: json.bytes)
  }

  private func files(of run: String) -> [String] {
    (OutputFolder.dataNames + [OutputFolder.resultName]).filter { RegularFile.exists(run + "/" + $0) }
  }
}
