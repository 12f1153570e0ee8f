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

/// The independent random sequences of one seed: changing one sensor does not shift another.
enum RandomStream: UInt64 {
  case tremor = 1
  case room, inertialBias, inertialNoise, tracks, pixels, luma, odometry, triads, stamps, droppedFrames,
    secondPixels, walls, texture, paint, movers, miscalibration, array, antennaPattern

  // Sequences per peer, disjoint from the others.
  /// Errors of the ranges.
  static func ranging(peer index: Int) -> UInt64 { 1000 + UInt64(index) }
  /// Errors of the angles of arrival.
  static func angles(peer index: Int) -> UInt64 { 1_000_000 + UInt64(index) }
  /// Latencies of the ranges.
  static func delays(peer index: Int) -> UInt64 { 2_000_000 + UInt64(index) }
  /// Intervals without ranges.
  static func silence(peer index: Int) -> UInt64 { 3_000_000 + UInt64(index) }
  /// Received power.
  static func power(peer index: Int) -> UInt64 { 4_000_000 + UInt64(index) }
  /// Errors of the reported LOS/NLOS state.
  static func nlosReports(peer index: Int) -> UInt64 { 5_000_000 + UInt64(index) }
  /// Noise of the pixels of a frame, counted from the start of the recording.
  static func image(camera: Int, frame: Int) -> UInt64 { 1_000_000_000 * UInt64(camera + 1) + UInt64(frame) }
  /// Initial position.
  static func placement(peer index: Int) -> UInt64 { 6_000_000 + UInt64(index) }
  /// Biases of the NLOS intervals named by the scenario.
  static func nlosIntervals(peer index: Int) -> UInt64 { 8_000_000 + UInt64(index) }
  /// Path.
  static func stroll(peer index: Int) -> UInt64 { 7_000_000 + UInt64(index) }

  /// Errors of each antenna.
  static func antennas(peer index: Int) -> UInt64 { 9_000_000 + UInt64(index) }

  /// Errors that depend on the place.
  static func multipath(peer index: Int) -> UInt64 { 10_000_000 + UInt64(index) }
  /// Their dependence on attitude and on the peer's own place.
  static func multipathPose(peer index: Int) -> UInt64 { 11_000_000 + UInt64(index) }

  /// The sequence of this kind.
  func generator(seed: UInt64) -> SeededRandom { SeededRandom(seed: seed, stream: rawValue) }
}

/// An on/off state: a two-state Markov chain in continuous time, sampled in equal steps.
///
/// With mean dwell time T and stationary probability p of "on", the exit rate is `1 / T` and the entry rate
/// `p / (1 - p) / T`. The exact transition probability of a step is `rate / total (1 - exp(-total step))`, where total is
/// the sum of both rates.
struct TwoStateChain {
  private let entryProbability: Double
  private let exitProbability: Double
  /// The present state.
  private(set) var isOn: Bool

  /// - Parameters:
  ///   - probability: stationary probability of "on", 0 to below 1; 0: never on.
  ///   - dwell: mean dwell time of "on", seconds.
  ///   - step: sampling period, seconds.
  init(probability: Double, dwell: Double, step: Double, isOn: Bool) {
    self.isOn = isOn
    guard probability > 0 else {
      (entryProbability, exitProbability) = (0, 0)
      return
    }
    let exitRate = 1 / dwell
    let entryRate = exitRate * probability / (1 - probability)
    let totalRate = entryRate + exitRate
    entryProbability = entryRate / totalRate * (1 - exp(-totalRate * step))
    exitProbability = exitRate / totalRate * (1 - exp(-totalRate * step))
  }

  /// One step; `draw` is uniform in [0, 1). True where the state changed.
  mutating func advance(_ draw: Double) -> Bool {
    let changes = draw < (isOn ? exitProbability : entryProbability)
    if changes { isOn.toggle() }
    return changes
  }
}
