import Datasets
import Foundation
import Simulation
import TestSupport
import Testing

/// The shipped recordings against the simulator.
@Suite struct WriterRecordings {
  private static let shipped = [
    "demo", "still", "straight", "arc", "arc-above", "search", "two-peers", "nlos", "dark", "approach", "moving",
    "arc-aoa",
  ]

  /// Every recording in `datasets/` equals the output of its command in the README.
  @Test(arguments: shipped) func shippedRecordingsAreWhatTheSimulatorWrites(_ name: String) throws {
    let command = "fuse simulate \(name) -o datasets/\(name) --seed 1"
    let readme = try String(contentsOf: Repository.root.appendingPathComponent("datasets/README.md"), encoding: .utf8)
    #expect(readme.contains(command))
    let files = try DatasetWriter.files(Simulator(scenario: Scenario.named(name), seed: 1).recording())
    let folder = Repository.root.appendingPathComponent("datasets/\(name)")
    let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".csv") || $0.hasSuffix(".yaml") }
    #expect(found.sorted() == files.keys.sorted())
    for (file, bytes) in files {
      let data = FileManager.default.contents(atPath: folder.appendingPathComponent(file).path)
      #expect(data == Data(bytes), "\(name)/\(file) differs: run `swift run -c release \(command)`")
    }
  }
}
