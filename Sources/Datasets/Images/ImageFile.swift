import Foundation
import Images

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
