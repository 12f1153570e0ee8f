import Datasets
import Foundation
import Geometry
import JSONText
import SensorData

/// The output folder of a run: its files appear together at the end, or not at all; other files stay (`StagedFolder`).
///
/// While it is open no second run can write to the same folder.
package final class OutputFolder {
  /// Its path.
  package let path: String
  /// Updates written.
  package private(set) var updateCount = 0
  /// Poses written.
  package private(set) var poseCount = 0
  /// Non-finite values left out: internal errors.
  package var nonFiniteCount: Int { json.nonFiniteCount + nonFinitePoses }

  private let folder: StagedFolder
  private let updates: AtomicFile
  private let trajectory: AtomicFile
  private let covariances: AtomicFile
  private var json = JSONWriter()
  private var line: [UInt8] = []
  private var nonFinitePoses = 0

  /// Opens the folder, creating it where it is missing.
  ///
  /// - Parameter inputs: files that the run reads: none of them is replaced.
  package init(path: String, inputs: [String] = []) throws(OutputError) {
    self.path = path
    folder = try StagedFolder(path: path, inputs: inputs)
    try folder.check(RunFileNames.all)
    updates = try folder.file(RunFileNames.updates)
    trajectory = try folder.file(RunFileNames.trajectory)
    covariances = try folder.file(RunFileNames.covariance)
    try covariances.write(CovarianceLine.header)
  }

  /// Appends an update and returns its line, for streaming.
  @discardableResult
  package func write(_ update: UpdateRecord) throws(OutputError) -> [UInt8] {
    json.removeAll()
    update.write(to: &json)
    try updates.write(json.bytes)
    updateCount += 1
    return json.bytes
  }

  /// Appends a pose of the trajectory and its covariance.
  package func write(
    _ timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance
  ) throws(OutputError) {
    line.removeAll(keepingCapacity: true)
    guard TrajectoryLine.append(timestamp, worldFromBody, to: &line) else {
      nonFinitePoses += 1
      return
    }
    try trajectory.write(line)
    line.removeAll(keepingCapacity: true)
    CovarianceLine.append(timestamp, covariance, to: &line)
    try covariances.write(line)
    poseCount += 1
  }

  /// Marks in the trajectory that its next pose is in another world.
  package func beginWorld() throws(OutputError) { try trajectory.write(Array(TrajectoryLine.newWorld.utf8)) }

  /// Completes the run: all files appear under their names at once.
  ///
  /// Until then, and where one cannot be replaced, the older result stays. `result.json` names size and hash of the
  /// files of its run (`files`), so that a mixture of two runs, made otherwise, is told from a result.
  ///
  /// - Parameter result: an object.
  package func commit(result: JSONValue, timing: JSONValue) throws(OutputError) {
    let data = [updates, trajectory, covariances]
    for file in data { try file.commit() }
    try folder.write(Self.text(timing), to: RunFileNames.timing)
    try folder.write(Self.text(RunManifest(data).added(to: result)), to: RunFileNames.result)
    try folder.carryOver { RunFileNames.all.contains($0) || $0 == UnfinishedMark.name }
    try folder.commit()
  }

  private static func text(_ value: JSONValue) -> [UInt8] {
    return value.prettyBytes + [0x0A]
  }
}
