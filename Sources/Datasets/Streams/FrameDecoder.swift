import SensorData

/// `cam0/frames.csv`: every frame, dark ones too, with its light.
struct FrameDecoder: RowDecoder {
  /// One frame.
  struct Row {
    var time: Int64
    var arrival: Int64
    /// 0 black ... 1 white; nil where it was not measured.
    var meanLuma: Double?
  }

  static let columns =
    Column.time + [
      Column("mean_luma", "", "1", bounds: 0...1),
      Column("exposure_time", "ns", needed: false, bounds: 0...1e12),
    ]

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
    let luma = try table.numberIfAny(2)
    _ = try table.numberIfAny(3)
    try table.unique(0, in: &seen, column: 0)
    return Row(time: table.time, arrival: table.arrival, meanLuma: luma)
  }
}
