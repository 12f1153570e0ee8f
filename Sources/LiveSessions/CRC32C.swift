/// CRC-32C (Castagnoli), eight bytes at a time.
/// Source: M. E. Kounavis, F. L. Berry, "A systematic approach to building high performance software-based CRC
/// generators", ISCC 2005, doi:10.1109/ISCC.2005.18.
enum CRC32C {
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
      tables[byte] = crc
    }
    for byte in 0..<256 {
      for slice in 1..<8 {
        let before = tables[(slice - 1) * 256 + byte]
        tables[slice * 256 + byte] = before >> 8 ^ tables[Int(before & 0xFF)]
      }
    }
    return tables
  }()

  /// The checksum of some bytes.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { table in
      var crc = ~UInt32(0)
      var at = 0
      while bytes.count - at >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ UInt64(crc)
        var next: UInt32 = 0
        for k in 0..<8 { next ^= table[(7 - k) * 256 + Int(word >> (8 * UInt64(k)) & 0xFF)] }
        crc = next
        at += 8
      }
      while at < bytes.count {
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[at])]
        at += 1
      }
      return ~crc
    }
  }
}
