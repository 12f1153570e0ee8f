internal import CImages

/// An 8-bit grey image: rows from the top, 0 black ... 255 white. The centre of the first pixel is at (0, 0).
package struct GrayImage: Equatable, Sendable {
  /// Most pixels of an image: 16 MPixel. A larger one is refused by its header.
  package static let largest = 16 << 20

  /// Pixels in a row.
  package let width: Int
  /// Rows.
  package let height: Int
  /// `width * height` values, row-major.
  package var pixels: [UInt8]

  /// An image from its pixels.
  ///
  /// - Precondition: `pixels.count == width * height`, not empty, at most `largest`.
  package init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width > 0 && height > 0 && pixels.count == width * height && pixels.count <= Self.largest)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The image in the upper left of a larger one, which is black elsewhere.
  ///
  /// - Precondition: neither side is shorter than the image's; at most `largest` pixels.
  package func padded(width: Int, height: Int) -> GrayImage {
    precondition(width >= self.width && height >= self.height && width * height <= Self.largest)
    var padded = [UInt8](repeating: 0, count: width * height)
    for row in 0..<self.height {
      padded.replaceSubrange(
        row * width..<row * width + self.width, with: pixels[row * self.width..<(row + 1) * self.width])
    }
    return GrayImage(width: width, height: height, pixels: padded)
  }

  /// The image reduced by a whole factor: each pixel is the mean of a square of `factor` pixels a side, of a smaller one
  /// at the right and lower edges.
  ///
  /// - Precondition: `factor` is positive.
  package func reduced(by factor: Int) -> GrayImage {
    precondition(factor > 0)
    if factor == 1 { return self }
    let (columns, rows) = ((width + factor - 1) / factor, (height + factor - 1) / factor)
    var means = [UInt8](repeating: 0, count: columns * rows)
    for row in 0..<rows {
      let below = min((row + 1) * factor, height)
      for column in 0..<columns {
        let right = min((column + 1) * factor, width)
        var sum = 0
        for y in row * factor..<below {
          for x in column * factor..<right { sum += Int(pixels[y * width + x]) }
        }
        let count = (below - row * factor) * (right - column * factor)
        means[row * columns + column] = UInt8((sum + count / 2) / count)
      }
    }
    return GrayImage(width: columns, height: rows, pixels: means)
  }

  /// Mean brightness, 0 black ... 1 white.
  package var meanLuma: Double {
    Double(pixels.reduce(into: 0) { $0 += Int($1) }) / (255 * Double(pixels.count))
  }

  /// Columns and rows from the header of a PNG or JPEG file; the pixels are not decoded.
  ///
  /// - Throws: `ImageError`.
  package static func size(encoded bytes: [UInt8]) throws(ImageError) -> (width: Int, height: Int) {
    var (width, height): (UInt32, UInt32) = (0, 0)
    try ImageError.check(fuse_image_size(bytes, bytes.count, &width, &height), width, height)
    return (Int(width), Int(height))
  }

  /// Bits of a sample, from the header of a PNG file; 8 for JPEG.
  ///
  /// - Throws: `ImageError`.
  package static func depth(encoded bytes: [UInt8]) throws(ImageError) -> Int {
    _ = try size(encoded: bytes)
    return bytes[0] == 0x89 ? Int(bytes[24]) : 8
  }

  /// Decodes a PNG or JPEG file. Of samples of 16 bits the upper 8 of the `bits` in use are kept, colour becomes luma
  /// (ITU-R BT.601), alpha is dropped.
  ///
  /// - Parameter bits: how many of 16 bits are in use, 9...16: 12 for a 12-bit camera whose values are not stretched.
  /// - Throws: `ImageError`; a too large image is refused by its header, before memory is allocated.
  package init(encoded bytes: [UInt8], bits: Int = 16) throws(ImageError) {
    var (width, height): (UInt32, UInt32) = (0, 0)
    try ImageError.check(fuse_image_size(bytes, bytes.count, &width, &height), width, height)
    let count = Int(width) * Int(height)
    var code: Int32 = 0
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      code = fuse_image_decode(bytes, bytes.count, buffer.baseAddress, width, height, UInt32(bits))
      initialized = Int(code) == FUSE_IMAGE_OK ? count : 0
    }
    try ImageError.check(code, width, height)
    self.init(width: Int(width), height: Int(height), pixels: pixels)
  }

  /// The bytes of a PNG file. Same pixels, same bytes.
  ///
  /// - Throws: `ImageError.noMemory`.
  package func png() throws(ImageError) -> [UInt8] {
    let (width, height) = (UInt32(width), UInt32(height))
    let capacity = fuse_image_encoded_limit(width, height)
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      code = fuse_image_encode(pixels, width, height, buffer.baseAddress, capacity, &initialized)
      if Int(code) != FUSE_IMAGE_OK { initialized = 0 }
    }
    try ImageError.check(code, width, height)
    return bytes
  }

  /// The bytes of a grey JPEG file. Same pixels, same bytes.
  ///
  /// - Parameter quality: 1...100, libjpeg's.
  /// - Precondition: no side longer than 65500 pixels, JPEG's limit.
  /// - Throws: `ImageError.noMemory`.
  package func jpeg(quality: Int) throws(ImageError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    let code = fuse_image_encode_jpeg(pixels, UInt32(width), UInt32(height), Int32(quality), &bytes, &count)
    defer { fuse_image_free(bytes) }
    try ImageError.check(code, UInt32(width), UInt32(height))
    return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  }
}

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
