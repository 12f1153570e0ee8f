/// A column that a reader knows: its name before the `[`, its unit, whether it must be there, what it may hold.
struct Column {
  var name: String
  /// The unit as the contract writes it, then other spellings of the same unit; without brackets.
  var units: [String]
  var isNeeded: Bool
  /// What a number in it may be; beyond, it is no reading of such a sensor.
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

  /// Position and, where `rotation` says so, attitude under EuRoC's names.
  static func pose(rotation isNeeded: Bool = true) -> [Column] {
    ["x", "y", "z"].map { Column("p_RS_R_\($0)", "m", bounds: -1e8...1e8) }
      + ["w", "x", "y", "z"].map { Column("q_RS_\($0)", "", "1", needed: isNeeded, bounds: -2...2) }
  }

  /// What a cell should hold, for messages.
  var expectation: String { isText ? "a name" : units[0].isEmpty ? "a number" : "a number [\(units[0])]" }
}
