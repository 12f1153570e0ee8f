import Geometry
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

/// Decodes the current row of a table, or throws its fault.
protocol RowDecoder {
  associatedtype Row
  /// The columns of the format, stamp and arrival first.
  static var columns: [Column] { get }
  /// How much damage its file may have.
  static var damageRule: DamageRule { get }
  /// Decodes the row; its stamp is `table.time`, already checked.
  mutating func decode(_ table: TableReader) throws(RowFault) -> Row
}

extension RowDecoder {
  static var damageRule: DamageRule { .file }
}

/// The valid rows of one file, in order; bad ones are counted or end the reading.
final class RowStream<Decoder: RowDecoder> {
  let table: TableReader
  private var decoder: Decoder

  init(_ file: RecordingFile, _ decoder: Decoder, isStrict: Bool) throws(DatasetError) {
    table = try TableReader(
      path: file.path, relativePath: file.relativePath, columns: Decoder.columns, rule: Decoder.damageRule,
      isStrict: isStrict)
    self.decoder = decoder
  }

  /// Rows read and skipped so far.
  var damage: [FileDamage] { [table.damage] }
  /// Warnings about the header.
  var warnings: [String] { table.header.warnings }

  func next() throws(DatasetError) -> Decoder.Row? {
    while try table.advance() {
      do throws(RowFault) {
        try table.readTime()
        let row = try decoder.decode(table)
        table.accept()
        return row
      } catch {
        try table.reject(error)
      }
    }
    return nil
  }
}

/// One file of a recording.
package struct RecordingFile: Equatable, Sendable {
  /// Its path, with the folder as given by the user.
  package var path: String
  /// Its path inside the recording's folder.
  package var relativePath: String

  /// A file from its paths.
  package init(path: String, relativePath: String) { (self.path, self.relativePath) = (path, relativePath) }
}

/// `imu0/data.csv`, EuRoC's columns.
struct IMUDecoder: RowDecoder {
  static let columns =
    Column.time
    + ["x", "y", "z"].map { Column("w_RS_S_\($0)", "rad s^-1", "rad/s", bounds: SensorBounds.angularVelocity) }
    + ["x", "y", "z"].map { Column("a_RS_S_\($0)", "m s^-2", "m/s^2", bounds: SensorBounds.specificForce) }

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    let angularVelocity = try table.vector(2)
    let specificForce = try table.vector(5)
    try table.unique(0, in: &seen, column: 0)
    return table.timed(
      .imu(IMUSample(timestamp: table.timestamp, angularVelocity: angularVelocity, specificForce: specificForce)))
  }
}

/// `odometry0/data.csv`: poses of external odometry.
private struct OdometryDecoder: RowDecoder {
  static let columns = Column.time + Column.pose()

  private var seen = SeenKeys<Int8>()

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    let pose = Pose(rotation: try table.rotation(5), translation: try table.vector(2))
    try table.unique(0, in: &seen, column: 0)
    return table.timed(.odometry(OdometryPose(timestamp: table.timestamp, worldFromSensor: pose)))
  }
}

/// `uwb0/data.csv`: ranges and further radio measurements.
private struct RangeDecoder: RowDecoder {
  static let columns =
    Column.time + [
      .text("peer_id"),
      Column("range", "m", bounds: SensorBounds.range),
      Column("range_std", "m", needed: false, bounds: SensorBounds.rangeDeviation),
      Column("azimuth", "rad", needed: false, bounds: SensorBounds.azimuth),
      Column("elevation", "rad", needed: false, bounds: SensorBounds.elevation),
      Column("angle_std", "rad", needed: false, bounds: SensorBounds.angleDeviation),
      .text("antenna_id", needed: false),
      Column("rssi", "dBm", needed: false, bounds: SensorBounds.power),
      Column("first_path_power", "dBm", needed: false, bounds: SensorBounds.power),
      Column("nlos", "", "1", needed: false, bounds: SensorBounds.nlos),
      .text("technology", needed: false),
    ]

  static var damageRule: DamageRule { .radio }

  private struct Link: Hashable, Sendable {
    var peer: String
    var antenna: String?
    var technology: String?
  }

  private let radio: RadioCalibration
  private var seen = SeenKeys<Link>()

  init(radio: RadioCalibration) { self.radio = radio }

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    guard let peer = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    guard table.cell(3).count > 0 else { throw RowFault(kind: .notMeasured, column: 3) }
    let range = try table.number(3)
    guard range >= 0 else { throw RowFault(kind: .negativeRange, column: 3) }
    let antenna = try table.text(8)
    guard radio.position(of: antenna) != nil else { throw RowFault(kind: .unknownAntenna, column: 8) }
    let measurement = RangeMeasurement(
      timestamp: table.timestamp, peer: peer,
      // A range shorter than its stated bias is noise at no distance.
      range: max(range - radio.rangeBias.value(peer: peer, antenna: antenna), 0),
      standardDeviation: try table.numberIfAny(4), azimuth: try table.numberIfAny(5),
      elevation: try table.numberIfAny(6), angleStandardDeviation: try table.numberIfAny(7), antenna: antenna,
      rssi: try table.numberIfAny(9),
      firstPathPower: try table.numberIfAny(10), nonLineOfSight: try table.numberIfAny(11),
      technology: try table.text(12))
    try table.unique(
      Link(peer: peer, antenna: antenna, technology: measurement.technology), in: &seen, column: 2)
    return table.timed(.range(measurement))
  }
}

/// `events0/data.csv`: events of the device or a peer; an open list of names.
struct DeviceEventDecoder: RowDecoder {
  static let columns = Column.time + [.text("event"), .text("peer_id", needed: false)]

  mutating func decode(_ table: TableReader) throws(RowFault) -> TimedEvent {
    guard let name = try table.text(2) else { throw RowFault(kind: .emptyCell, column: 2) }
    return table.timed(.device(DeviceEvent(timestamp: table.timestamp, name: name, peer: try table.text(3))))
  }
}
