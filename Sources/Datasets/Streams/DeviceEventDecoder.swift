import SensorData

/// `events0/data.csv`: events of the device or a peer; an open list of names.
struct DeviceEventDecoder: RowDecoder {
  static let columns = Column.time + [.text("event"), .text("peer_id", needed: false)]

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    guard let name = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    return table.timed(.device(DeviceEvent(timestamp: table.timestamp, name: name, peer: try table.text(3))))
  }
}
