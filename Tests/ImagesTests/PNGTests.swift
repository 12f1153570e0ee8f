import CImages
import Foundation
import Images
import Simulation
import TestSupport
import Testing

/// PNG coding: written images read back, damaged files are refused, headers are not trusted.
@Suite struct PNGTests {
  private static func random(_ width: Int, _ height: Int, seed: UInt64) -> GrayImage {
    var random = SeededRandom(seed: seed)
    return GrayImage(width: width, height: height, pixels: (0..<width * height).map { _ in UInt8(random.next() & 255) })
  }

  @Test(arguments: [(1, 1), (1, 7), (640, 480), (3, 1), (333, 17)])
  func writtenPixelsReadBack(_ size: (width: Int, height: Int)) throws {
    let image = Self.random(size.width, size.height, seed: 3)
    let bytes = try image.png()
    #expect(try GrayImage(encoded: bytes) == image)
    // Noise is incompressible; the overhead is small.
    #expect(bytes.count < size.width * size.height * 65 / 64 + 4096)
    #expect(try image.png() == bytes)
  }

  @Test func aFlatImageIsSmall() throws {
    let image = GrayImage(width: 640, height: 480, pixels: [UInt8](repeating: 90, count: 640 * 480))
    #expect(try image.png().count < 10_000)
    #expect(image.meanLuma == 90.0 / 255)
  }

  /// Truncation at any byte is an error; never a crash, and never an image.
  @Test func truncatedFilesAreRefused() throws {
    let bytes = try Self.random(40, 30, seed: 5).png()
    for count in 0..<bytes.count {
      let error = #expect(throws: ImageError.self) { try GrayImage(encoded: Array(bytes.prefix(count))) }
      #expect(error == (count < 8 ? .unknownFormat : .damaged), "\(count) of \(bytes.count) bytes")
    }
  }

  /// Any changed byte is an error, or the same image where the byte carries no pixels.
  @Test func flippedBytesAreRefused() throws {
    let image = Self.random(40, 30, seed: 6)
    let bytes = try image.png()
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x55
      if let read = try? GrayImage(encoded: damaged) { #expect(read == image, "byte \(index)") }
    }
  }

  @Test func nonImagesAreRefused() throws {
    #expect(throws: ImageError.unknownFormat) { try GrayImage(encoded: []) }
    #expect(throws: ImageError.unknownFormat) { try GrayImage(encoded: Array("P5 2 2 255 abcd".utf8)) }
    #expect(throws: ImageError.damaged) {
      try GrayImage(encoded: [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10, 0x4A, 0x46, 0x49, 0x46])
    }
  }

  /// A header with a correct checksum and a wrong size.
  @Test(arguments: [(39, 30), (41, 30), (40, 29), (40, 31), (30, 40), (80, 30), (40, 60)])
  func headersOfAnotherSizeAreRefused(_ size: (width: Int, height: Int)) throws {
    var bytes = try Self.random(40, 30, seed: 7).png()
    Self.setSize(&bytes, size.width, size.height)
    #expect(throws: ImageError.damaged) { try GrayImage(encoded: bytes) }
  }

  /// At most 64 MPixel; refused by the header alone.
  @Test func tooLargeIsRefusedBeforeMemoryIsTaken() throws {
    var bytes = try Self.random(4, 4, seed: 8).png()
    for (width, height) in [(1 << 13, (1 << 13) + 1), (Int(Int32.max), Int(Int32.max)), (1 << 27, 1)] {
      Self.setSize(&bytes, width, height)
      #expect(throws: ImageError.tooLarge(width: width, height: height)) { try GrayImage(encoded: bytes) }
    }
    for (width, height) in [(0, 4), (4, 0)] {
      Self.setSize(&bytes, width, height)
      #expect(throws: ImageError.damaged) { try GrayImage(encoded: bytes) }
    }
    #expect(Int(FUSE_IMAGE_LARGEST) == GrayImage.largest)
    #expect(fuse_image_encoded_limit(1 << 13, (1 << 13) + 1) == 0)
  }

  /// Images in other programs' formats, constructed with stored (not compressed) rows.
  @Test func depthsColoursAndAlphaBecomeGrey() throws {
    // 16-bit grey: the upper byte. 1-bit grey: black and white. Colour: luma. Alpha: dropped.
    #expect(try Self.read(depth: 16, colour: 0, row: [0x12, 0xFF, 0xFE, 0x00]) == [0x12, 0xFE])
    #expect(try Self.read(depth: 1, colour: 0, row: [0b0100_0000]) == [0, 255])
    #expect(try Self.read(depth: 4, colour: 0, row: [0x3F]) == [51, 255])
    #expect(try Self.read(depth: 8, colour: 4, row: [10, 0, 200, 255]) == [10, 200])
    #expect(try Self.read(depth: 8, colour: 2, row: [255, 0, 0, 7, 7, 7]) == [76, 7])
    #expect(try Self.read(depth: 8, colour: 6, row: [0, 255, 0, 9, 255, 255, 255, 0]) == [149, 255])
    #expect(try Self.read(depth: 16, colour: 2, row: [0, 255, 0, 255, 255, 0, 8, 0, 8, 1, 8, 2]) == [28, 8])
    #expect(try Self.read(depth: 8, colour: 3, palette: [1, 1, 1, 255, 255, 255], row: [1, 0]) == [255, 1])
  }

  /// A 12-bit camera's values in 16 bits, not stretched: the upper 8 of the 12; beyond them white.
  @Test func twelveBitsInSixteen() throws {
    func read(_ row: [UInt8], colour: UInt8 = 0, bits: Int) throws -> [UInt8] {
      let bytes = StoredPNG.encoded(width: 2, height: 1, depth: 16, colour: colour, rows: [row])
      #expect(try GrayImage.depth(encoded: bytes) == 16)
      return try GrayImage(encoded: bytes, bits: bits).pixels
    }
    #expect(try read([0x0A, 0xBC, 0x0F, 0xFF], bits: 12) == [0xAB, 0xFF])
    #expect(try read([0x01, 0x23, 0x10, 0x00], bits: 12) == [0x12, 0xFF])
    #expect(try read([0x01, 0x23, 0x03, 0xFF], bits: 10) == [0x48, 0xFF])
    #expect(try read([0x0A, 0xBC, 0x0F, 0xFF], bits: 16) == [0x0A, 0x0F])
    #expect(try read([0x0F, 0xF0, 0, 0, 0, 0, 0, 0x70, 0, 0x70, 0, 0x70], colour: 2, bits: 12) == [76, 7])
    #expect(try GrayImage(encoded: Self.random(4, 4, seed: 9).png(), bits: 12) == Self.random(4, 4, seed: 9))
    #expect(try GrayImage.depth(encoded: Self.random(4, 4, seed: 9).png()) == 8)
  }

  private static func read(depth: UInt8, colour: UInt8, palette: [UInt8] = [], row: [UInt8]) throws -> [UInt8] {
    try GrayImage(
      encoded: StoredPNG.encoded(width: 2, height: 1, depth: depth, colour: colour, palette: palette, rows: [row])
    ).pixels
  }

  private static func setSize(_ bytes: inout [UInt8], _ width: Int, _ height: Int) {
    let header = StoredPNG.bigEndian(UInt32(width)) + StoredPNG.bigEndian(UInt32(height)) + bytes[24..<29]
    bytes.replaceSubrange(8..<33, with: StoredPNG.chunk("IHDR", header))
  }
}
