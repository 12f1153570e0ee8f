import Foundation
import Geometry

extension Scenario {
  /// A box-shaped room with landmarks on its six faces and on the furniture; distances from the start of the device.
  package struct Room: Equatable, Sendable {
    /// Corner ahead, left and up, metres.
    package var high = Vector3(9, 5, 1.4)
    /// Corner behind, right and down, metres.
    package var low = Vector3(-4, -5, -1.3)
    /// Landmarks on walls, floor and ceiling.
    package var landmarks = 6000
    /// Boxes of furniture along the walls, each with 30 landmarks.
    package var furniture = 12
    /// The faces without landmarks and pattern.
    package var blank: [Face] = []

    /// The defaults.
    package init() {}
  }

  /// One of the six faces of the room.
  package enum Face: String, Equatable, Sendable, CaseIterable {
    case ahead, behind, left, right, ceiling, floor
  }
}

extension Scenario.Room {
  /// Whether a point on the faces of this room lies on a blank one.
  func isBlank(_ point: Vector3) -> Bool {
    blank.contains { face in
      switch face {
      case .ahead: point.x == high.x
      case .behind: point.x == low.x
      case .left: point.y == high.y
      case .right: point.y == low.y
      case .ceiling: point.z == high.z
      case .floor: point.z == low.z
      }
    }
  }

  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var room = self
    let walls = 0.5...200.0
    try f.number("ahead_m", walls).map { room.high.x = $0 }
    try f.number("left_m", walls).map { room.high.y = $0 }
    try f.number("ceiling_m", walls).map { room.high.z = $0 }
    try f.number("behind_m", walls).map { room.low.x = -$0 }
    try f.number("right_m", walls).map { room.low.y = -$0 }
    try f.number("floor_m", walls).map { room.low.z = -$0 }
    try f.integer("landmarks", 0...20_000).map { room.landmarks = $0 }
    try f.integer("furniture", 0...200).map { room.furniture = $0 }
    try f.choices("blank", Scenario.Face.self).map { room.blank = $0 }
    return room
  }
}

extension Scenario {
  /// A thin upright wall inside the room. It blocks the radio and, if opaque, the camera.
  package struct Wall: Equatable, Sendable {
    /// One end in the plan, metres: x ahead, y left.
    package var from: SIMD2<Double>
    /// The other end.
    package var to: SIMD2<Double>
    /// Lower edge, metres above the start of the device.
    package var bottom: Double
    /// Upper edge, metres above the start of the device.
    package var top: Double
    /// NLOS bias of a range through it, metres.
    package var nlosBias = 0.5
    /// Whether it occludes what is behind it.
    package var isOpaque = true
    /// Landmarks on it, visible from either side.
    package var landmarks = 300

    /// A wall from its edges.
    package init(from: SIMD2<Double>, to: SIMD2<Double>, bottom: Double, top: Double) {
      self.from = from
      self.to = to
      self.bottom = bottom
      self.top = top
    }
  }
}

extension Scenario.Wall {
  /// Whether the segment from a to b crosses it; a segment that ends on the wall does not.
  ///
  /// In the plan, `a + s (b - a) = from + t (to - from)` is solved for s and t by Cramer's rule.
  package func intersectsSegment(from a: Vector3, to b: Vector3) -> Bool {
    let segment = SIMD2(b.x - a.x, b.y - a.y)
    let along = to - from
    let gap = from - SIMD2(a.x, a.y)
    let determinant = segment.x * along.y - segment.y * along.x
    guard determinant != 0 else { return false }
    let s = (gap.x * along.y - gap.y * along.x) / determinant
    let t = (gap.x * segment.y - gap.y * segment.x) / determinant
    guard s > 1e-9, s < 1 - 1e-9, t >= 0, t <= 1 else { return false }
    let crossingZ = a.z + s * (b.z - a.z)
    return crossingZ >= bottom && crossingZ <= top
  }

  /// A wall of the file; without `bottom_m` and `top_m` from floor to ceiling.
  init(_ f: inout Fields, in room: Scenario.Room) throws(ScenarioError) {
    let (from, to) = (try f.numbers("from_m", count: 2, -1000...1000), try f.numbers("to_m", count: 2, -1000...1000))
    let heights = -1000.0...1000
    let (bottom, top) = (try f.number("bottom_m", heights), try f.number("top_m", heights))
    let nlosBias = try f.number("excess_m", 0...50)
    let isOpaque = try f.flag("opaque")
    let landmarks = try f.integer("landmarks", 0...20_000)
    guard let from else { throw f.missing("from_m") }
    guard let to else { throw f.missing("to_m") }
    guard from != to else { throw f.refuse("to_m", "the wall has no length") }
    self.init(
      from: SIMD2(from[0], -from[1]), to: SIMD2(to[0], -to[1]), bottom: bottom ?? room.low.z, top: top ?? room.high.z)
    guard self.bottom < self.top else { throw f.refuse("top_m", "the wall has no height") }
    nlosBias.map { self.nlosBias = $0 }
    isOpaque.map { self.isOpaque = $0 }
    landmarks.map { self.landmarks = $0 }
  }
}

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

extension Scenario {
  /// The shadow of the person who stands behind the device: ranges to a peer behind are too long, by a wave that creeps
  /// round the body.
  ///
  /// A law of the ranges alone, smooth at its edge, and no NLOS interval: `Body` is the obstacle that a radio can tell.
  package struct BodyShadow: Equatable, Sendable {
    /// Excess of a range deep in the shadow, metres.
    package var excess: Double
    /// Angle between straight ahead, which is horizontal, and the peer at which half of the excess is reached, radians.
    private var onset = Angle.degrees(100)
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
