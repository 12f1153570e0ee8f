import Foundation
import NearbyInteraction
import RecordedDevices
import Simulation
import Testing

/// The accessory protocol's bytes: golden vectors written by hand from the layout, and random bytes.
@Suite struct AccessoryCodecTests {
  static func bytes(_ hex: String) -> Data {
    let digits = hex.filter { !$0.isWhitespace }
    return Data(
      stride(from: 0, to: digits.count, by: 2).map { at in
        let start = digits.index(digits.startIndex, offsetBy: at)
        return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)!
      })
  }

  static let oldConfiguration = AccessoryConfigurationData(
    updateRate: .userInteractive,
    uwb: UWBConfiguration(
      manufacturer: 0x0102_0304, chipset: 0x0A0B_0C0D, middleware: 7, role: .responder, sourceAddress: [0xAA, 0xBB],
      clockDriftPPM: 100, timing: nil))
  static let newConfiguration = AccessoryConfigurationData(
    updateRate: .infrequent,
    uwb: UWBConfiguration(
      manufacturer: 0x4C, chipset: 1, middleware: 0x0001_0002, role: .initiator, sourceAddress: [0x12, 0x34],
      clockDriftPPM: 20,
      timing: .init(hops: true, slotsPerRound: 6, slotDurationRSTU: 3600, intervalMilliseconds: 240)))
  static let oldAnswer = ShareableConfigurationData(
    country: [0x55, 0x53], session: 0x1122_3344, staticSTS: [1, 2, 3, 4, 5, 6], destinationAddress: [0xCD, 0xEF])
  static let newAnswer = ShareableConfigurationData(
    session: 1, preamble: 11, channel: 5, slotsPerRound: 12, slotDurationRSTU: 2500, intervalMilliseconds: 96,
    roundControl: 6, staticSTS: [9, 8, 7, 6, 5, 4], destinationAddress: [0, 1], clockDriftPPM: 50, hops: false)

  /// A message and its bytes, lowest byte first.
  static let golden: [(message: AccessoryMessage, bytes: Data)] = [
    (
      .configurationData(oldConfiguration),
      bytes(
        """
        01  0100 0000 14 00000000000000000000 15
        0100 0000 04030201 0D0C0B0A 07000000 00 AABB 6400
        """)
    ),
    (
      .configurationData(newConfiguration),
      bytes(
        """
        01  0100 0000 0A 00000000000000000000 20
        0200 0000 4C000000 01000000 02000100 01 1234 1400 00000000 01 0600 100E F000
        """)
    ),
    (.didStart, bytes("02")), (.didStop, bytes("03")), (.initialize, bytes("0A")), (.stop, bytes("0C")),
    (
      .configureAndStart(oldAnswer),
      bytes("0B  0100 0100 19 5553 44332211 0A 09 1900 6009 C800 03 010203040506 CDEF 6400")
    ),
    (
      .configureAndStart(newAnswer),
      bytes("0B  0200 0000 1E 0000 01000000 0B 05 0C00 C409 6000 06 090807060504 0001 3200 00000000 00")
    ),
  ]

  @Test(arguments: AccessoryCodecTests.golden.indices) func goldenVectors(index: Int) throws {
    let (message, bytes) = Self.golden[index]
    #expect(message.data == bytes)
    #expect(try AccessoryMessage(bytes) == message)
    // A slice does not begin at zero.
    #expect(try AccessoryMessage((Data([0]) + bytes).dropFirst()) == message)
  }

  @Test func lengthsArePublished() {
    #expect(Self.oldAnswer.data.count == 30 && Self.newAnswer.data.count == 35)
    #expect(Self.oldConfiguration.data.count == 16 + 21 && Self.newConfiguration.data.count == 16 + 32)
  }

  /// Every truncated message and every extra byte is an error, never a crash and never another message.
  @Test func missingOrExtraBytesAreErrors() {
    for (_, bytes) in Self.golden {
      for count in 0..<bytes.count {
        #expect(throws: AccessoryCodecError.self) { try AccessoryMessage(bytes.prefix(count)) }
      }
      #expect(throws: AccessoryCodecError.self) { try AccessoryMessage(bytes + [0]) }
    }
  }

  /// Ten million random bytes and damaged vectors: a message that decodes is equal after a round trip.
  @Test func tenMillionRandomBytes() throws {
    var random = SeededRandom(seed: 20)
    var bytesSeen = 0
    var readings = 0
    while bytesSeen < 10_000_000 {
      let bits = random.next()
      var data: Data
      if bits & 7 == 0 {
        data = Data((0..<Int(bits >> 8 & 63)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      } else {
        data = Self.golden[Int((bits >> 8) % UInt64(Self.golden.count))].bytes
        for _ in 0..<(1 + Int(bits >> 40 & 1)) {
          let at = Int(random.next() % UInt64(data.count))
          data[data.startIndex + at] ^= UInt8(1) << UInt8(random.next() & 7)
        }
      }
      bytesSeen += data.count
      guard let message = try? AccessoryMessage(data) else { continue }
      readings += 1
      if try AccessoryMessage(message.data) != message { Issue.record("\(data.map { $0 }) is ambiguous") }
    }
    #expect(readings > 1000, "some damage is in fields that may hold anything")
  }
}
