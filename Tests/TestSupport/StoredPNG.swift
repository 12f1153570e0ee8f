/// PNG files of any depth, written without compression, in formats that the project reads but does not write.
package enum StoredPNG {
  /// A file from its rows, packed as the PNG specification says for the depth and the type of colour.
  package static func encoded(
    width: Int, height: Int, depth: UInt8, colour: UInt8 = 0, palette: [UInt8] = [], rows: [[UInt8]]
  ) -> [UInt8] {
    let raw = rows.flatMap { row -> [UInt8] in [0] + row }
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    bytes += chunk("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [depth, colour, 0, 0, 0])
    if !palette.isEmpty { bytes += chunk("PLTE", palette) }
    return bytes + chunk("IDAT", deflated(raw)) + chunk("IEND", [])
  }

  /// 16-bit grey, as TUM-VI has it: the upper byte is the pixel, the lower one `fine`.
  package static func grey16(width: Int, height: Int, pixels: [UInt8], fine: (Int) -> UInt8) -> [UInt8] {
    let rows = (0..<height).map { row in
      (row * width..<(row + 1) * width).flatMap { index -> [UInt8] in [pixels[index], fine(index)] }
    }
    return encoded(width: width, height: height, depth: 16, rows: rows)
  }

  /// A chunk with its length and checksum, with any content, for corrupt images.
  package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(checksum(body))
  }

  /// The four bytes of a number, the largest first.
  package static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Uncompressed (stored) blocks.
  private static func deflated(_ raw: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x78, 0x01]
    var adler: (UInt32, UInt32) = (1, 0)
    for start in stride(from: 0, to: raw.count, by: 65535) {
      let block = raw[start..<min(start + 65535, raw.count)]
      let count = UInt16(block.count)
      bytes += [block.endIndex == raw.count ? 1 : 0]
      bytes += [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
      bytes += [UInt8(truncatingIfNeeded: ~count), UInt8(~count >> 8)] + block
    }
    for byte in raw {
      adler.0 = (adler.0 + UInt32(byte)) % 65521
      adler.1 = (adler.1 + adler.0) % 65521
    }
    return bytes + bigEndian(adler.1 << 16 | adler.0)
  }

  /// CRC-32 as in the PNG specification, annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
  }

  private static let table: [UInt32] = (0..<256).map { (byte: UInt32) -> UInt32 in
    (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }
}
