import SensorData

/// `cam0/data.csv`: the stamp of every image and the name of its file in `cam0/data`.
struct ImageListDecoder: RowDecoder {
  /// One image.
  struct Row {
    var time: Int64
    var arrival: Int64
    /// A plain name, without a path.
    var name: String
    /// Its row and line, for messages.
    var row: Int
    var line: Int
  }

  static let columns = Column.time + [.text("filename")]

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> Row {
    guard let name = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    // A name must not leave the camera's own folder.
    guard !name.contains("/"), name != "..", name.utf8.count < 256 else { throw RowFault(kind: .outOfRange, column: 2) }
    try table.unique(0, in: &seen, column: 0)
    return Row(time: table.time, arrival: table.arrival, name: name, row: table.rows, line: table.line)
  }
}
