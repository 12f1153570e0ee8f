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
