import Geometry

/// The visible surfaces as flat rectangles: the room from inside, furniture, walls. The landmarks lie on them.
package struct Scene: Sendable {
  /// A box of furniture or a wall inside the room.
  struct Obstacle: Sendable {
    /// Its facets: six of a box, or the only one of a wall.
    let facets: Range<Int>
    /// Its bounding sphere, world, metres.
    let centre: Vector3, radius: Double

    var isBox: Bool { facets.count == 6 }
  }

  /// All rectangles; the first six are the faces of the room.
  package private(set) var facets: [Facet] = []
  private(set) var obstacles: [Obstacle] = []

  /// The scene of a scenario. A wall that is not opaque is invisible.
  init(_ room: Scenario.Room, furniture: [RoomLandmarks.Box], walls: [Scenario.Wall], seed: UInt64) {
    var random = RandomStream.paint.generator(seed: seed)
    facets = Self.box(low: room.low, high: room.high)
    for (index, face) in Self.faces.enumerated() {
      facets[index].brightness = face == .floor ? 0.36 : face == .ceiling ? 0.66 : Float(random.uniform(0.45...0.6))
      facets[index].contrast = room.blank.contains(face) ? 0 : face == .ceiling ? 0.45 : 0.6
    }
    for box in furniture {
      let first = facets.count
      let shade = Float(random.uniform(0.25...0.7))
      facets += Self.box(low: box.low, high: box.high)
      for index in first..<facets.count {
        // Light comes from above.
        let face = Self.faces[index - first]
        facets[index].brightness =
          face == .ceiling ? shade + 0.15 : face == .ahead || face == .behind ? shade : shade - 0.06
      }
      obstacles.append(
        Obstacle(facets: first..<facets.count, centre: (box.low + box.high) / 2, radius: (box.high - box.low).norm / 2))
    }
    for wall in walls where wall.isOpaque {
      let corner = Vector3(wall.from.x, wall.from.y, wall.bottom)
      let along = Vector3(wall.to.x - wall.from.x, wall.to.y - wall.from.y, 0)
      let extent = SIMD2(along.norm, wall.top - wall.bottom)
      let facet = Facet(
        corner: corner, u: along.normalized, v: Vector3(0, 0, 1), extent: extent, textureOrigin: .zero,
        brightness: 0.55, contrast: wall.landmarks > 0 ? 0.6 : 0)
      facets.append(facet)
      let across = along + Vector3(0, 0, extent.y)
      obstacles.append(
        Obstacle(facets: facets.count - 1..<facets.count, centre: corner + across / 2, radius: across.norm / 2))
    }
    for index in facets.indices {
      facets[index].textureOrigin = SIMD2(random.uniform(), random.uniform()) * 16 / Texture.texel
    }
  }

  /// The faces in the order of a box's facets.
  private static let faces: [Scenario.Face] = [.ahead, .behind, .left, .right, .ceiling, .floor]

  private static func box(low: Vector3, high: Vector3) -> [Facet] {
    let size = high - low
    let (x, y, z) = (Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1))
    func facet(_ corner: Vector3, _ u: Vector3, _ v: Vector3) -> Facet {
      Facet(
        corner: corner, u: u, v: v, extent: SIMD2(abs(u.dot(size)), abs(v.dot(size))), textureOrigin: .zero,
        brightness: 0.5, contrast: 0.6)
    }
    return [
      facet(Vector3(high.x, low.y, low.z), y, z), facet(low, z, y), facet(Vector3(low.x, high.y, low.z), z, x),
      facet(low, x, z), facet(Vector3(low.x, low.y, high.z), x, y), facet(low, y, x),
    ]
  }
}
