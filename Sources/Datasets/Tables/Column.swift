/// A known column: name before the `[`, unit, whether it is required, permitted values.
struct Column {
  var name: String
  /// The unit as in the format, then other spellings of it; without brackets.
  var units: [String]
  var isNeeded: Bool
  /// Range of its numbers; beyond, it is no reading of such a sensor.
  var bounds: ClosedRange<Double>
  /// True for names.
  var isText = false

  /// A column of numbers.
  init(_ name: String, _ units: String..., needed: Bool = true, bounds: ClosedRange<Double> = -1e9...1e9) {
    self.name = name
    self.units = units
    self.isNeeded = needed
    self.bounds = bounds
  }

  /// A column of names.
  static func text(_ name: String, needed: Bool = true) -> Column {
    var column = Column(name, "", needed: needed)
    column.isText = true
    return column
  }

  /// Every table begins with these two, at indices 0 and 1.
  static let time = [Column("timestamp", "ns"), Column("arrival", "ns", needed: false)]

  /// Position and, with `rotation`, attitude under EuRoC's names.
  static func pose(rotation isNeeded: Bool = true) -> [Column] {
    ["x", "y", "z"].map { Column("p_RS_R_\($0)", "m", bounds: SensorBounds.position) }
      + ["w", "x", "y", "z"].map { Column("q_RS_\($0)", "", "1", needed: isNeeded, bounds: -2...2) }
  }

  /// Expected contents of a cell, for messages.
  var expectation: String { isText ? "a name" : units[0].isEmpty ? "a number" : "a number [\(units[0])]" }
}
