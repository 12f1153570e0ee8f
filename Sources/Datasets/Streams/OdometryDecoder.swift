import Geometry
import SensorData

/// `odometry0/data.csv`: poses of external odometry.
struct OdometryDecoder: RowDecoder {
  static let columns = Column.time + Column.pose()

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    let pose = Pose(rotation: try table.rotation(5), translation: try table.vector(2))
    try table.unique(0, in: &seen, column: 0)
    return table.timed(.odometry(OdometryPose(timestamp: table.timestamp, worldFromSensor: pose)))
  }
}
