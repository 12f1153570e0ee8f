import SensorData

/// The frames of one camera: features.csv, and frames.csv if present.
///
/// With frames.csv every listed frame is returned, empty without tracks; features of an unlisted frame are one fault.
/// Without it the frames are the distinct stamps of features.csv.
final class CameraStream: EventStream {
  private let camera: Int
  private var groups: FeatureGroups
  private var frames: RowStream<FrameDecoder>?
  private var group: FeatureGroups.Group?
  private var hasBegun = false
  private var lastArrival = Int64.min

  init(camera: Int, files: CameraFiles, isStrict: Bool) throws(DatasetError) {
    self.camera = camera
    groups = try FeatureGroups(files.features, isStrict: isStrict)
    if let file = files.frames { frames = try RowStream(file, FrameDecoder(), isStrict: isStrict) }
  }

  /// Rows read and skipped so far, per file.
  var damage: [FileDamage] { [groups.table.damage] + (frames.map { [$0.table.damage] } ?? []) }
  /// Warnings about the headers.
  var warnings: [String] { groups.table.header.warnings + (frames?.table.header.warnings ?? []) }

  /// The next frame; nil at the end.
  func next() throws(DatasetError) -> TimedEvent? {
    if !hasBegun {
      hasBegun = true
      group = try groups.nextGroup()
    }
    guard frames != nil else {
      guard let only = group else { return nil }
      group = try groups.nextGroup()
      return event(time: only.time, arrival: only.arrival, features: only.features, light: nil)
    }
    guard let frame = try frames!.next() else {
      while let unlisted = group { try drop(unlisted) }
      return nil
    }
    while let unlisted = group, unlisted.time != frame.time, precedes(unlisted, frame) { try drop(unlisted) }
    guard let seen = group, seen.time == frame.time else {
      return event(time: frame.time, arrival: frame.arrival, features: [], light: frame)
    }
    group = try groups.nextGroup()
    return event(
      time: frame.time, arrival: max(frame.arrival, seen.arrival), features: seen.features, light: frame)
  }

  /// Whether the group precedes the frame in the common order of both files.
  private func precedes(_ group: FeatureGroups.Group, _ frame: FrameDecoder.Row) -> Bool {
    guard groups.table.hasArrival, frames!.table.hasArrival else { return group.time < frame.time }
    return (group.arrival, group.time) < (frame.arrival, frame.time)
  }

  private func drop(_ unlisted: FeatureGroups.Group) throws(DatasetError) {
    let fault = RowFault(kind: .frameNotListed, column: nil)
    var error = groups.table.describe(fault)
    error.line = unlisted.line
    try groups.table.reject(fault, error: error, row: unlisted.row)
    group = try groups.nextGroup()
  }

  private func event(
    time: Int64, arrival: Int64, features: [FeatureObservation], light: FrameDecoder.Row?
  ) -> TimedEvent {
    // Two files, each in order, need not have a common order.
    lastArrival = max(lastArrival, arrival)
    let frame = CameraFrame(
      timestamp: Timestamp(nanoseconds: time), camera: camera, features: features, meanLuma: light?.meanLuma,
      view: light?.view, measures: light?.measures, exposure: light?.exposure)
    return TimedEvent(.frame(frame), arrival: Timestamp(nanoseconds: lastArrival))
  }
}

/// `cam0/features.csv`: rows of one stamp gathered into groups, features sorted by id.
private struct FeatureGroups {
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

/// `cam0/frames.csv`: every frame, dark ones too, with brightness.
private struct FrameDecoder: RowDecoder {
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
