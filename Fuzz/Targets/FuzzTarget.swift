import Datasets
import Foundation
import Images
import JSONText
import RecordedDevices
import Simulation

/// What reads bytes from outside. Each takes any bytes: it returns, or throws an error of its own kind; it never traps,
/// hangs, or gives a number that is not finite.
package enum FuzzTarget: String, CaseIterable {
  /// Tables of a recording, of every sensor.
  case tables
  /// Calibrations and scenarios.
  case yaml
  /// PNG and JPEG.
  case images
  /// JSON as `fuse` writes it.
  case json
  /// The files of a run, up to the report.
  case updates
  /// Messages of accessories.
  case accessory
  /// Datagrams and frames of peers.
  case peers

  /// Runs on one input.
  package func run(_ bytes: [UInt8]) {
    switch self {
    case .tables: RecordingFuzz.tables(bytes)
    case .yaml: RecordingFuzz.yaml(bytes)
    case .images: Self.images(bytes)
    case .json: Self.json(bytes)
    case .updates: RunFuzz.run(bytes)
    case .accessory: Self.accessory(bytes)
    case .peers: PeerFuzz.run(bytes)
    }
  }

  private static func images(_ bytes: [UInt8]) {
    guard let size = try? GrayImage.size(encoded: bytes) else { return }
    precondition(size.width > 0 && size.height > 0 && size.width * size.height <= GrayImage.largest)
    // Whole images take long: the size is what a header can ask for.
    guard size.width * size.height <= 1 << 20, let image = try? GrayImage(encoded: bytes) else { return }
    precondition(image.pixels.count == size.width * size.height)
    precondition((try? GrayImage(encoded: image.png())) == image, "a written image is read back")
  }

  private static func json(_ bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes) else { return }
    var first = JSONWriter()
    first.value(value)
    guard let again = JSONValue(parsing: first.bytes) else {
      preconditionFailure("what was written is no JSON")
    }
    var second = JSONWriter()
    second.value(again)
    precondition(first.bytes == second.bytes, "written again it differs")
  }

  private static func accessory(_ bytes: [UInt8]) {
    let data = Data(bytes)
    if let message = try? AccessoryMessage(data) {
      precondition((try? AccessoryMessage(message.data)) == message)
    }
    if let configuration = try? AccessoryConfigurationData(data) {
      precondition((try? AccessoryConfigurationData(configuration.data)) == configuration)
    }
    if let configuration = try? ShareableConfigurationData(data) {
      precondition((try? ShareableConfigurationData(configuration.data)) == configuration)
    }
  }
}

/// A folder for one process, gone with it.
enum FuzzFolder {
  /// In memory where the system has such a place: files are made for every input.
  static let path: String = {
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    let path = "\(parent)/fuse-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: FuzzFolder.path) }
    return path
  }()

  /// Writes a file.
  static func write(_ name: String, _ bytes: [UInt8]) {
    let path = "\(path)/\(name)"
    let folder = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
      fatalError("\(path): cannot be written")
    }
  }
}
