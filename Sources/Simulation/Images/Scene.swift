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

/// A flat rectangle with a part of the pattern on it.
package struct Facet: Sendable {
  /// One corner, world, metres.
  package let corner: Vector3
  /// Unit vectors along its edges, world; `u.cross(v)` is its outward normal.
  package let u: Vector3, v: Vector3
  /// Lengths of the edges along `u` and `v`, metres.
  package let extent: SIMD2<Double>
  /// Texture coordinates of the corner, texels.
  package var textureOrigin: SIMD2<Double>
  /// Brightness of the pattern's middle grey, and contrast of the pattern: 0 is a blank face.
  package var brightness: Float, contrast: Float

  /// Texture coordinates, texels, of a point in the facet's plane.
  package func texturePosition(of point: Vector3) -> SIMD2<Double> {
    textureOrigin + SIMD2((point - corner).dot(u), (point - corner).dot(v)) / Texture.texel
  }
}

/// A facet seen from one camera pose: the homography from a ray r = (x, y, 1) in camera axes to (s w, t w, w).
///
/// (s, t) are texture coordinates; w = 1 / z is the inverse depth, 1/m. Let d = R r be the ray in world axes, o the
/// camera's position, n the plane's normal and c a point of the plane. Then w = n.d / D with D = n.(c - o). The ray
/// meets the plane at o + d / w, and s = u.(o - c + d / w).
/// Source: Hartley and Zisserman, "Multiple View Geometry", 2nd ed., 2004, chapter 13.
struct FacetView {
  /// The homography's columns; the fourth number is not used.
  let x: SIMD4<Float>, y: SIMD4<Float>, one: SIMD4<Float>
  /// The camera is on the outer side of the plane.
  let isFront: Bool

  /// The view of a facet from a camera.
  init(_ facet: Facet, worldFromCamera: Pose) {
    let cameraFromWorld = worldFromCamera.rotation.inverse
    let normal = facet.u.cross(facet.v)
    let offset = worldFromCamera.translation - facet.corner
    let distance = -normal.dot(offset)
    isFront = distance < 0
    // A camera in the plane sees the facet as a line; 1e-9 avoids the division by zero.
    let inverseDepth = cameraFromWorld * normal / (isFront ? min(distance, -1e-9) : max(distance, 1e-9))
    let position = facet.texturePosition(of: worldFromCamera.translation)
    let s = cameraFromWorld * facet.u / Texture.texel + position.x * inverseDepth
    let t = cameraFromWorld * facet.v / Texture.texel + position.y * inverseDepth
    func column(_ k: Int) -> SIMD4<Float> { SIMD4(Float(s[k]), Float(t[k]), Float(inverseDepth[k]), 0) }
    x = column(0)
    y = column(1)
    one = column(2)
  }

  /// (s w, t w, w) of a ray.
  @inline(__always)
  func of(_ ray: SIMD2<Float>) -> SIMD4<Float> { x * ray.x + y * ray.y + one }

  /// w of a ray alone.
  @inline(__always)
  func inverseDepth(of ray: SIMD2<Float>) -> Float { x.z * ray.x + y.z * ray.y + one.z }
}
