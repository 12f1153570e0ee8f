internal import CImages

/// Why bytes cannot be decoded as an image.
package enum ImageError: Error, Equatable, CustomStringConvertible {
  /// They do not begin as a PNG or JPEG file does, or there are none.
  case unknownFormat
  /// Truncated, a wrong checksum, or more or less data than the header states.
  case damaged
  /// More pixels than `GrayImage.largest`.
  case tooLarge(width: Int, height: Int)
  /// The system gave no memory.
  case noMemory

  /// What was found, and what was expected.
  package var description: String {
    switch self {
    case .unknownFormat: "found no signature of an image, expected a PNG or JPEG image"
    case .damaged: "found a damaged image, expected a whole one"
    case .tooLarge(let width, let height):
      "found an image of \(width)x\(height) pixels, expected at most \(GrayImage.largest)"
    case .noMemory: "found no memory for an image"
    }
  }

  /// Throws the error of a return code of the C interface.
  static func check(_ code: Int32, _ width: UInt32, _ height: UInt32) throws(ImageError) {
    switch Int(code) {
    case FUSE_IMAGE_OK: return
    case FUSE_IMAGE_UNKNOWN: throw .unknownFormat
    case FUSE_IMAGE_TOO_LARGE: throw .tooLarge(width: Int(width), height: Int(height))
    case FUSE_IMAGE_DAMAGED: throw .damaged
    case FUSE_IMAGE_NO_MEMORY: throw .noMemory
    default: preconditionFailure("the C interface was called with inconsistent sizes")
    }
  }
}
