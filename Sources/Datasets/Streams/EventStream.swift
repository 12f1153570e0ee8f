import SensorData

/// One of the merged streams.
protocol EventStream: AnyObject {
  /// The next event in the stream's own order of arrival; nil at the end.
  func next() throws(DatasetError) -> TimedEvent?
  /// Rows read and skipped so far, per file.
  var damage: [FileDamage] { get }
  /// Warnings about its headers.
  var warnings: [String] { get }
}

extension RowStream: EventStream where Decoder.Row == TimedEvent {}

/// Opens the streams of a recording, in the order that decides ties.
enum EventStreams {
  /// - Parameter tracking: tracking of images; nil: their frames have no tracks.
  static func open(
    _ layout: RecordingLayout, rig: RigCalibration, readsOdometry: Bool, tracking: ImageTrackingOptions?, isStrict: Bool
  ) throws(DatasetError) -> [any EventStream] {
    var streams: [any EventStream] = []
    if let file = layout.imu { streams.append(try RowStream(file, IMUDecoder(), isStrict: isStrict)) }
    if readsOdometry, let file = layout.odometry {
      streams.append(try RowStream(file, OdometryDecoder(), isStrict: isStrict))
    }
    for (number, files) in layout.cameras.enumerated() {
      streams.append(try CameraStream(camera: number, files: files, isStrict: isStrict))
    }
    if !layout.images.isEmpty {
      streams.append(
        try ImageStream(
          layout.images, rig: rig, imu: layout.imu, stamps: layout.imageStamps, options: tracking, isStrict: isStrict))
    }
    if let file = layout.events { streams.append(try RowStream(file, DeviceEventDecoder(), isStrict: isStrict)) }
    if let file = layout.radio, let radio = rig.radio {
      streams.append(try RowStream(file, RangeDecoder(radio: radio), isStrict: isStrict))
    }
    return streams
  }
}
