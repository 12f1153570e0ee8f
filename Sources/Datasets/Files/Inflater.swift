import CCompression

/// Unpacks what deflate has packed, in pieces.
package final class Inflater {
  /// What is around the packed bytes.
  package enum Form {
    /// Nothing.
    case raw
    /// A gzip file.
    case gzip
  }

  // zlib keeps the address of its stream.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let isOpen: Bool
  /// Whether the packed bytes came to their end.
  package private(set) var hasEnded = false

  /// Unpacks from the first byte on.
  package init(_ form: Form) {
    stream.initialize(to: z_stream())
    isOpen = (form == .gzip ? fuse_inflate_gzip_begin(stream) : fuse_inflate_raw_begin(stream)) == Z_OK
  }

  deinit {
    if isOpen { inflateEnd(stream) }
    stream.deallocate()
  }

  /// Unpacks some bytes; false where they are no packed ones, or go on behind their end.
  package func feed(_ packed: [UInt8], _ write: ([UInt8]) throws -> Void) throws -> Bool {
    guard isOpen, !hasEnded else { return false }
    guard !packed.isEmpty else { return true }
    var packed = packed, room = [UInt8](repeating: 0, count: 1 << 18)
    var at = 0
    while true {
      var produced = 0, consumed = 0
      let status: Int32 = packed.withUnsafeMutableBufferPointer { input in
        room.withUnsafeMutableBufferPointer { output in
          stream.pointee.next_in = input.baseAddress! + at
          stream.pointee.avail_in = UInt32(input.count - at)
          stream.pointee.next_out = output.baseAddress
          stream.pointee.avail_out = UInt32(output.count)
          let status = inflate(stream, Z_NO_FLUSH)
          produced = output.count - Int(stream.pointee.avail_out)
          consumed = input.count - at - Int(stream.pointee.avail_in)
          return status
        }
      }
      at += consumed
      if produced > 0 { try write(Array(room[..<produced])) }
      switch status {
      case Z_STREAM_END:
        hasEnded = true
        return at == packed.count
      case Z_OK, Z_BUF_ERROR:
        if at == packed.count, produced < room.count { return true }
        if produced == 0, consumed == 0 { return false }
      default: return false
      }
    }
  }
}
