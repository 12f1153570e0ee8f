import SensorData

/// One optional column of `uwb0/data.csv`.
struct RangeColumn {
  /// Contents of a cell.
  enum Cell {
    case number(Double)
    case text(String)
  }

  /// Name and unit.
  let header: String
  /// The cell of a measurement; nil where it was not measured.
  let cell: (RangeMeasurement) -> Cell?

  /// All optional columns in the order in which they are written.
  static var all: [RangeColumn] {
    [
      number("range_std [m]", \.standardDeviation), number("azimuth [rad]", \.azimuth),
      number("elevation [rad]", \.elevation), number("angle_std [rad]", \.angleStandardDeviation),
      text("antenna_id []", \.antenna), number("rssi [dBm]", \.rssi),
      number("first_path_power [dBm]", \.firstPathPower), number("nlos []", \.nonLineOfSight),
      text("technology []", \.technology),
    ]
  }

  private static func number(_ header: String, _ path: KeyPath<RangeMeasurement, Double?>) -> RangeColumn {
    RangeColumn(header: header) { range in range[keyPath: path].map { .number($0) } }
  }

  private static func text(_ header: String, _ path: KeyPath<RangeMeasurement, String?>) -> RangeColumn {
    RangeColumn(header: header) { range in range[keyPath: path].map { .text($0) } }
  }
}
