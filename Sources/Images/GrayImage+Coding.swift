internal import CImages

extension GrayImage {
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
