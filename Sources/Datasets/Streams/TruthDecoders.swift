import Geometry
import SensorData

/// `state_groundtruth_estimate0/data.csv`: EuRoC's 17 columns, or only the first 8.
struct TruthStateDecoder: RowDecoder {
  static let columns =
    Column.time + Column.pose()
    + ["x", "y", "z"].map { Column("v_RS_R_\($0)", "m s^-1", "m/s", needed: false, bounds: -1e5...1e5) }
    + ["x", "y", "z"].map { Column("b_w_RS_S_\($0)", "rad s^-1", "rad/s", needed: false, bounds: -1e4...1e4) }
    + ["x", "y", "z"].map { Column("b_a_RS_S_\($0)", "m s^-2", "m/s^2", needed: false, bounds: -1e5...1e5) }

  /// The sensor in the body, where the poses are a sensor's.
  private let sensorFromBody: Pose
  private var seen = SeenKeys<Int8>()

  init(bodyFromSensor: Pose = .identity) { sensorFromBody = bodyFromSensor.inverse }

  mutating func decode(_ table: TableReader) throws(RowFault) -> GroundTruthState {
    let worldFromSensor = Pose(rotation: try table.rotation(5), translation: try table.vector(2))
    let state = GroundTruthState(
      timestamp: table.timestamp, worldFromBody: worldFromSensor * sensorFromBody, velocity: try ifAny(table, 9),
      gyroscopeBias: try ifAny(table, 12), accelerometerBias: try ifAny(table, 15))
    try table.unique(0, in: &seen, column: 0)
    return state
  }

  private func ifAny(_ table: TableReader, _ first: Int) throws(RowFault) -> Vector3? {
    guard let x = try table.numberIfAny(first), let y = try table.numberIfAny(first + 1),
      let z = try table.numberIfAny(first + 2)
    else { return nil }
    return Vector3(x, y, z)
  }
}

/// `peers_groundtruth0/data.csv`: true positions of the peers.
struct TruthPeerDecoder: RowDecoder {
  static let columns = Column.time + [.text("peer_id")] + Column.pose().prefix(3)

  private var seen = SeenKeys<String>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> GroundTruthPeer {
    guard let peer = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    let position = try table.vector(3)
    try table.unique(peer, in: &seen, column: 2)
    return GroundTruthPeer(timestamp: table.timestamp, peer: peer, position: position)
  }
}

/// The answers of any solver as a CSV table, with the columns of `fuse export csv`, and `xStd`, `yStd`, `zStd`; only
/// `timestamp` and `peer` must be there.
package struct SolutionTable: Equatable, Sendable {
  /// One answer about one peer.
  package struct Row: Equatable, Sendable {
    /// When.
    package var timestamp: Timestamp
    /// Id of the peer; nil for a line about none.
    package var peer: String?
    /// Distance and its 1-sigma, metres.
    package var distance: Double?, distanceDeviation: Double?
    /// Horizontal angle, its 1-sigma, and the ends of its 90 % interval, radians: 0 ahead, positive right.
    package var angle: Double?, angleDeviation: Double?, angleLow: Double?, angleHigh: Double?
    /// `same`, `above`, `below`; nil: not decided.
    package var level: String?
    /// The peer in the world of the trajectory, metres.
    package var position: Vector3?
    /// 1-sigmas of its coordinates, metres.
    package var positionDeviation: Vector3?
    /// `converged` or another word.
    package var status: String?
  }

  /// The rows, in the file's order.
  package let rows: [Row]
  /// Columns that are not known.
  package let warnings: [String]

  /// Reads a table. A solver's answers are checked as results are: the first bad row ends the reading.
  ///
  /// - Throws: `DatasetError` with file and line.
  package init(contentsOf path: String) throws(DatasetError) {
    let stream = try RowStream(RecordingFile(path: path, relativePath: path), Decoder(), isStrict: true)
    var rows: [Row] = []
    while let row = try stream.next() { rows.append(row) }
    self.rows = rows
    warnings = stream.warnings
  }

  private struct Decoder: RowDecoder {
    static let columns =
      Column.time + [
        .text("peer"), Column("distance", "m", needed: false, bounds: 0...1e7),
        Column("distanceStd", "m", needed: false, bounds: 0...1e7),
        Column("horizontalAngle", "rad", needed: false, bounds: -10...10),
        Column("horizontalAngleStd", "rad", needed: false, bounds: 0...100),
        Column("horizontalAngleLow", "rad", needed: false, bounds: -20...20),
        Column("horizontalAngleHigh", "rad", needed: false, bounds: -20...20),
        .text("verticalDirectionEstimate", needed: false),
        Column("x", "m", needed: false), Column("y", "m", needed: false), Column("z", "m", needed: false),
        .text("status", needed: false),
      ] + ["xStd", "yStd", "zStd"].map { Column($0, "m", needed: false, bounds: 0...1e7) }
      + ["direction_x", "direction_y", "direction_z", "quality", "reasons", "guidance"].map { .text($0, needed: false) }

    mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
      var row = Row(timestamp: table.timestamp, peer: try table.text(2))
      row.distance = try table.numberIfAny(3)
      row.distanceDeviation = try table.numberIfAny(4)
      row.angle = try table.numberIfAny(5)
      row.angleDeviation = try table.numberIfAny(6)
      row.angleLow = try table.numberIfAny(7)
      row.angleHigh = try table.numberIfAny(8)
      row.level = try table.text(9)
      row.position = try vector(table, 10)
      row.status = try table.text(13)
      row.positionDeviation = try vector(table, 14)
      return row
    }

    /// Three cells; nil unless all are filled.
    private func vector(_ table: TableReader, _ first: Int) throws(RowFault) -> Vector3? {
      guard let x = try table.numberIfAny(first), let y = try table.numberIfAny(first + 1),
        let z = try table.numberIfAny(first + 2)
      else { return nil }
      return Vector3(x, y, z)
    }
  }
}
