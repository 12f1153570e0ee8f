import Foundation
import Geometry
import Ranging

/// The motion that would tell most of what is left, and how long it would take.
///
/// A step `delta` changes a range by `-u . delta`: two places in directions `u_1`, `u_2` are told apart by motion along
/// `u_1 - u_2`, one wide place is narrowed by motion along its widest axis.
package struct Manoeuvre: Equatable, Sendable {
  /// A sweep of the arm: 0.5 m from end to end, one stroke a second.
  private static let stroke = 0.5
  private static let frequency = 0.5

  /// How it would be done.
  package enum Kind: String, Sendable {
    case sideways, upAndDown, forwardsAndBack
  }

  /// How.
  package let kind: Kind
  /// Unit vector of the motion, world.
  package let axis: Vector3
  /// By how much the two likeliest places differ in range after a metre of it, metres; nil where one place is left.
  package let separation: Double?
  /// Seconds of such a sweep until the gate would open, expected; nil where the noise or the rate is not known.
  package let seconds: Double?

  /// The motion that tells the likeliest place from the next one, until all but `limit` of the posterior is there: as long as
  /// the most stubborn of the others takes.
  ///
  /// - Parameter places: likeliest first, at least two.
  package static func separating(
    _ places: [Place], limit: Double, worldFromDevice: Pose, noise: RangeNoise?, rate: Double
  ) -> Manoeuvre {
    let first = places[0]
    let difference = first.direction - places[1].direction
    let information = information(noise, rate: rate)
    let seconds = information.map { information in
      places.dropFirst().map { rival in
        let odds = log(max(rival.share, limit) / max(limit, 1e-12))
        return 2 * odds / (max((first.direction - rival.direction).squaredNorm, 1e-6) * information)
      }.max() ?? 0
    }
    return Manoeuvre(
      axis: difference.normalized, separation: difference.norm, worldFromDevice: worldFromDevice, seconds: seconds)
  }

  /// The motion that narrows a place to 1-sigma of `goal` along `axis`, radians.
  package static func narrowing(
    _ sigma: Double, to goal: Double, axis: Vector3, worldFromDevice: Pose, noise: RangeNoise?, rate: Double
  ) -> Manoeuvre {
    let missing = max(1 / (goal * goal) - 1 / (sigma * sigma), 0)
    return Manoeuvre(
      axis: axis, separation: nil, worldFromDevice: worldFromDevice,
      seconds: information(noise, rate: rate).map { missing / $0 })
  }

  private init(axis: Vector3, separation: Double?, worldFromDevice: Pose, seconds: Double?) {
    self.axis = axis
    self.separation = separation
    self.seconds = seconds
    let ahead = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation)
    let level = Vector3(axis.x, axis.y, 0)
    if abs(axis.z) > level.norm {
      kind = .upAndDown
    } else {
      kind = abs(level.dot(Vector3(cos(ahead), sin(ahead), 0))) > 0.8 * level.norm ? .forwardsAndBack : .sideways
    }
  }

  /// Fisher information about a sine of direction that a second of sweeping gathers, 1/s: the power of the sweep over the
  /// noise's density at its frequency, `a^2 / (sigma^2 / f + 2 tau s^2 / (1 + (omega tau)^2))`: a matched filter in white noise
  /// sigma at f ranges a second and Gauss-Markov noise s with memory tau.
  ///
  /// Source: Van Trees, "Detection, estimation, and modulation theory" I, 1968, 4.3.
  package static func information(_ noise: RangeNoise?, rate: Double) -> Double? {
    guard let noise, rate > 0 else { return nil }
    let omega = 2 * Double.pi * frequency
    let tau = noise.correlationTime
    let density =
      noise.white * noise.white / rate
      + 2 * tau * noise.coloured * noise.coloured / (1 + omega * omega * tau * tau)
    guard density > 0 else { return nil }
    return stroke * stroke / 8 / density
  }
}
