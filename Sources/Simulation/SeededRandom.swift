import Foundation
import Geometry

/// A deterministic generator of random numbers: same seed, same draws, on every machine.
///
/// xoshiro256++ seeded by splitmix64. Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators",
/// ACM TOMS 47(4), 2021, doi:10.1145/3460772.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var s: (UInt64, UInt64, UInt64, UInt64)

  /// A generator; `stream` separates independent sequences of one seed (one per sensor).
  package init(seed: UInt64, stream: UInt64 = 0) {
    var z = seed &+ stream &* 0xD1B5_4A32_D192_ED03
    func next() -> UInt64 {
      z &+= 0x9E37_79B9_7F4A_7C15
      var x = z
      x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
      x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
      return x ^ (x >> 31)
    }
    s = (next(), next(), next(), next())
  }

  package mutating func next() -> UInt64 {
    let sum = s.0 &+ s.3
    let result = ((sum << 23) | (sum >> 41)) &+ s.0
    let t = s.1 << 17
    s.2 ^= s.0
    s.3 ^= s.1
    s.1 ^= s.2
    s.0 ^= s.3
    s.2 ^= t
    s.3 = (s.3 << 45) | (s.3 >> 19)
    return result
  }

  /// Uniform in [0, 1).
  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in the given range.
  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Standard normal (Box-Muller, one of the pair: no hidden state between draws).
  package mutating func gaussian() -> Double {
    let u = 1 - uniform()
    return (-2 * Foundation.log(u)).squareRoot() * Foundation.cos(2 * .pi * uniform())
  }

  /// Three independent standard normals.
  package mutating func gaussian3() -> Vector3 { Vector3(gaussian(), gaussian(), gaussian()) }

  /// Exponential with the given mean.
  package mutating func exponential(mean: Double) -> Double { -mean * Foundation.log(1 - uniform()) }

  /// True with the given probability.
  package mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

  /// A direction uniform on the sphere.
  package mutating func direction() -> Vector3 {
    let z = uniform(-1...1)
    let angle = uniform(0...(2 * .pi))
    let r = (1 - z * z).squareRoot()
    return Vector3(r * Foundation.cos(angle), r * Foundation.sin(angle), z)
  }

  /// A rotation uniform on SO(3).
  package mutating func rotation() -> Rotation {
    Rotation(w: gaussian(), x: gaussian(), y: gaussian(), z: gaussian())
  }
}
