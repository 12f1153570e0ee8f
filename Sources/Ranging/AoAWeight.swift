import Foundation

/// What an angle of arrival counts for.
///
/// An offset of the array explains small errors of all angles of a link, and no large ones: that a peer is ahead and not behind, each angle of a device that turns tells
/// anew. So an angle counts twice, in parts: as a measurement of the variance `R / told`, and, for the rest, by how far it is beyond what an offset excuses.
package struct AoAWeight: Equatable, Sendable {
  /// Share of an independent angle without offset that it is worth for where the peer is, 0...1.
  package let told: Double
  /// The same if there were no offset, `told...1`.
  package let own: Double
  /// Errors up to this an offset explains, radians.
  package let excused: Double

  package init(told: Double, own: Double, excused: Double) {
    (self.told, self.own, self.excused) = (told, own, excused)
  }

  /// An angle that counts for nothing.
  package static let none = AoAWeight(told: 0, own: 0, excused: 0)

  /// The logarithm of how well hypotheses logPredictiveDensity a cosine, as far as `told` leaves it and no offset excuses it; zero where one does.
  ///
  /// - Parameters:
  ///   - innovation: of the cosine.
  ///   - spread: the hypotheses' own variance of it.
  ///   - noise: variance of the cosine.
  ///   - slope: of the cosine over the angle (`DirectionCosine.slope`).
  ///   - strange: share of angles that are wrong altogether, with cosines anywhere between -1 and 1.
  package func unexcused(_ innovation: Lanes, spread: Lanes, noise: Lanes, slope: Lanes, strange: Lanes) -> Lanes {
    guard own > told else { return .zero }
    let over = (innovation.replacing(with: -innovation, where: innovation .< 0) - excused * slope).atLeast(0)
    let variance = spread + noise / own
    // The density of a strange cosine over that of a regular one at its peak.
    let anywhere = 0.5 * strange * (2 * Double.pi * variance).squareRoot() / slope
    let share = ((1 - strange) * Lanes.exp(-0.5 * over * over / variance) + anywhere) / (1 - strange + anywhere)
    var logs = Lanes.zero
    for lane in 0..<4 where over[lane] > 0 { logs[lane] = log(max(share[lane], 1e-300)) }
    return (1 - told / own) * logs
  }
}
