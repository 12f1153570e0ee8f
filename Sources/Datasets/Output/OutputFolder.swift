import Foundation
import Geometry
import SensorData

/// The output folder of a run: its files appear together at the end, or not at all; other files are not touched.
///
/// While it is open no second run can write to the same folder.
package final class OutputFolder {
  static let updatesName = "updates.jsonl"
  static let trajectoryName = "trajectory.tum"
  static let covarianceName = "trajectory_covariance.csv"
  package static let resultName = "result.json"
  static let timingName = "timing.json"
  /// The files that `result.json` names.
  static let dataNames = [updatesName, trajectoryName, covarianceName]
  /// The files, in the order in which they appear.
  package static let fileNames = dataNames + [timingName, resultName]

  /// Its path.
  package let path: String
  /// Updates written.
  package private(set) var updateCount = 0
  /// Poses written.
  package private(set) var poseCount = 0
  /// Non-finite values left out: internal errors.
  package var nonFiniteCount: Int { json.nonFiniteCount + nonFinitePoses }

  private let created: Bool
  private let lock: Int32
  private var committed = false
  private let updates: AtomicFile
  private let trajectory: AtomicFile
  private let covariances: AtomicFile
  private var json = JSONBuffer()
  private var line: [UInt8] = []
  private var nonFinitePoses = 0

  /// Opens the folder, creating it where it is missing.
  package init(path: String) throws(OutputError) {
    self.path = path
    created = !FileManager.default.fileExists(atPath: path)
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw .folder(
        path: path, cause: errno == 0 ? "a file of that name exists" : String(cString: strerror(errno)))
    }
    lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw .folder(path: path, cause: String(cString: strerror(errno))) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .busy(path: path)
    }
    do {
      updates = try AtomicFile(folder: path, name: Self.updatesName)
      trajectory = try AtomicFile(folder: path, name: Self.trajectoryName)
      covariances = try AtomicFile(folder: path, name: Self.covarianceName)
      try covariances.write(CovarianceLine.header)
    } catch {
      close(lock)
      throw error
    }
  }

  deinit {
    if !committed {
      updates.abandon()
      trajectory.abandon()
      covariances.abandon()
      // Succeeds only for an empty folder: removes what a failed run created.
      if created { rmdir(path) }
    }
    close(lock)
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

  /// Completes the run: all files appear under their names, `result.json` last.
  ///
  /// Until then, and where one cannot be replaced, the older result stays. `result.json` names size and hash of the
  /// files of its run (`files`), so that a mixture of two runs is told from a result.
  ///
  /// - Parameter result: an object.
  package func commit(result: JSONValue, timing: JSONValue) throws(OutputError) {
    let data = [updates, trajectory, covariances]
    for file in data { try file.finishWriting() }
    let timingFile = try Self.whole(timing, folder: path, name: Self.timingName)
    let resultFile = try Self.whole(
      RunManifest(data).added(to: result), folder: path, name: Self.resultName)
    try AtomicFile.commit(data + [timingFile, resultFile])
    committed = true
  }

  private static func whole(_ value: JSONValue, folder: String, name: String) throws(OutputError) -> AtomicFile {
    var json = JSONBuffer()
    json.pretty(value)
    json.raw("\n")
    let file = try AtomicFile(folder: folder, name: name)
    try file.write(json.bytes)
    return file
  }
}
