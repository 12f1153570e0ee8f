import Foundation
import Images
import SensorData

/// A fault of a recording that ends its reading: which file, which line, what was found and what was expected.
package struct DatasetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, as the user named the folder, joined with the path inside it.
  package var file: String
  /// The line, counted from 1; nil where the whole file is meant.
  package var line: Int?
  /// What was found.
  package var found: String
  /// What was expected.
  package var expected: String

  /// A fault from its parts.
  package init(file: String, line: Int? = nil, found: String, expected: String) {
    self.file = file
    self.line = line
    self.found = found
    self.expected = expected
  }

  /// `error: <file>:<line>: <found>, expected <expected>`, one line.
  package var description: String {
    "error: \(file)\(line.map { ":\($0)" } ?? ""): \(found), expected \(expected)"
  }
}

/// Kinds of damage of a row.
package enum DamageKind: String, CaseIterable, Comparable, Sendable {
  /// More or fewer cells than the header has.
  case cellCount
  /// A needed cell is empty.
  case emptyCell
  /// Not a number, or not a whole number where one is needed.
  case notANumber
  /// NaN or infinity.
  case notFinite
  /// A number outside the sensor's range, or a name that is no text.
  case outOfRange
  /// A range below zero.
  case negativeRange
  /// A quaternion whose length is not 1 within 1 %.
  case notUnitQuaternion
  /// Earlier than the previous row (by arrival, where the file has it).
  case timeGoingBack
  /// Far ahead of the rows around it: an outlier, not the new time.
  case futureStamp
  /// The same key twice.
  case duplicate
  /// A range that was not measured: its cell is empty.
  case notMeasured
  /// The header once more, as where files were joined.
  case repeatedHeader
  /// A line that begins with `#`.
  case comment
  /// An antenna that the calibration does not name, or none where several are named.
  case unknownAntenna
  /// A feature of a frame that frames.csv does not list.
  case frameNotListed
  /// An image that the list names is not there.
  case missingImage
  /// An image that cannot be decoded.
  case damagedImage
  /// An image of another size than in the calibration.
  case wrongImageSize
  /// An image without the exposure that its timestamp requires.
  case missingExposure
  /// An image of a second camera without one of the first at its time.
  case unpairedImage
  /// A faulty last row without an end of line: the recording was cut off.
  case truncatedLastRow

  package static func < (a: DamageKind, b: DamageKind) -> Bool { a.rawValue < b.rawValue }
}

/// How much damage a file may have before it ends the reading.
enum DamageRule {
  /// No bad row among the first 100, at most one in 1,000. A duplicate is skipped and is not bad: drivers repeat rows, and
  /// nothing is lost with them.
  case file
  /// Radios fail by the row: at most one bad row in 10, wherever they stand. Rows without a range, comments and repeated
  /// headers are skipped and are not bad either.
  case radio

  /// The first rows, in which every bad row ends the reading.
  var flawlessRows: Int { self == .file ? 100 : 0 }

  /// One row in so many may be bad.
  var rowsForOneBad: Int64 { self == .file ? 1000 : 10 }

  /// Whether a skipped row of this kind counts as bad.
  func isBad(_ kind: DamageKind) -> Bool {
    switch kind {
    case .truncatedLastRow, .duplicate: false
    case .notMeasured, .repeatedHeader, .comment: self == .file
    default: true
    }
  }
}

/// How many rows of one file were read, and how many were skipped and why.
package struct FileDamage: Equatable, Sendable {
  /// The file, relative to the recording's folder.
  package var path: String
  /// Rows read so far, bad ones included.
  package var rows: Int
  /// Skipped rows by kind; a kind that did not occur is absent.
  package var counts: [DamageKind: Int]

  /// Damage from its parts.
  package init(path: String, rows: Int, counts: [DamageKind: Int]) {
    self.path = path
    self.rows = rows
    self.counts = counts
  }

  /// Skipped rows, all kinds.
  package var total: Int { counts.values.reduce(0, +) }
}

/// Why a row is refused; the table's reader adds file, line and text.
struct RowFault: Error {
  var kind: DamageKind
  /// The cell at fault, counted in the reader's own columns; nil where the row as a whole is meant.
  var column: Int?
}

extension Recording {
  /// What keeps `fuse run` from beginning with a folder; nil where nothing does.
  ///
  /// Opens it as a run does, trajectory and images included, and loads the first image of each camera.
  package static func obstacle(toRun folder: String) -> DatasetError? {
    do throws(DatasetError) {
      let options = ReadingOptions(tracking: ImageTrackingOptions(readsAhead: false) { _, _ in NoTracks() })
      let recording = try open(URL(fileURLWithPath: folder), options: options)
      guard recording.trajectorySource == .imuAndCamera else { return nil }
      for (number, images) in recording.layout.images.enumerated() {
        let list = try ImageList(images, stamps: recording.layout.imageStamps, isStrict: false)
        guard let entry = try list.next() else { continue }
        let file = list.file(entry, recording.rig.cameras[number])
        do { _ = try file.load() } catch {
          throw DatasetError(file: file.path, found: error.found, expected: error.expected)
        }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Columns and rows of the first image of a camera in a folder; nil without one that can be read.
  package static func imageSize(in folder: String, camera number: Int) -> (width: Int, height: Int)? {
    let camera = "mav0/cam\(number)"
    func file(_ name: String) -> RecordingFile {
      RecordingFile(path: "\(folder)/\(camera)/\(name)", relativePath: "\(camera)/\(name)")
    }
    let images = CameraImages(list: file("data.csv"), folder: file("data"))
    guard let list = try? ImageList(images, stamps: .middle, isStrict: false), let entry = try? list.next(),
      let bytes = try? RegularFile.bytes("\(images.folder.path)/\(entry.row.name)", limit: 64 << 20)
    else { return nil }
    return try? GrayImage.size(encoded: bytes)
  }

  private final class NoTracks: ImageTracking {
    func add(_ sample: IMUSample) {}
    func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame] { [] }
  }
}
