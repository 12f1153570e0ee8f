import Foundation
import Geometry
import SensorData

/// Renders the scene: for every pixel the nearest surface along its ray, and the mean of the pattern over its
/// footprint.
package struct Renderer: Sendable {
  let scene: Scene
  private let texture: Texture
  private let rays: RayTable

  /// A renderer for one camera.
  package init(_ scene: Scene, texture: Texture, camera: CameraCalibration) {
    self.scene = scene
    self.texture = texture
    rays = RayTable(camera)
  }

  /// Adds one exposure to `radiance` (0 black ... 1 white, row-major), times `weight`.
  ///
  /// - Parameters:
  ///   - hasRollingRows: whether the pose differs from row to row.
  ///   - worldFromCamera: the pose at the middle of a row's exposure, called for rows in order.
  package func expose(
    _ radiance: inout [Float], weight: Float, hasRollingRows: Bool, worldFromCamera: (_ row: Int) -> Pose
  ) {
    texture.withSampler { sampler in
      var views = hasRollingRows ? [] : scene.facets.map { FacetView($0, worldFromCamera: worldFromCamera(0)) }
      for (band, tiles) in rays.tiles.enumerated() {
        let rows = (band * RayTable.tileSize)..<min((band + 1) * RayTable.tileSize, rays.height)
        let seen = candidates(
          tiles, worldFromCamera(rows.lowerBound), worldFromCamera(hasRollingRows ? rows.upperBound - 1 : 0))
        for row in rows {
          if hasRollingRows {
            let pose = worldFromCamera(row)
            views = scene.facets.map { FacetView($0, worldFromCamera: pose) }
          }
          draw(row, tiles, seen, views, sampler, weight, &radiance)
        }
      }
    }
  }

  /// Depth along the optical axis of the nearest surface on a ray (x / z, y / z), metres; nil where there is none.
  func depth(along ray: SIMD2<Double>, worldFromCamera: Pose) -> Double? {
    let views = scene.facets.map { FacetView($0, worldFromCamera: worldFromCamera) }
    let ray = SIMD2<Float>(ray)
    return views.withUnsafeBufferPointer { views in
      var inverse = exit(ray, views).inverseDepth
      for obstacle in scene.obstacles {
        let hit = obstacle.isBox ? entry(ray, obstacle, views) : crossing(ray, obstacle, views)
        inverse = max(inverse, hit?.inverseDepth ?? 0)
      }
      return inverse > 0 ? 1 / Double(inverse) : nil
    }
  }

  /// For every tile the obstacles that its rays may meet while the camera moves between two poses: those whose bounding
  /// sphere touches the tile's cone.
  private func candidates(_ tiles: [RayTable.Tile], _ first: Pose, _ last: Pose) -> [[Scene.Obstacle]] {
    let cameraFromWorld = first.inverse
    let drift = (last.translation - first.translation).norm
    let rotationAngle = (first.rotation.inverse * last.rotation).log.norm
    let balls = scene.obstacles.map { obstacle in
      let centre = cameraFromWorld * obstacle.centre
      let sine = (obstacle.radius + drift) / centre.norm
      return (obstacle: obstacle, direction: centre.normalized, halfAngle: sine < 1 ? asin(sine) : .pi)
    }
    return tiles.map { tile in
      balls.compactMap { ball in
        let angle = acos(min(max(ball.direction.dot(tile.axis), -1), 1))
        return angle <= tile.halfAngle + ball.halfAngle + rotationAngle + 1e-6 ? ball.obstacle : nil
      }
    }
  }

  private func draw(
    _ row: Int, _ tiles: [RayTable.Tile], _ seen: [[Scene.Obstacle]], _ views: [FacetView], _ sampler: TextureSampler,
    _ weight: Float, _ radiance: inout [Float]
  ) {
    views.withUnsafeBufferPointer { views in
      for (tile, obstacles) in zip(tiles, seen) {
        for index in (row * rays.width + tile.columns.lowerBound)..<(row * rays.width + tile.columns.upperBound) {
          let ray = rays.rays[index]
          guard ray.ray.x == ray.ray.x else { continue }
          var (nearest, depth) = exit(ray.ray, views)
          for obstacle in obstacles {
            if let hit = obstacle.isBox ? entry(ray.ray, obstacle, views) : crossing(ray.ray, obstacle, views),
              hit.inverseDepth > depth
            {
              (nearest, depth) = hit
            }
          }
          guard depth > 0 else { continue }
          radiance[index] += weight * shade(ray, nearest, views, sampler)
        }
      }
    }
  }

  // Intersection of rays with the surfaces. Depths are given as inverse depths, 1/m: the nearest is the largest, and
  // those behind the camera are negative.

  /// A facet and the inverse depth of its intersection with a ray.
  typealias Hit = (facet: Int, inverseDepth: Float)

  /// Where a ray leaves the room: the first of the six faces that it reaches.
  @inline(__always)
  func exit(_ ray: SIMD2<Float>, _ views: UnsafeBufferPointer<FacetView>) -> Hit {
    var hit: Hit = (0, 0)
    for facet in 0..<6 {
      let inverseDepth = views[facet].inverseDepth(of: ray)
      if inverseDepth > hit.inverseDepth { hit = (facet, inverseDepth) }
    }
    return hit
  }

  /// Where a ray enters a box, if it does: the last front face, before it leaves by any back face. A box is not visible
  /// from inside.
  @inline(__always)
  func entry(_ ray: SIMD2<Float>, _ obstacle: Scene.Obstacle, _ views: UnsafeBufferPointer<FacetView>) -> Hit? {
    var hit: Hit = (-1, .infinity)
    var exit: Float = 0
    for facet in obstacle.facets {
      let inverseDepth = views[facet].inverseDepth(of: ray)
      if !views[facet].isFront {
        exit = max(exit, inverseDepth)
      } else if inverseDepth <= 0 {
        return nil
      } else if inverseDepth < hit.inverseDepth {
        hit = (facet, inverseDepth)
      }
    }
    return hit.facet >= 0 && exit <= hit.inverseDepth ? hit : nil
  }

  /// Where a ray crosses a wall, if it does, from either side.
  @inline(__always)
  func crossing(_ ray: SIMD2<Float>, _ obstacle: Scene.Obstacle, _ views: UnsafeBufferPointer<FacetView>) -> Hit? {
    let wall = obstacle.facets.lowerBound
    let projected = views[wall].of(ray)
    guard projected.z > 0 else { return nil }
    let facet = scene.facets[wall]
    let texels = SIMD2(Double(projected.x), Double(projected.y)) / Double(projected.z) - facet.textureOrigin
    let metres = texels * Texture.texel
    guard metres.x >= 0, metres.y >= 0, metres.x <= facet.extent.x, metres.y <= facet.extent.y else { return nil }
    return (wall, projected.z)
  }

  /// The radiance of a facet in a pixel: the pattern's mean over the pixel's footprint. Its edges are the derivatives
  /// of the texture coordinates, `d(s w / w) = (d(s w) - s dw) / w`.
  @inline(__always)
  func shade(
    _ ray: RayTable.Ray, _ facet: Int, _ views: UnsafeBufferPointer<FacetView>, _ sampler: TextureSampler
  ) -> Float {
    let view = views[facet]
    let projected = view.of(ray.ray)
    let centre = SIMD2(projected.x, projected.y) / projected.z
    func edge(_ step: SIMD2<Float>) -> SIMD2<Float> {
      let change = view.x * step.x + view.y * step.y
      return (SIMD2(change.x, change.y) - centre * change.z) / projected.z
    }
    let pattern = sampler.mean(about: centre, edge(ray.perColumn), edge(ray.perRow))
    let surface = scene.facets[facet]
    return min(max(surface.brightness + surface.contrast * (pattern - 0.5), 0), 1)
  }
}

/// The ray of every pixel of a camera and its derivatives; computed once per camera.
struct RayTable: Sendable {
  /// A pixel's ray (x / z, y / z) and its derivatives by the pixel's column and row.
  struct Ray {
    var ray: SIMD2<Float>
    var perColumn: SIMD2<Float>
    var perRow: SIMD2<Float>
  }

  /// A square of pixels and a cone around all its rays.
  struct Tile {
    var columns: Range<Int>
    /// Unit vector in camera axes.
    var axis: Vector3
    /// Radians.
    var halfAngle: Double
  }

  /// Pixels along a tile's side.
  static let tileSize = 16

  let width: Int
  let height: Int
  /// Row-major; NaN where the lens has no ray.
  let rays: [Ray]
  /// For every `tileSize` rows, the tiles from left to right; tiles without rays are omitted.
  let tiles: [[Tile]]

  init(_ camera: CameraCalibration) {
    let (width, height) = (camera.width, camera.height)
    let lens = Lens(camera)
    // Each inversion starts from the last solution.
    var pixelRays: [SIMD2<Double>] = []
    pixelRays.reserveCapacity(width * height)
    var last = SIMD2(0.0, 0.0)
    for row in 0..<height {
      for column in 0..<width {
        let ray = lens.ray(u: Double(column), v: Double(row), near: last)
        last = ray ?? .zero
        pixelRays.append(ray ?? SIMD2(.nan, .nan))
      }
      last = pixelRays[row * width]
      if last.x.isNaN { last = .zero }
    }
    func narrow(_ v: SIMD2<Double>) -> SIMD2<Float> { SIMD2(Float(v.x), Float(v.y)) }
    /// Central difference; one-sided at the border of the image and of the valid rays.
    func slope(_ index: Int, _ step: Int, isFirst: Bool, isLast: Bool) -> SIMD2<Float> {
      let before = isFirst || pixelRays[index - step].x.isNaN ? index : index - step
      let after = isLast || pixelRays[index + step].x.isNaN ? index : index + step
      return narrow((pixelRays[after] - pixelRays[before]) / Double(max(1, (after - before) / step)))
    }
    let rays = pixelRays.indices.map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: width)
      return Ray(
        ray: narrow(pixelRays[index]), perColumn: slope(index, 1, isFirst: column == 0, isLast: column == width - 1),
        perRow: slope(index, width, isFirst: row == 0, isLast: row == height - 1))
    }
    self.width = width
    self.height = height
    self.rays = rays
    tiles = stride(from: 0, to: height, by: Self.tileSize).map { row in
      stride(from: 0, to: width, by: Self.tileSize).compactMap { column in
        let columns = column..<min(column + Self.tileSize, width)
        let directions = (row..<min(row + Self.tileSize, height)).flatMap { y in
          columns.compactMap { x -> Vector3? in
            let ray = rays[y * width + x].ray
            return ray.x.isFinite ? Vector3(Double(ray.x), Double(ray.y), 1).normalized : nil
          }
        }
        guard !directions.isEmpty else { return nil }
        let axis = directions.reduce(.zero, +).normalized
        let cosine = directions.map { $0.dot(axis) }.min()!
        return Tile(columns: columns, axis: axis, halfAngle: acos(min(1, cosine)) + 1e-4)
      }
    }
  }
}
