import LeastSquares
import SensorData

/// A check of every stream when a recording is opened: headers, first rows, the rate of cam0.
struct StreamProbe {
  /// First stamp over all sensors.
  private(set) var first = Timestamp(nanoseconds: .max)
  private(set) var warnings: [String] = []
  private let layout: RecordingLayout
  private let options: ReadingOptions
  private let hasFastCamera: Bool

  /// Seconds of cam0 used to determine its rate, and the longest median interval of a video.
  private static let look = 10.0
  private static let longestInterval = 0.25

  init(layout: RecordingLayout, rig: RigCalibration, options: ReadingOptions) throws(DatasetError) {
    self.layout = layout
    self.options = options
    var hasFastCamera = false
    for stream in try EventStreams.open(layout, rig: rig, readsOdometry: true, tracking: nil, isStrict: options.strict)
    {
      warnings += stream.warnings
      let isEvents = stream is RowStream<DeviceEventDecoder>
      guard let event = try stream.next() else {
        if isEvents { continue }
        let file = stream.damage.last!  // of a camera frames.csv, where it is there
        throw DatasetError(
          file: "\(layout.root)/\(file.path)", line: 2,
          found: file.rows == 0 ? "a header and no rows" : "\(Self.rows(file.rows)), none of them usable",
          expected: "at least one row")
      }
      if !isEvents { first = min(first, event.event.timestamp) }
      // The rate matters only where there is a choice.
      if layout.odometry != nil, case .frame(let frame) = event.event, frame.camera == 0 {
        hasFastCamera = try Self.isFast(stream, first: event.event.timestamp)
      }
    }
    self.hasFastCamera = hasFastCamera
    if first.nanoseconds == .max { first = Timestamp(nanoseconds: 0) }
    if layout.radio == nil { warnings.append("\(layout.root)/mav0/uwb0 is not there: no ranges, no peers") }
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  private static func isFast(_ stream: any EventStream, first: Timestamp) throws(DatasetError) -> Bool {
    var intervals: [Double] = []
    var last = first
    while let event = try stream.next() {
      intervals.append(event.event.timestamp.seconds(since: last))
      last = event.event.timestamp
      if last.seconds(since: first) > look { break }
    }
    // The median is robust to gaps and to dark intervals missing in features.csv.
    return intervals.median.map { $0 <= longestInterval * (1 + 1e-6) } ?? false
  }

  /// Selects the source of the trajectory.
  func trajectorySource() throws(DatasetError) -> TrajectorySource? {
    let hasVision = layout.imu != nil && (!layout.cameras.isEmpty || !layout.images.isEmpty)
    let hasOdometry = layout.odometry != nil
    switch options.usesOdometry {
    case true?:
      if hasOdometry { return .odometry }
      throw DatasetError(
        file: "\(layout.root)/mav0/odometry0", found: "no such folder", expected: "poses, as odometry was asked for")
    case false? where hasVision: return .imuAndCamera
    case false? where options.needsTrajectory: throw missing()
    case nil where hasVision && (hasFastCamera || !hasOdometry): return .imuAndCamera
    case nil where hasOdometry: return .odometry
    default:
      if options.needsTrajectory { throw missing() }
      return nil
    }
  }

  private func missing() -> DatasetError {
    let mav = "\(layout.root)/mav0"
    if layout.hasImagesOnly, layout.imu != nil {
      return DatasetError(
        file: "\(mav)/cam0", found: "images without tracks",
        expected: "cam0/features.csv, which 'fuse track' makes, or odometry0 in \(mav)")
    }
    if layout.imu != nil {
      return DatasetError(
        file: "\(mav)/cam0/features.csv", found: "no such file", expected: "tracks beside imu0, or odometry0")
    }
    if !layout.cameras.isEmpty || !layout.images.isEmpty {
      return DatasetError(file: "\(mav)/imu0", found: "no such folder", expected: "imu0 beside cam0, or odometry0")
    }
    return DatasetError(file: mav, found: "nothing that gives a trajectory", expected: "imu0 and cam0, or odometry0")
  }
}
