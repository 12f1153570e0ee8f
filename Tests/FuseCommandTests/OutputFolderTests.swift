import Datasets
import Foundation
import FuseCommandTestSupport
import Geometry
import JSONText
import RunResults
import SensorData
import Testing

/// The four files: their bytes, and their creation and removal.
@Suite struct OutputFolderTests {
  private func line(_ record: UpdateRecord) -> String {
    var json = JSONWriter()
    record.write(to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private var full: UpdateRecord {
    var record = UpdateRecord(
      timestamp: Timestamp(nanoseconds: 1_700_000_012_037_000_000), peer: "tag", status: "notConverged",
      reasons: ["insufficientVerticalSweep"], guidance: "Move your phone up and down.",
      details: ["b": .number(-0.0), "a": .array([.string("x\"\n"), .string("ü")])])
    record.distance = 5.431
    record.distanceStandardDeviation = 0.06
    record.direction = Vector3(0.117, -0.031, -0.993)
    record.horizontalAngle = .init(value: 0.118, standardDeviation: 0.031, low: 0.067, high: 0.169)
    record.verticalDirectionEstimate = "same"
    record.worldPosition = Vector3(4.31, 2.02, -0.21)
    record.positionCovariance = Matrix3(diagonal: Vector3(0.01, 0.01, 0.04))
    record.quality = "precise"
    return record
  }

  @Test func aLineHasItsKeysInOrder() {
    #expect(
      line(full) == #"{"timestamp":1700000012037000000,"peer":"tag","distance":5.431,"distanceStd":0.06,"#
        + #""direction":[0.117,-0.031,-0.993],"horizontalAngle":0.118,"horizontalAngleStd":0.031,"#
        + #""horizontalAngleInterval":[0.067,0.169],"verticalDirectionEstimate":"same","#
        + #""worldTransform":[1.0,0.0,0.0,4.31,0.0,1.0,0.0,2.02,0.0,0.0,1.0,-0.21,0.0,0.0,0.0,1.0],"#
        + #""positionCovariance":[0.01,0.0,0.0,0.0,0.01,0.0,0.0,0.0,0.04],"quality":"precise","#
        + #""convergence":{"status":"notConverged","reasons":["insufficientVerticalSweep"]},"#
        + #""guidance":"Move your phone up and down.","details":{"a":["x\"\u000a","ü"],"b":0.0}}"# + "\n")
  }

  @Test func aSessionLineIsNullElsewhere() {
    let record = UpdateRecord(timestamp: Timestamp(nanoseconds: 5), peer: nil, status: "unknown")
    #expect(
      line(record) == #"{"timestamp":5,"peer":null,"distance":null,"distanceStd":null,"direction":null,"#
        + #""horizontalAngle":null,"horizontalAngleStd":null,"horizontalAngleInterval":null,"#
        + #""verticalDirectionEstimate":null,"worldTransform":null,"positionCovariance":null,"quality":null,"#
        + #""convergence":{"status":"unknown","reasons":[]},"guidance":null,"details":{}}"# + "\n")
  }

  /// What is not finite becomes null, stays valid JSON and is counted.
  @Test func notFiniteIsNullAndCounted() throws {
    var record = full
    record.distance = .nan
    record.direction = Vector3(0, .infinity, 0)
    var json = JSONWriter()
    record.write(to: &json)
    #expect(json.nonFiniteCount == 2)
    let parsed = try #require(JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
    #expect(parsed["distance"] is NSNull)
    #expect(parsed["direction"] is NSNull)
  }

  @Test(arguments: [
    0.1 + 0.2, Double.leastNonzeroMagnitude, Double.greatestFiniteMagnitude, -1e-5, 123456789.125, 1e22,
  ])
  func numbersReadBackTheSame(_ value: Double) {
    var json = JSONWriter()
    json.numbers([value, 2])
    #expect((try? JSONSerialization.jsonObject(with: Data(json.bytes))) != nil)
    // Read by Swift itself: JSONSerialization is off by one unit in the last place for some numbers.
    let text = String(decoding: json.bytes.dropFirst().prefix(while: { $0 != UInt8(ascii: ",") }), as: UTF8.self)
    #expect(Double(text) == value)
  }

  @Test func trajectoryLinesKeepEveryNanosecond() {
    var bytes: [UInt8] = []
    let pose = Pose(rotation: Rotation(w: -0.5, x: 0.5, y: -0.5, z: 0.5), translation: Vector3(1, -0.0, 2.5))
    #expect(TrajectoryLine.append(Timestamp(nanoseconds: 1_700_000_000_000_000_007), pose, to: &bytes))
    #expect(String(decoding: bytes, as: UTF8.self) == "1700000000.000000007 1.0 0.0 2.5 -0.5 0.5 -0.5 0.5\n")
    #expect(!TrajectoryLine.append(Timestamp(nanoseconds: 0), Pose(translation: Vector3(.nan, 0, 0)), to: &bytes))
    #expect(TrajectoryLine.seconds(Timestamp(nanoseconds: -1_500_000_000)) == "-1.500000000")
  }

  @Test func filesAppearTogetherAndOthersStay() throws {
    let scratch = try Scratch()
    try Data("mine".utf8).write(to: scratch.url.appendingPathComponent("notes.txt"))
    try Data("old".utf8).write(to: scratch.url.appendingPathComponent("updates.jsonl"))
    let folder = try OutputFolder(path: scratch.url.path)
    try folder.write(full)
    #expect(try scratch.bytes("updates.jsonl") == Data("old".utf8))
    try folder.commit(result: ["a": .integer(1)], timing: ["b": .null])
    #expect(try scratch.bytes("updates.jsonl") == Data(line(full).utf8))
    let result = try JSONValue(contentsOf: scratch.path("result.json"))
    #expect(result["a"] == .integer(1))
    #expect(result["files"]?["updates.jsonl"]?["bytes"] == .integer(line(full).utf8.count))
    #expect(result["files"]?["timing.json"] == nil, "it differs between runs")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).sorted()
        == (RunFileNames.all + ["notes.txt"]).sorted())
  }

  @Test func withoutCommitNothingIsLeft() throws {
    let scratch = try Scratch()
    do {
      let folder = try OutputFolder(path: scratch.path("new"))
      try folder.write(full)
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path("new")))
    try Data("old".utf8).write(to: scratch.url.appendingPathComponent("updates.jsonl"))
    do {
      let folder = try OutputFolder(path: scratch.url.path)
      try folder.write(full)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["updates.jsonl"])
  }

  @Test func onlyOneRunAtATime() throws {
    let scratch = try Scratch()
    let first = try OutputFolder(path: scratch.url.path)
    #expect(throws: OutputError.busy(path: scratch.url.path)) { try OutputFolder(path: scratch.url.path) }
    _ = first.path
  }

  @Test func anExistingFileIsAnError() throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.url.appendingPathComponent("file"))
    #expect(throws: OutputError.self) { try OutputFolder(path: scratch.path("file")) }
    #expect(throws: OutputError.self) { try OutputFolder(path: scratch.path("file/below")) }
  }
}
