import Foundation
import Geometry
import Simulation

/// A hand that moves on a known trajectory and ranges to one stationary peer at 10 Hz: truth and readings of one trial.
///
/// Peers are 3 to 7 m away, at all azimuths, elevation N(0, 23 degrees). The range error is white noise, a Gauss-Markov
/// bias and a constant bias.
package struct RangingTrial {
  /// How the hand moves.
  package enum Motion: String, Sendable {
    /// An arm's swing about the shoulder, level.
    case arc
    /// The same with the hand going up and down.
    case arcAndVertical
    /// 3 m straight on, then to the left.
    case lWalk
    /// Side to side on a straight line: the position on the circle about that line is unobservable.
    case sway
    /// Stationary, with a hand's tremor.
    case still

    /// Position of the hand, metres from the start.
    package func position(at t: Double) -> Vector3 {
      let swing = 0.9 * sin(2 * .pi * t / 3)
      let arc = 0.6 * Vector3(sin(swing), cos(swing) - 1, 0)
      switch self {
      case .arc: return arc
      case .arcAndVertical: return arc + Vector3(0, 0, 0.25 * sin(2 * .pi * t / 2.3))
      case .lWalk: return Vector3(min(0.9 * t, 3), max(0.9 * t - 3, 0), 0)
      case .sway: return Vector3(0.3 * sin(.pi * t), 0, 0)
      case .still: return 0.003 * Vector3(sin(9.1 * t), cos(7.3 * t) - 1, sin(5.7 * t))
      }
    }
  }

  /// 1-sigma of the three errors of a range, metres, and the correlation time of the coloured one, seconds.
  package static let (white, coloured, constant, memory) = (0.06, 0.08, 0.10, 2.0)

  /// Noise of a radio: 1-sigma of the white and of the coloured part, metres, and the correlation time of the latter,
  /// seconds.
  package struct Radio: Sendable {
    package var white, coloured, memory: Double

    package init(
      white: Double = RangingTrial.white, coloured: Double = RangingTrial.coloured, memory: Double = RangingTrial.memory
    ) {
      (self.white, self.coloured, self.memory) = (white, coloured, memory)
    }
  }

  /// One range.
  package struct Reading {
    /// Seconds from the start.
    package var time: Double
    /// Metres.
    package var range: Double
    /// Position of the device, metres.
    package var device: Vector3
  }

  /// Position of the peer, metres.
  package let peer: Vector3
  /// The ranges, in time order.
  package var readings: [Reading] = []

  /// - Parameters:
  ///   - peer: its position, metres; drawn when nil.
  ///   - nlosShare: fraction of the ranges with an NLOS bias, exponential with mean 0.5 m.
  package init(
    _ motion: Motion, seconds: Double, peer: Vector3? = nil, random: inout SeededRandom, nlosShare: Double = 0,
    radio: Radio = Radio()
  ) {
    self.peer = peer ?? Self.peer(random: &random)
    let bias = Self.constant * random.gaussian()
    var drifting = radio.coloured * random.gaussian()
    let phi = exp(-0.1 / radio.memory)
    for k in 0...Int((seconds * 10).rounded()) {
      let t = 0.1 * Double(k)
      if k > 0 { drifting = phi * drifting + radio.coloured * (1 - phi * phi).squareRoot() * random.gaussian() }
      let device = motion.position(at: t)
      var range = (self.peer - device).norm + bias + drifting + radio.white * random.gaussian()
      if nlosShare > 0, random.chance(nlosShare) { range += random.exponential(mean: 0.5) }
      readings.append(Reading(time: t, range: max(range, 0), device: device))
    }
  }

  private static func peer(random: inout SeededRandom) -> Vector3 {
    let azimuth = random.uniform(-.pi ... .pi)
    let elevation = min(max(Angle.degrees(23) * random.gaussian(), -1.4), 1.4)
    let distance = random.uniform(3...7)
    return distance * Vector3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation))
  }
}
