import Geometry

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
