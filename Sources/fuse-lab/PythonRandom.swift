import CDigest
import Foundation

/// The draws of Python's `random.Random`, bit by bit: recorded figures and seeds stay valid.
///
/// Source of the generator: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998,
/// doi:10.1145/272991.272995; its seeding by an array is that of their revision of 2002.
package final class PythonRandom {
  private static let size = 624, middle = 397
  private var state = [UInt32](repeating: 0, count: size)
  private var place = size
  /// The second value of a pair of normal draws.
  private var spare: Double?

  /// `Random(number)`.
  package convenience init(_ number: UInt64) {
    self.init(key: number >> 32 == 0 ? [UInt32(number)] : [UInt32(truncatingIfNeeded: number), UInt32(number >> 32)])
  }

  /// `Random(text)`: the text and its SHA-512 as one number.
  package convenience init(_ text: String) {
    var digest = [UInt8](repeating: 0, count: 64)
    let bytes = Array(text.utf8)
    let isHashed = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha512(), nil) == 1
    precondition(isHashed, "the hash library has no SHA-512")
    let number = (bytes + digest).drop { $0 == 0 }.reversed()
    var key: [UInt32] = []
    for (index, byte) in number.enumerated() {
      if index.isMultiple(of: 4) { key.append(0) }
      key[key.count - 1] |= UInt32(byte) << UInt32(8 * (index % 4))
    }
    self.init(key: key)
  }

  private init(key: [UInt32]) {
    let size = Self.size
    state[0] = 19_650_218
    for i in 1..<size { state[i] = 1_812_433_253 &* (state[i - 1] ^ state[i - 1] >> 30) &+ UInt32(i) }
    var (i, j) = (1, 0)
    func advance() {
      i += 1
      if i == size { (state[0], i) = (state[size - 1], 1) }
    }
    for _ in 0..<max(size, key.count) {
      state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >> 30) &* 1_664_525) &+ key[j] &+ UInt32(j)
      advance()
      j = (j + 1) % key.count
    }
    for _ in 1..<size {
      state[i] = (state[i] ^ (state[i - 1] ^ state[i - 1] >> 30) &* 1_566_083_941) &- UInt32(i)
      advance()
    }
    state[0] = 0x8000_0000
  }

  private func word() -> UInt32 {
    if place == Self.size {
      for k in state.indices {
        let joined = state[k] & 0x8000_0000 | state[(k + 1) % Self.size] & 0x7FFF_FFFF
        state[k] = state[(k + Self.middle) % Self.size] ^ joined >> 1 ^ (joined & 1 == 0 ? 0 : 0x9908_B0DF)
      }
      place = 0
    }
    var y = state[place]
    place += 1
    y ^= y >> 11
    y ^= y << 7 & 0x9D2C_5680
    y ^= y << 15 & 0xEFC6_0000
    return y ^ y >> 18
  }

  /// Below a positive number, each as likely.
  private func index(below count: Int) -> Int {
    let bits = UInt32(Int.bitWidth - count.leadingZeroBitCount)
    while true {
      let value = Int(word() >> (32 - bits))
      if value < count { return value }
    }
  }

  /// `random()`: from 0 to below 1.
  package func random() -> Double {
    let (high, low) = (Double(word() >> 5), Double(word() >> 6))
    return (high * 67_108_864 + low) * (1 / 9_007_199_254_740_992)
  }

  /// `uniform(low, high)`.
  package func uniform(_ low: Double, _ high: Double) -> Double { low + (high - low) * random() }

  /// `choice(elements)`, of at least one.
  package func choice<Element>(_ elements: [Element]) -> Element { elements[index(below: elements.count)] }

  /// `randint(low, high)`, both ends included.
  package func integer(_ range: ClosedRange<Int>) -> Int { range.lowerBound + index(below: range.count) }

  /// `gauss(mean, deviation)`.
  package func gaussian(_ mean: Double, _ deviation: Double) -> Double {
    if let value = spare {
      spare = nil
      return mean + value * deviation
    }
    let angle = random() * (2 * .pi)
    let radius = (-2 * log(1 - random())).squareRoot()
    spare = sin(angle) * radius
    return mean + cos(angle) * radius * deviation
  }

  /// Uniform in the logarithm.
  package func logUniform(_ low: Double, _ high: Double) -> Double { exp(uniform(log(low), log(high))) }

  /// These elements, and as many drawn from them, several times: samples of the bootstrap.
  package func samples<Element>(of elements: [Element], draws: Int) -> [[Element]] {
    [elements] + (0..<draws).map { _ in elements.map { _ in choice(elements) } }
  }
}
