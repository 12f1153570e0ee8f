import SensorData

/// `imu0/data.csv`, EuRoC's columns.
struct IMUDecoder: RowDecoder {
  static let columns =
    Column.time
    + ["x", "y", "z"].map { Column("w_RS_S_\($0)", "rad s^-1", "rad/s", bounds: SensorBounds.angularVelocity) }
    + ["x", "y", "z"].map { Column("a_RS_S_\($0)", "m s^-2", "m/s^2", bounds: SensorBounds.specificForce) }

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    let angularVelocity = try table.vector(2)
    let specificForce = try table.vector(5)
    try table.unique(0, in: &seen, column: 0)
    return table.timed(
      .imu(IMUSample(timestamp: table.timestamp, angularVelocity: angularVelocity, specificForce: specificForce)))
  }
}
