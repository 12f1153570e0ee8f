import Datasets
import Foundation
import Geometry
import SensorData

/// What an importer writes into: the folder and the report.
struct ImportTarget {
  let writer: DatasetStreamWriter
  var report: ImportReport
  /// The device, as far as it is known.
  var rig = RigCalibration()
  /// The device's axes in the body, where the kind or the map knows them.
  var device: Pose?
  /// What `dataset.yaml` says.
  var title = "", licence = "not stated", note = ""
  /// Gets what is beside the tables.
  let folder: StagedFolder

  /// Everything described, nothing in memory.
  var description: DatasetContents {
    var described = rig
    if let device { described.bodyFromDevice = device }
    return DatasetContents(
      title: title, source: report.source, licence: licence, note: note, rig: described, events: [], truth: [],
      peers: [], statesDevice: device != nil)
  }

  private var peers: [String: GroundTruthPeer] = [:]

  init(writer: DatasetStreamWriter, report: ImportReport, folder: StagedFolder) {
    (self.writer, self.report, self.folder) = (writer, report, folder)
  }

  // MARK: - Rows

  // What a reader of recordings would refuse never enters: `refuse` gets it while the source's line is known, and throws
  // the error that names it, or returns and the row is left out.

  /// Adds an inertial reading.
  mutating func add(_ sample: IMUSample, _ refuse: (SourceFault) throws -> Void) throws {
    let w = sample.angularVelocity, a = sample.specificForce
    if let fault = Self.fault(sample.timestamp)
      ?? Self.fault([w.x, w.y, w.z], SensorBounds.angularVelocity, "an angular rate", "rad/s")
      ?? Self.fault([a.x, a.y, a.z], SensorBounds.specificForce, "an acceleration", "m/s^2")
    {
      return try refuse(fault)
    }
    try writer.add(sample)
  }

  /// Adds a pose of another tracker.
  mutating func add(_ pose: OdometryPose, _ refuse: (SourceFault) throws -> Void) throws {
    let p = pose.worldFromSensor.translation
    if let fault = Self.fault(pose.timestamp) ?? Self.fault([p.x, p.y, p.z], SensorBounds.position, "a position", "m") {
      return try refuse(fault)
    }
    try writer.add(pose)
  }

  /// Adds a true state of the body.
  mutating func add(_ state: GroundTruthState, _ refuse: (SourceFault) throws -> Void) throws {
    let p = state.worldFromBody.translation
    if let fault = Self.fault(state.timestamp) ?? Self.fault([p.x, p.y, p.z], SensorBounds.position, "a position", "m")
    {
      return try refuse(fault)
    }
    try writer.add(state)
  }

  /// Adds a range.
  mutating func add(_ range: RangeMeasurement, _ refuse: (SourceFault) throws -> Void) throws {
    func optional(_ value: Double?, _ bounds: ClosedRange<Double>, _ what: String, _ unit: String) -> SourceFault? {
      value.flatMap { Self.fault([$0], bounds, what, unit) }
    }
    let fault =
      Self.fault(range.timestamp) ?? Self.fault([range.range], 0...SensorBounds.range.upperBound, "a range", "m")
      ?? optional(range.standardDeviation, SensorBounds.rangeDeviation, "a standard deviation", "m")
      ?? optional(range.azimuth, SensorBounds.azimuth, "an azimuth", "rad")
      ?? optional(range.elevation, SensorBounds.elevation, "an elevation", "rad")
      ?? optional(range.rssi, SensorBounds.power, "a received power", "dBm") ?? Self.fault(name: range.peer)
      ?? range.antenna.flatMap { Self.fault(name: $0) }
    if let fault { return try refuse(fault) }
    try writer.add(range)
  }

  /// Adds a true position of a peer. A second one at the same time must be the same.
  mutating func add(_ peer: GroundTruthPeer, _ refuse: (SourceFault) throws -> Void) throws {
    let p = peer.position
    if let fault = Self.fault(peer.timestamp) ?? Self.fault([p.x, p.y, p.z], SensorBounds.position, "a position", "m")
      ?? Self.fault(name: peer.peer)
    {
      return try refuse(fault)
    }
    if let before = peers[peer.peer], before.timestamp == peer.timestamp {
      if before.position == p { return report.count("peers given twice, the same", 1) }
      let words = { (p: Vector3) in "[\(p.x), \(p.y), \(p.z)]" }
      return try refuse(
        SourceFault(
          found: "a second position of peer \(peer.peer), \(words(p)) after \(words(before.position))",
          expected: "one position of each peer"))
    }
    peers[peer.peer] = peer
    try writer.add(peer)
  }

  private static func fault(_ time: Timestamp) -> SourceFault? {
    SensorBounds.isStamp(time.nanoseconds)
      ? nil : SourceFault(found: "a time of \(time.nanoseconds) ns", expected: "a time within +-2^62 ns")
  }

  private static func fault(
    _ values: [Double], _ bounds: ClosedRange<Double>, _ what: String, _ unit: String
  ) -> SourceFault? {
    guard let value = values.first(where: { !bounds.contains($0) }) else { return nil }
    return SourceFault(
      found: "\(what) of \(value) \(unit)", expected: "\(bounds.lowerBound) to \(bounds.upperBound) \(unit)")
  }

  private static func fault(name: String) -> SourceFault? {
    !name.isEmpty && SensorBounds.isName(name)
      ? nil : SourceFault(found: "the name '\(name.prefix(40))'", expected: "a plain text without commas")
  }
}
