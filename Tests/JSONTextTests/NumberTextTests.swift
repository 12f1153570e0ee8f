import Foundation
import JSONText
import Simulation
import Testing

@Suite struct NumberTextTests {
  @Test func agreesWithTheStandardLibraryToTheBit() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200_000 {
      let value: Double =
        switch random.next() % 4 {
        case 0: Double(bitPattern: random.next())
        case 1: random.gaussian() * 1000
        case 2: Double(Int64(truncatingIfNeeded: random.next()))
        default: (random.gaussian() * 1e4).rounded() / 1e4
        }
      guard value.isFinite else { continue }
      let text =
        random.chance(0.5) ? "\(value)" : String(format: "%.\(random.next() % 21)f", value.magnitude < 1e30 ? value : 1)
      guard case .number(let read) = NumberText.double(text), let expected = Double(text) else {
        Issue.record("\(text) is a number")
        continue
      }
      #expect(read.bitPattern == expected.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "0", "-0", "+1", "1.", ".5", "-.5e-3", "1e22", "1e23", "9007199254740993", "9007199254740992e22",
    "0.1", "1e-22", "1e-23", "123456789012345678901234567890", "4.9e-324", "2.2250738585072011e-308",
    "0.000000000000000000000000000001", "1E5", "1e+5", "1e-400", "00000000000000000000000000001.5",
  ])
  func edges(text: String) throws {
    let expected = try #require(strtod(text, nil) as Double?)
    #expect(NumberText.double(text) == .number(expected))
  }

  @Test(arguments: ["", "-", ".", "e5", "1e", "1e+", "1..2", "1,2", "0x10", "1 2", "--1", "1e5.0", "one", "1d5", "-e"])
  func noNumbers(text: String) { #expect(NumberText.double(text) == .text) }

  @Test(arguments: ["nan", "NaN", "-nan", "inf", "-inf", "+Infinity", ".nan", "-.inf", "1e309", "-1e999999999999"])
  func notFinite(text: String) { #expect(NumberText.double(text) == .notFinite) }

  @Test(
    arguments: [
      ("0", 0), ("-1", -1), ("+7", 7), ("9223372036854775807", .max),
      ("1700000000012037000", 1_700_000_000_012_037_000),
      ("000000000000000000000000012", 12), ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil), ("", nil),
      ("-", nil),
      ("12a", nil),
    ] as [(String, Int64?)])
  func wholeNumbers(text: String, expected: Int64?) {
    let bytes = Array(text.utf8) + [0]
    #expect(bytes.withUnsafeBufferPointer { NumberText.integer($0.baseAddress!, bytes.count - 1) } == expected)
  }
}
