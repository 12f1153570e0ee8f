import Datasets
import Testing

/// Deflated bytes, made by Python's zlib of "one two three " four times.
@Suite struct InflaterTests {
  private static let text = Array(String(repeating: "one two three ", count: 4).utf8)
  private static let raw: [UInt8] = [
    203, 207, 75, 85, 40, 41, 207, 87, 40, 201, 40, 74, 77, 85, 200, 39, 154, 7, 0,
  ]
  private static let gzip =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 3] + raw + [151, 194, 81, 165, 56, 0, 0, 0]

  /// What comes of bytes in pieces; nil where one of them is refused.
  private static func unpacked(
    _ form: Inflater.Form, _ bytes: [UInt8], pieces: Int
  ) throws -> (bytes: [UInt8], hasEnded: Bool)? {
    let inflater = Inflater(form)
    var unpacked: [UInt8] = []
    for begin in stride(from: 0, to: bytes.count, by: pieces) {
      guard try inflater.feed(Array(bytes[begin..<min(begin + pieces, bytes.count)]), { unpacked += $0 }) else {
        return nil
      }
    }
    return (unpacked, inflater.hasEnded)
  }

  @Test(arguments: [1, 7, 100])
  func isUnpackedInPieces(_ pieces: Int) throws {
    for (form, bytes) in [(Inflater.Form.raw, Self.raw), (.gzip, Self.gzip)] {
      let whole = try #require(try Self.unpacked(form, bytes, pieces: pieces))
      #expect(whole.bytes == Self.text && whole.hasEnded)
      let cut = try #require(try Self.unpacked(form, bytes.dropLast(2) + [], pieces: pieces))
      #expect(!cut.hasEnded)
    }
  }

  @Test func whatIsNotPackedIsRefused() throws {
    #expect(try Self.unpacked(.gzip, Self.raw, pieces: 100) == nil)
    #expect(try Self.unpacked(.gzip, Self.gzip + [0], pieces: 100) == nil)
    #expect(try Self.unpacked(.gzip, Self.gzip + Self.gzip, pieces: Self.gzip.count) == nil)
    var damaged = Self.gzip
    damaged[damaged.count - 5] ^= 1
    #expect(try Self.unpacked(.gzip, damaged, pieces: 100) == nil)
    #expect(try Self.unpacked(.raw, [], pieces: 1)?.hasEnded == false)
  }
}
