import Foundation
import Images
import SensorData

/// An image file of a camera with known image size.
struct ImageFile: Sendable {
  /// Why an image cannot be used.
  struct Fault: Error {
    var kind: DamageKind
    var found: String
    var expected: String
  }

  let path: String
  /// Columns and rows of the calibration.
  let width: Int
  let height: Int
  /// How many of 16 bits are in use.
  var bits = 16

  /// Reads and decodes it, with memory bounded by the expected size.
  func load() throws(Fault) -> GrayImage {
    let bytes = try self.bytes()
    let expected = "an image of \(width)x\(height) pixels"
    do {
      let size = try GrayImage.size(encoded: bytes)
      guard size.width == width, size.height == height else {
        throw Fault(
          kind: .wrongImageSize, found: "an image of \(size.width)x\(size.height) pixels",
          expected: "\(width)x\(height) as in sensor.yaml")
      }
      return try GrayImage(encoded: bytes, bits: bits)
    } catch let fault as Fault {
      throw fault
    } catch {
      let text = (error as? ImageError)?.description ?? "found an image that cannot be read, expected a whole one"
      let halves = text.dropFirst("found ".count).components(separatedBy: ", expected ")
      throw Fault(
        kind: .damagedImage, found: halves[0], expected: halves.count > 1 ? halves[1] : expected)
    }
  }

  func bytes() throws(Fault) -> [UInt8] {
    let descriptor: Int32, size: Int64
    do { (descriptor, size) = try RegularFile.open(path) } catch {
      throw Fault(kind: .missingImage, found: error.found, expected: "an image")
    }
    defer { close(descriptor) }
    // Four channels of 16 bits, uncompressed, and headers.
    let most = Int64(width) * Int64(height) * 9 + 1 << 20
    guard size <= most else {
      throw Fault(kind: .damagedImage, found: "a file of \(size) bytes", expected: "at most \(most)")
    }
    guard size > 0 else { throw Fault(kind: .damagedImage, found: "an empty file", expected: "an image") }
    var filled = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      while filled < buffer.count {
        guard
          let got = try? RegularFile.read(
            descriptor, into: buffer.baseAddress! + filled, buffer.count - filled, path: path), got > 0
        else { break }
        filled += got
      }
      count = filled
    }
    return bytes
  }
}

/// Images of 16 bits of which fewer are in use, which would look black.
enum ImageDepth {
  /// A line for every camera whose first image has 16 bits, none of them above the 12th, where the calibration does not
  /// say so.
  static func warnings(_ layout: RecordingLayout, _ rig: RigCalibration) throws(DatasetError) -> [String] {
    var lines: [String] = []
    for (camera, files) in layout.images.enumerated() where rig.cameras[camera].imageBits == 16 {
      let list = try ImageList(files, stamps: layout.imageStamps, isStrict: false)
      guard let entry = try list.next(), let bytes = try? list.file(entry, rig.cameras[camera]).bytes(),
        (try? GrayImage.depth(encoded: bytes)) == 16, let image = try? GrayImage(encoded: bytes),
        let brightest = image.pixels.max(), brightest > 0, brightest < 16
      else { continue }
      lines.append(
        "\(files.folder.path)/\(entry.row.name): 16 bits, none above the 12th in use: state image_bits: 12 in "
          + "\(layout.root)/mav0/cam\(camera)/sensor.yaml if this camera has 12")
    }
    return lines
  }
}

/// An image that is read on another thread, or on demand.
final class PendingImage: @unchecked Sendable {
  private let file: ImageFile
  private let group: DispatchGroup?
  // Written once before the group is left, read only after it.
  private var result: Result<GrayImage, ImageFile.Fault>?

  /// - Parameter queue: where it is read from now on; nil: in `value()`.
  init(_ file: ImageFile, on queue: DispatchQueue?) {
    self.file = file
    guard let queue else {
      group = nil
      return
    }
    let group = DispatchGroup()
    self.group = group
    queue.async(group: group) { [self] in result = Self.load(file) }
  }

  /// The image; waits for it.
  func value() throws(ImageFile.Fault) -> GrayImage {
    group?.wait()
    if result == nil { result = Self.load(file) }
    return try result!.get()
  }

  private static func load(_ file: ImageFile) -> Result<GrayImage, ImageFile.Fault> {
    do { return .success(try file.load()) } catch { return .failure(error) }
  }
}
