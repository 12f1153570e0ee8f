import ArgumentParser
import Datasets
import Foundation
import Importing

/// `fuse import <kind> <source> -o <folder>`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a dataset folder of another kind of recording.",
    discussion: """
      Says what it decided and why, checks the result (gravity, axes, clocks, units, ranges against truth) and writes \
      all of that into import.json in the folder. Without a kind it is guessed from the source's files.

      EXAMPLES
        fuse import --list
        fuse import starloc starloc/data/loop-2d-fast_s1 -o walk
        fuse import kalibr calibration -o walk          T_BS and lenses beside data that are there
        fuse import calibration ost.yaml -o walk        a lens of OpenCV, ROS, camodocal, VINS or Basalt
        fuse import csv robot -o walk --map map.yaml --device rep103    a robot: x forward, z up
        fuse import csv logs -o walk --map map.yaml     'fuse template map' prints a map to begin with
        fuse import phone-log -o walk                   guessed
        fuse import --check walk                        again, or a folder made otherwise

      EXIT CODES
        0 imported, 1 imported and the check found a fault, 2 nothing imported, 64 wrong usage
      """)

  @Flag(help: "The kinds, one a line.")
  var list = false

  @Flag(help: "Only check a dataset folder that is there, and write what was found into its import.json.")
  var check = false

  @Flag(name: .customLong("no-check"), help: "Do not check the folder that was written.")
  var skipsCheck = false

  @Argument(help: "The kind, which may be left out, and the source.")
  var kindAndSource: [String] = []

  @Option(name: .shortAndLong, help: "The folder that is written.")
  var output: String?

  @Option(help: ArgumentHelp("What columns mean: for csv, and for what another kind cannot know.", valueName: "yaml"))
  var map: String?

  @Option(
    help: ArgumentHelp(
      "Which of the body's axes looks ahead and which up: forward=x,up=z, or \(DeviceAxes.names.map(\.name).joined(separator: ", ")).",
      valueName: "axes"))
  var device: String?

  @Option(
    help: ArgumentHelp(
      "Of a calibration of several cameras the one that the recording's cam0 is.", valueName: "cam1"))
  var camera: String?

  @Flag(help: "Only faults.")
  var quiet = false

  func validate() throws {
    if list { return }
    guard (1...2).contains(kindAndSource.count) else {
      throw ValidationError("Name a source: fuse import [<kind>] <source>.")
    }
    if let device, DeviceAxes(device) == nil {
      throw ValidationError("--device \(device): expected \(DeviceAxes.expected).")
    }
    if check {
      guard kindAndSource.count == 1, output == nil, !skipsCheck, device == nil, camera == nil else {
        throw ValidationError("fuse import --check <folder>")
      }
      return
    }
    guard output?.isEmpty == false else { throw ValidationError("Name the folder that is written: -o <folder>.") }
    if kindAndSource.count == 2, ImportKind(rawValue: kindAndSource[0]) == nil {
      let guess = ImportKind.guess(kindAndSource[1]).map {
        " \(kindAndSource[1]) looks like \($0.kind.rawValue): \($0.reason)."
      }
      throw ValidationError(
        "'\(kindAndSource[0])' is no kind.\(guess ?? "") Kinds: "
          + ImportKind.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
  }

  func run() throws {
    try Failure.reporting {
      var standardOutput = StandardOutput()
      if list {
        let width = ImportKind.allCases.map(\.rawValue.count).max()! + 2
        for kind in ImportKind.allCases {
          try standardOutput.line(kind.rawValue.padding(toLength: width, withPad: " ", startingAt: 0) + kind.summary)
        }
        return
      }
      let source = kindAndSource.last!
      let report =
        check
        ? try Importer.check(source)
        : try imported(chosen(source) { if !quiet { try standardOutput.line($0) } }, source)
      if !quiet {
        for line in report.decisions { try standardOutput.line("  " + line) }
        for (name, count) in report.counts.sorted(by: { $0.key < $1.key }) {
          try standardOutput.line("  \(name): \(count)")
        }
      }
      for finding in report.findings where !quiet || finding.weight == .fault {
        try standardOutput.line(
          "\(finding.weight.rawValue): \(finding.code): \(finding.sentence) (\(finding.evidence))")
        try standardOutput.line("  -> \(finding.remedy)")
      }
      let folder = output ?? source
      if !quiet {
        let done = check ? "checked \(folder)" : "imported into \(folder)\(skipsCheck ? "" : " and checked")"
        let next = report.next.replacingOccurrences(of: "<folder>", with: folder)
        try standardOutput.line(
          report.hasFault ? "\(done): a run would go wrong, see above" : "\(done); next: \(next)")
      }
      if report.hasFault { throw ExitCode(1) }
    }
  }

  private func chosen(_ source: String, say: (String) throws -> Void) throws -> ImportKind {
    let guess = ImportKind.guess(source)
    if kindAndSource.count == 2 { return ImportKind(rawValue: kindAndSource[0])! }
    guard let guess else {
      let exists = FileManager.default.fileExists(atPath: source)
      throw CommandError(
        exists
          ? "\(source): looks like no kind that is known, expected one of "
            + ImportKind.allCases.map(\.rawValue).joined(separator: ", ") + " ('fuse import --list')"
          : "\(source): no such file or folder, expected a recording of another kind")
    }
    try say("\(source) looks like \(guess.kind.rawValue): \(guess.reason)")
    return guess.kind
  }

  /// Imports; a kind that does not fit is named beside the error.
  private func imported(_ kind: ImportKind, _ source: String) throws -> ImportReport {
    do {
      guard device == nil || !kind.isCalibration else {
        throw CommandError("--device goes with data; a calibration leaves the device's axes as they are (dataset.yaml)")
      }
      guard camera == nil || kind.isCalibration else {
        throw CommandError("--camera goes with calibrations: kalibr, openvins, calibration")
      }
      return try Importer.run(
        kind, source: source, output: output!,
        options: .init(map: map, checks: !skipsCheck, device: device.flatMap(DeviceAxes.init), camera: camera))
    } catch {
      guard let guess = ImportKind.guess(source), guess.kind != kind else { throw error }
      throw CommandError("\(error); the source looks like \(guess.kind.rawValue) (\(guess.reason))")
    }
  }
}

/// Recordings of another kind, where a dataset folder is expected.
enum ForeignSource {
  /// - Throws: `DatasetError` that names the kind and the command which imports it.
  static func refuse(_ path: String) throws(DatasetError) {
    guard let guess = ImportKind.guess(path) else { return }
    throw DatasetError(
      file: path, found: "a \(guess.kind.rawValue) source (\(guess.reason))",
      expected: "a dataset folder; this makes one: \(guess.kind.command(path))")
  }
}
