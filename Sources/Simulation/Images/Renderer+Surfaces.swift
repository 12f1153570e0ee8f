import Geometry

/// Intersection of rays with the surfaces. Depths are given as inverse depths, 1/m: the nearest is the largest, and
/// those behind the camera are negative.
extension Renderer {
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
