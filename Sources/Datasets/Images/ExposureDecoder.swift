/// `cam0/exposure.csv` as Basalt's tools and TUM-VI's successors write it: a stamp and how long that image was exposed.
struct ExposureDecoder: RowDecoder {
  /// One image's exposure.
  struct Row {
    var time: Int64
    /// Seconds.
    var exposure: Double
  }

  /// The published header has a blank in the name; `frames.csv` has an underscore.
  static let columns =
    Column.time + ["exposure time", "exposure_time"].map { Column($0, "ns", needed: false, bounds: 0...1e10) }

  mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
    let column = table.has(3) ? 3 : 2
    guard let value = try table.numberIfAny(column) else { throw RowFault(kind: .emptyCell, column: column) }
    return Row(time: table.time, exposure: value * 1e-9)
  }
}
