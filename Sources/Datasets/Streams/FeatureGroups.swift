import SensorData

/// `cam0/features.csv`: rows of one stamp gathered into groups, features sorted by id.
struct FeatureGroups {
  /// The features of one frame.
  struct Group {
    var time: Int64
    /// Arrival of the last of its rows.
    var arrival: Int64
    var features: [FeatureObservation]
    /// Its first row and line, for messages.
    var row: Int
    var line: Int
  }

  static let columns =
    Column.time + [
      Column("feature_id", ""),
      Column("u", "px", bounds: SensorBounds.pixel),
      Column("v", "px", bounds: SensorBounds.pixel),
    ]

  let table: TableReader
  private var next: Group?
  private var isAtEnd = false
  private var lastID = Int64.min
  private var isAscending = true
  private var ids: Set<Int64> = []
  private var frames = SeenKeys<Int8>()
  private var typicalCount = 16

  init(_ file: RecordingFile, isStrict: Bool) throws(DatasetError) {
    table = try TableReader(
      path: file.path, relativePath: file.relativePath, columns: Self.columns, isStrict: isStrict)
  }

  /// The next group; nil at the end of the file.
  mutating func nextGroup() throws(DatasetError) -> Group? {
    while !isAtEnd {
      guard try table.advance() else {
        isAtEnd = true
        break
      }
      do throws(RowFault) {
        if let complete = try readRow() { return complete }
      } catch {
        try table.reject(error)
      }
    }
    return finish(next: nil)
  }

  /// Adds the current row; returns the previous group when the row begins a new one.
  @inline(__always)
  private mutating func readRow() throws(RowFault) -> Group? {
    try table.readTime()
    let feature = FeatureObservation(
      featureID: try table.integer(2), u: try table.number(3), v: try table.number(4))
    if next?.time == table.time {
      try recordID(feature.featureID)
      next!.arrival = table.arrival
      next!.features.append(feature)
      table.accept()
      return nil
    }
    // A timestamp can recur only in arrival order; time order has refused it otherwise.
    if table.hasArrival { try table.unique(0, in: &frames, column: 0) }
    var features: [FeatureObservation] = []
    features.reserveCapacity(typicalCount)
    features.append(feature)
    table.accept()
    let complete = finish(
      next: Group(
        time: table.time, arrival: table.arrival, features: features, row: table.rows, line: table.line))
    lastID = feature.featureID
    return complete
  }

  /// Refuses a repeated id of the frame. Ids in ascending order need no set.
  @inline(__always)
  private mutating func recordID(_ id: Int64) throws(RowFault) {
    if isAscending, id > lastID {
      lastID = id
      return
    }
    try recordUnorderedID(id)
  }

  private mutating func recordUnorderedID(_ id: Int64) throws(RowFault) {
    if isAscending {
      ids = Set(next!.features.map(\.featureID))
      isAscending = false
    }
    guard ids.insert(id).inserted else { throw RowFault(kind: .duplicate, column: 2) }
  }

  private mutating func finish(next group: Group?) -> Group? {
    var complete = next
    if !isAscending { complete?.features.sort { $0.featureID < $1.featureID } }
    if let complete { typicalCount = complete.features.count + 8 }
    next = group
    isAscending = true
    return complete
  }
}
