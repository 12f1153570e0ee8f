import Images
import SensorData

/// The images of one camera in order of time, and counts of those that cannot be used.
///
/// An image that is missing, damaged or of another size is skipped and counted, unless reading is strict; more than
/// half of them are an error.
final class ImageList {
  /// One image.
  struct Entry {
    /// The middle of its exposure, nanoseconds, and its arrival.
    var time: Int64, arrival: Int64
    /// Exposure, seconds; nil where unknown.
    var exposure: Double?
    var row: ImageListDecoder.Row
  }

  let rows: RowStream<ImageListDecoder>
  private let folder: RecordingFile
  private let stamps: ImageStamps
  private let exposures: ExposureTimes?
  private let isStrict: Bool
  private var last = Int64.min, lastArrival = Int64.min
  private var counts: [DamageKind: Int] = [:]
  private var looked = 0, unusable = 0
  private var firstFault: DatasetError?

  /// Least number of bad images for a check before the end.
  private static let enough = 20

  init(_ camera: CameraImages, stamps: ImageStamps, isStrict: Bool) throws(DatasetError) {
    rows = try RowStream(camera.list, ImageListDecoder(), isStrict: isStrict)
    folder = camera.folder
    exposures = try camera.exposures.map { file throws(DatasetError) in try ExposureTimes(file, isStrict: isStrict) }
    guard stamps == .middle || exposures != nil else {
      throw DatasetError(
        file: camera.list.path, found: "stamps of the \(stamps.rawValue) of the exposure and no exposures",
        expected: "exposure.csv beside it")
    }
    self.stamps = stamps
    self.isStrict = isStrict
  }

  /// What was read and skipped so far.
  var damage: FileDamage {
    var damage = rows.table.damage
    damage.counts.merge(counts) { $0 + $1 }
    return damage
  }

  /// The next image; nil at the end.
  func next() throws(DatasetError) -> Entry? {
    while let row = try rows.next() {
      let exposure = try exposures?.exposure(at: row.time)
      guard let shift = stamps.shift(exposure) else {
        try skip(row, .missingExposure, found: "an image without its exposure", expected: "one in exposure.csv")
        continue
      }
      let time = row.time + shift
      guard time > last else {
        try skip(row, .timeGoingBack, found: "exposures that overlap", expected: "images in order of time")
        continue
      }
      last = time
      lastArrival = max(row.arrival, time, lastArrival)
      return Entry(time: time, arrival: lastArrival, exposure: exposure, row: row)
    }
    return nil
  }

  /// The file of an image, of the size in the calibration.
  func file(_ entry: Entry, _ camera: CameraCalibration) -> ImageFile {
    ImageFile(
      path: folder.path + "/" + entry.row.name, width: camera.width, height: camera.height, bits: camera.imageBits)
  }

  /// Counts a usable image.
  func countUsed() { looked += 1 }

  /// Counts an unusable image, or ends the reading.
  func record(_ fault: ImageFile.Fault, of entry: Entry) throws(DatasetError) {
    let location = folder.relativePath.split(separator: "/").last.map { "\($0)/" } ?? ""
    try skip(
      entry.row, fault.kind, found: "\(fault.found) in \(location)\(entry.row.name)", expected: fault.expected)
    if unusable >= Self.enough { try checkDamage() }
  }

  /// Counts an image without one of cam0 at its time.
  func countUnpaired() { counts[.unpairedImage, default: 0] += 1 }

  private func skip(
    _ row: ImageListDecoder.Row, _ kind: DamageKind, found: String, expected: String
  ) throws(DatasetError) {
    let error = DatasetError(file: rows.table.path, line: row.line, found: found, expected: expected)
    if isStrict { throw error }
    if firstFault == nil { firstFault = error }
    counts[kind, default: 0] += 1
    looked += 1
    unusable += 1
  }

  /// Ends the reading where most images so far could not be used.
  func checkDamage() throws(DatasetError) {
    guard let first = firstFault, 2 * unusable > looked else { return }
    throw DatasetError(
      file: first.file, line: first.line,
      found: "\(unusable) of \(looked) images that cannot be used, here the first: \(first.found)",
      expected: "most of them whole; here \(first.expected)")
  }
}

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

/// Finds the images that belong to frames, in order of time.
package final class ImageLookup {
  private let list: ImageList
  private let calibration: CameraCalibration

  init(_ list: ImageList, _ calibration: CameraCalibration) { (self.list, self.calibration) = (list, calibration) }

  /// The image of a frame; nil where there is no usable one. Stamps must rise from call to call.
  package func image(at stamp: Timestamp) throws(DatasetError) -> GrayImage? {
    while let entry = try list.next() {
      guard entry.time >= stamp.nanoseconds else { continue }
      return entry.time == stamp.nanoseconds ? try? list.file(entry, calibration).load() : nil
    }
    return nil
  }
}

/// Meaning of a recording's image timestamps: `image_stamps` in `dataset.yaml`.
enum ImageStamps: String, CaseIterable, Sendable {
  /// The middle of the exposure, as EuRoC's cameras stamp.
  case middle
  /// Its start: half of the exposure is added.
  case start
  /// Its end: half of the exposure is subtracted.
  case end

  /// Correction of a timestamp, nanoseconds; nil where it needs an unknown exposure (seconds).
  func shift(_ exposure: Double?) -> Int64? {
    let half = exposure.map { Int64(($0 * 5e8).rounded()) }
    return switch self {
    case .middle: 0
    case .start: half
    case .end: half.map { -$0 }
    }
  }
}
