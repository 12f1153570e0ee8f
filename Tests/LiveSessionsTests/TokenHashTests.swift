import LiveSessions
import Testing

struct TokenHashTests {
  @Test func onlyTheTokenMatches() {
    for index in 0..<20_000 {
      let hash = TokenHash(of: "token \(index)")
      if index % 100 == 0 { #expect(hash.matches("token \(index)")) }
      #expect(!hash.matches("x \(index)"))
    }
  }

  /// One digit of the hash, whichever it is, decides.
  @Test func everyDigitCounts() {
    let hash = TokenHash(of: "secret")
    for place in 0..<64 {
      for digit in "0123456789abcdef" {
        var digits = Array(hash.hexadecimal)
        let isSame = digits[place] == digit
        digits[place] = digit
        #expect(TokenHash(hexadecimal: String(digits)).matches("secret") == isSame)
      }
    }
  }

  @Test func hashesOfAnotherLengthMatchNothing() {
    let hash = TokenHash(of: "secret").hexadecimal
    #expect(!TokenHash(hexadecimal: "").matches("secret"))
    #expect(!TokenHash(hexadecimal: String(hash.dropLast())).matches("secret"))
    #expect(!TokenHash(hexadecimal: hash + "0").matches("secret"))
  }
}
