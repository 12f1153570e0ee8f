import SensorData

/// `cam0/frames.csv`: every frame, dark ones too, with brightness.
struct FrameDecoder: RowDecoder {
  /// One frame.
  struct Row {
    var time: Int64
    var arrival: Int64
    /// 0 black ... 1 white; nil where it was not measured.
    var meanLuma: Double?
    /// Exposure, seconds; nil where unknown.
    var exposure: Double?
    /// View condition; nil where not determined.
    var view: ViewCondition?
    /// Brightness and texture, where all of them were measured.
    var measures: ImageMeasures?
  }

  static let columns =
    Column.time + [
      Column("mean_luma", "", "1", bounds: SensorBounds.luma),
      Column("exposure_time", "ns", needed: false, bounds: SensorBounds.exposure),
      .text("view", needed: false),
    ] + measures.map { Column($0, $0 == "texture" || $0 == "noise" ? "grey" : "", needed: false) }
  private static let measures = ["dark_share", "saturated_share", "texture", "sharpness", "noise", "coverage"]

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
    let luma = try table.numberIfAny(2)
    let exposure = try table.numberIfAny(3).map { $0 * 1e-9 }
    let view = try table.text(4).map { text throws(RowFault) in
      guard let view = ViewCondition(rawValue: text) else { throw RowFault(kind: .outOfRange, column: 4) }
      return view
    }
    var values: [Double] = []
    for column in Self.measures.indices { if let value = try table.numberIfAny(5 + column) { values.append(value) } }
    try table.unique(0, in: &seen, column: 0)
    return Row(
      time: table.time, arrival: table.arrival, meanLuma: luma, exposure: exposure, view: view,
      measures: values.count < Self.measures.count
        ? nil
        : ImageMeasures(
          darkShare: values[0], saturatedShare: values[1], texture: values[2], sharpness: values[3], noise: values[4],
          coverage: values[5]))
  }
}
