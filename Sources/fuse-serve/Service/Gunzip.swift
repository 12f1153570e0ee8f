import CCompression

/// Unpacks gzip, at most so many bytes: a small body must not become a large one.
enum Gunzip {
  enum Failure: Error, Equatable {
    /// More than the limit.
    case tooLarge
    /// No gzip, or cut off.
    case damaged
  }

  /// The unpacked bytes.
  static func bytes(_ packed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard fuse_inflate_gzip_begin(&stream) == Z_OK else { throw .damaged }
    defer { inflateEnd(&stream) }
    var packed = packed
    var unpacked: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    var status: Int32 = Z_OK
    var failure: Failure?
    packed.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      repeat {
        let produced: Int = room.withUnsafeMutableBufferPointer { output in
          stream.next_out = output.baseAddress
          stream.avail_out = UInt32(output.count)
          status = inflate(&stream, Z_NO_FLUSH)
          return output.count - Int(stream.avail_out)
        }
        guard status == Z_OK || status == Z_STREAM_END else {
          failure = .damaged
          return
        }
        if unpacked.count + produced > limit {
          failure = .tooLarge
          return
        }
        unpacked.append(contentsOf: room[..<produced])
        if status == Z_OK, stream.avail_in == 0, produced < room.count {
          failure = .damaged
          return
        }
      } while status != Z_STREAM_END
      if stream.avail_in > 0 { failure = .damaged }
    }
    if let failure { throw failure }
    return unpacked
  }
}
