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
