import Datasets
import DatasetsTestSupport
import Foundation
import Geometry
import RunResults
import SensorData
import Testing

/// `result.json` names the files of its run: a mixture of two runs is refused.
@Suite struct ManifestTests {
  private let folder = try! Fixture(isEmpty: true)
  private var root: String { folder.path("run") }

  private func run(_ distance: Double) throws {
    let output = try OutputFolder(path: root)
    var record = UpdateRecord(timestamp: Timestamp(nanoseconds: 1), peer: "tag", status: "unknown")
    record.distance = distance
    try output.write(record)
    try output.write(Timestamp(nanoseconds: 1), worldFromBody: Pose.identity, covariance: PoseCovariance())
    try output.commit(result: ["a": .integer(1)], timing: ["recording": .null])
  }

  @Test func aWholeRunIsReadWithoutAWord() throws {
    try run(1)
    #expect(try RunFolder(path: root).warnings == [])
  }

  @Test(arguments: ["updates.jsonl", "trajectory.tum", "trajectory_covariance.csv"])
  func aFileOfAnotherRunIsRefused(_ name: String) throws {
    try run(1)
    let text = try folder.text("run/\(name)")
    // Of the same size, too.
    for other in [text + "\n", String(text.reversed())] where other != text {
      try folder.write("run/\(name)", other)
      let error = try #require(throws: DatasetError.self) { _ = try RunFolder(path: root) }
      #expect(error.file.hasSuffix(name) && error.description.contains("--unverified"), "\(error)")
    }
    try folder.remove("run/\(name)")
    #expect(throws: DatasetError.self) { _ = try RunFolder(path: root) }
  }

  @Test func unverifiedItIsReadAllTheSame() throws {
    try run(1)
    let before = try folder.text("run/result.json")
    try run(2)
    try folder.write("run/result.json", before)
    #expect(throws: DatasetError.self) { _ = try RunFolder(path: root) }
    #expect(try RunFolder(path: root, isVerified: false).updates.first?.distance == 2)
  }

  /// As a process leaves it that was killed before its last rename into a new folder.
  @Test func aFolderWithoutAResultIsRefused() throws {
    try run(1)
    try folder.remove("run/result.json")
    let error = try #require(throws: DatasetError.self) { _ = try RunFolder(path: root) }
    #expect(error.file.hasSuffix("result.json") && error.description.contains("--unverified"), "\(error)")
    #expect(try RunFolder(path: root, isVerified: false).updates.count == 1)
  }

  /// A long run in little memory: the first and the last update of each peer stay.
  @Test func updatesAreThinnedEvenly() throws {
    let lines = (0..<1000).map { "{\"timestamp\":\($0),\"peer\":\"\($0 % 3 == 0 ? "a" : "b")\"}" }
    try folder.write("run/updates.jsonl", lines.joined(separator: "\n"))
    func kept(_ kept: RunFolder.Kept) throws -> RunFolder {
      try RunFolder(path: root, isVerified: false, keeping: kept)
    }
    #expect(try kept(.all).updates.count == 1000 && !kept(.all).isThinned)
    #expect(try kept(.none).updates.isEmpty)
    let thinned = try kept(.thinned(100))
    #expect(thinned.isThinned && (50...102).contains(thinned.updates.count), "\(thinned.updates.count)")
    for (peer, ends) in ["a": [0, 999], "b": [1, 998]] as [String: [Int64]] {
      let times = thinned.updates.filter { $0.peer == peer }.map(\.timestamp.nanoseconds)
      #expect([times.first, times.last] == ends && times == times.sorted())
    }
    var count = 0
    try thinned.forEachUpdate { _ in count += 1 }
    #expect(count == 1000)
  }

  @Test func aResultWithoutAManifestGivesAWarning() throws {
    try run(1)
    try folder.write("run/result.json", "{\"a\": 1}\n")
    let run = try RunFolder(path: root)
    #expect(run.warnings.count == 1 && run.warnings[0].contains("no 'files'"), "\(run.warnings)")
  }

  /// A folder where `result.json` should be: nothing of the older result is replaced.
  @Test func aResultThatCannotBeReplacedReplacesNothing() throws {
    try run(1)
    try folder.remove("run/result.json")
    try folder.write("run/result.json/inside", "")
    let before = try folder.text("run/updates.jsonl")
    #expect(throws: OutputError.self) { try run(2) }
    #expect(try folder.text("run/updates.jsonl") == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: root).sorted()
        == ["result.json", "timing.json", "trajectory.tum", "trajectory_covariance.csv", "updates.jsonl"])
  }

  @Test func worldsAreMarkedAndRead() throws {
    let output = try OutputFolder(path: root)
    func pose(_ t: Int64) throws {
      try output.write(Timestamp(nanoseconds: t), worldFromBody: .identity, covariance: PoseCovariance())
    }
    for (time, isNew) in [(1, false), (2, false), (3, true), (4, false), (5, true)] as [(Int64, Bool)] {
      if isNew { try output.beginWorld() }
      try pose(time)
    }
    try output.commit(result: ["a": .integer(1)], timing: ["recording": .null])
    let run = try RunFolder(path: root)
    #expect(run.poses.count == 5)
    let reader = try PoseReader(folder: root)
    var worlds: [Int64] = []
    while let row = try reader.next() { if row.beginsWorld { worlds.append(row.timestamp.nanoseconds) } }
    #expect(worlds == [3, 5])
    // What 'evo' and others skip.
    let marks = try folder.text("run/trajectory.tum").split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(marks.count == 2)
  }

  /// Legal JSON, but no result: such numbers overflow in whatever is computed from them.
  @Test(arguments: [
    #""horizontalAngle":1e300,"horizontalAngleInterval":[0,1]"#,
    #""horizontalAngle":1,"horizontalAngleInterval":[-1e308,1e308]"#,
    #""horizontalAngle":1,"horizontalAngleInterval":[2,1]"#, #""horizontalAngle":1,"horizontalAngleStd":1e200"#,
    #""distance":1e308"#, #""distance":-1"#, #""distanceStd":1e300"#, #""direction":[1e308,0,0]"#,
    #""worldTransform":[1,0,0,1e308,0,1,0,0,0,0,1,0,0,0,0,1]"#, #""positionCovariance":[1e308,0,0,0,1,0,0,0,1]"#,
  ])
  func numbersThatNoResultHasAreRefused(_ members: String) throws {
    try folder.write("run/updates.jsonl", "{\"timestamp\":1,\"peer\":\"tag\",\(members)}\n")
    let error = try #require(throws: DatasetError.self) { _ = try RunFolder(path: root, isVerified: false) }
    #expect(error.line == 1 && error.file.hasSuffix("updates.jsonl"), "\(error)")
  }

  @Test(arguments: ["1 1e300 0 0 0 0 0 1", "1 0 0 -1e10 0 0 0 1"])
  func posesBeyondAnyPlaceAreRefused(_ line: String) throws {
    try folder.write("run/updates.jsonl", "")
    try folder.write("run/trajectory.tum", line + "\n")
    #expect(throws: DatasetError.self) { _ = try RunFolder(path: root, isVerified: false) }
  }

  /// Files are moved one by one where the folder's own name must stay: inside a mount, or under a shell that works there.
  /// The mark is there while they are, and a marked folder is read as nothing.
  @Test func aMarkedFolderIsReadAsNothing() throws {
    try folder.write("run/updates.jsonl", "")
    #expect(throws: Never.self) { try RunFolder(path: root, isVerified: false) }
    for name in UnfinishedMark.names {
      try folder.write("run/\(name)", "")
      #expect(throws: DatasetError.self) { try RunFolder(path: root, isVerified: false) }
      unlink("\(root)/\(name)")
    }
  }
}
