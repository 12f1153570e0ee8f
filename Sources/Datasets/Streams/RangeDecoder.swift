import SensorData

/// `uwb0/data.csv`: ranges and further radio measurements.
struct RangeDecoder: RowDecoder {
  static let columns =
    Column.time + [
      .text("peer_id"),
      Column("range", "m", bounds: SensorBounds.range),
      Column("range_std", "m", needed: false, bounds: SensorBounds.rangeDeviation),
      Column("azimuth", "rad", needed: false, bounds: SensorBounds.azimuth),
      Column("elevation", "rad", needed: false, bounds: SensorBounds.elevation),
      Column("angle_std", "rad", needed: false, bounds: SensorBounds.angleDeviation),
      .text("antenna_id", needed: false),
      Column("rssi", "dBm", needed: false, bounds: SensorBounds.power),
      Column("first_path_power", "dBm", needed: false, bounds: SensorBounds.power),
      Column("nlos", "", "1", needed: false, bounds: SensorBounds.nlos),
      .text("technology", needed: false),
    ]

  static var damageRule: DamageRule { .radio }

  private struct Link: Hashable, Sendable {
    var peer: String
    var antenna: String?
    var technology: String?
  }

  private let radio: RadioCalibration
  private var seen = SeenKeys<Link>()

  init(radio: RadioCalibration) { self.radio = radio }

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    guard let peer = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    guard table.cell(3).count > 0 else { throw RowFault(kind: .notMeasured, column: 3) }
    let range = try table.number(3)
    guard range >= 0 else { throw RowFault(kind: .negativeRange, column: 3) }
    let antenna = try table.text(8)
    guard radio.position(of: antenna) != nil else { throw RowFault(kind: .unknownAntenna, column: 8) }
    let measurement = RangeMeasurement(
      timestamp: table.timestamp, peer: peer,
      // A range shorter than its stated bias is noise at no distance.
      range: max(range - radio.rangeBias.value(peer: peer, antenna: antenna), 0),
      standardDeviation: try table.numberIfAny(4), azimuth: try table.numberIfAny(5),
      elevation: try table.numberIfAny(6), angleStandardDeviation: try table.numberIfAny(7), antenna: antenna,
      rssi: try table.numberIfAny(9),
      firstPathPower: try table.numberIfAny(10), nonLineOfSight: try table.numberIfAny(11),
      technology: try table.text(12))
    try table.unique(
      Link(peer: peer, antenna: antenna, technology: measurement.technology), in: &seen, column: 2)
    return table.timed(.range(measurement))
  }
}
