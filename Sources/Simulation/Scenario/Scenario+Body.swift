import Foundation
import Geometry

extension Scenario {
  /// The user's body as an obstacle for the radio: an upright cylinder behind the phone, from the floor to the head.
  package struct Body: Equatable, Sendable {
    /// Radius, metres.
    package var radius = 0.2
    /// Horizontal distance from the phone to the cylinder's axis, metres.
    package var behind = 0.5
    /// Height of the head above the phone, metres.
    package var top = 0.35
    /// NLOS bias of a range through the body, metres.
    package var nlosBias = 0.4

    /// The defaults.
    package init() {}
  }
}

extension Scenario.Body {
  /// Whether the segment from a to b intersects the body when the hand is at `hand`.
  ///
  /// In the plan, `|a + s (b - a) - axis| = radius` is a quadratic in s. The lower end of the part inside the circle is
  /// compared with the head.
  package func intersectsSegment(from a: Vector3, to b: Vector3, hand: HandPose) -> Bool {
    let axis = hand.position - behind * hand.ahead
    let segment = SIMD2(b.x - a.x, b.y - a.y)
    let gap = SIMD2(a.x - axis.x, a.y - axis.y)
    let square = (segment * segment).sum()
    let (half, rest) = ((segment * gap).sum(), (gap * gap).sum() - radius * radius)
    let head = hand.position.z + top
    // A vertical segment.
    guard square > 0 else { return rest < 0 && min(a.z, b.z) < head }
    let discriminant = half * half - square * rest
    guard discriminant > 0 else { return false }
    let root = discriminant.squareRoot()
    let (enter, leave) = (max(0, (-half - root) / square), min(1, (-half + root) / square))
    guard enter < leave else { return false }
    let climb = b.z - a.z
    return min(a.z + enter * climb, a.z + leave * climb) < head
  }

  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var body = self
    try f.number("radius_m", 0.05...1).map { body.radius = $0 }
    try f.number("behind_m", 0.1...2).map { body.behind = $0 }
    try f.number("top_m", -1...1).map { body.top = $0 }
    try f.number("excess_m", 0...50).map { body.nlosBias = $0 }
    guard body.radius < body.behind else { throw f.refuse("radius_m", "the phone would be inside the body") }
    return body
  }
}
