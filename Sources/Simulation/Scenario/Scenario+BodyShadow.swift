import Foundation
import Geometry

extension Scenario {
  /// The shadow of the person who stands behind the device: ranges to a peer behind are too long, by a wave that creeps
  /// round the body.
  ///
  /// A law of the ranges alone, smooth at its edge, and no NLOS interval: `Body` is the obstacle that a radio can tell.
  package struct BodyShadow: Equatable, Sendable {
    /// Excess of a range deep in the shadow, metres.
    package var excess: Double
    /// Angle between straight ahead, which is horizontal, and the peer at which half of the excess is reached, radians.
    package var onset = Angle.degrees(100)
    /// Width of the edge, from none of the excess to all of it, radians.
    package var edge = Angle.degrees(15)

    /// A shadow with this excess, metres.
    package init(excess: Double) { self.excess = excess }
  }
}

extension Scenario.BodyShadow {
  /// Excess of a range from a device of this attitude, metres, as a function of the vector to the peer (world).
  package func excess(worldFromDevice: Rotation) -> @Sendable (Vector3) -> Double {
    let azimuth = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice)
    let ahead = Vector3(cos(azimuth), sin(azimuth), 0)
    let (begin, end) = (max(onset - 0.5 * edge, 0), min(onset + 0.5 * edge, .pi))
    let (lit, dark) = (cos(begin), cos(end))
    return { toPeer in
      let cosine = ahead.dot(toPeer) / max(toPeer.norm, 1e-9)
      guard cosine < lit else { return 0 }
      guard cosine > dark || end == .pi else { return excess }
      let depth = min(max((acos(min(max(cosine, -1), 1)) - onset) / edge + 0.5, 0), 1)
      return excess * depth * depth * (3 - 2 * depth)
    }
  }

  /// Nil without `body_shadow_m`, which the other keys require.
  init?(_ f: inout Fields) throws(ScenarioError) {
    let excess = try f.number("body_shadow_m", 0...50)
    let onset = try f.number("body_shadow_from_deg", 0...180)
    let edge = try f.number("body_shadow_edge_deg", 0.1...180)
    guard let excess else {
      guard onset == nil, edge == nil else { throw f.missing("body_shadow_m") }
      return nil
    }
    self.init(excess: excess)
    onset.map { self.onset = Angle.degrees($0) }
    edge.map { self.edge = Angle.degrees($0) }
  }
}
