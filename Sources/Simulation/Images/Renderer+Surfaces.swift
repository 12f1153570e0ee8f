import Geometry

/// Where a ray meets the surfaces. Depths are told as their inverse, 1/m: the nearest is the largest, and what is behind the
/// camera is negative.
extension Renderer {
  /// A facet, and the inverse depth at which a ray meets it.
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

  /// Where a ray enters a box, if it does: the last of the faces turned to the camera, before it leaves by any other. From
  /// inside a box is not seen.
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

  /// Where a ray goes through a wall, if it does, from either side.
  @inline(__always)
  func crossing(_ ray: SIMD2<Float>, _ obstacle: Scene.Obstacle, _ views: UnsafeBufferPointer<FacetView>) -> Hit? {
    let wall = obstacle.facets.lowerBound
    let place = views[wall].of(ray)
    guard place.z > 0 else { return nil }
    let facet = scene.facets[wall]
    let texels = SIMD2(Double(place.x), Double(place.y)) / Double(place.z) - facet.place
    let metres = texels * Texture.texel
    guard metres.x >= 0, metres.y >= 0, metres.x <= facet.extent.x, metres.y <= facet.extent.y else { return nil }
    return (wall, place.z)
  }

  /// What a pixel sees of a facet: the pattern's mean under the pixel, whose edges are the derivatives of the place on the
  /// texture, `d(s w / w) = (d(s w) - s dw) / w`.
  @inline(__always)
  func shade(
    _ ray: RayTable.Ray, _ facet: Int, _ views: UnsafeBufferPointer<FacetView>, _ sampler: TextureSampler
  ) -> Float {
    let view = views[facet]
    let place = view.of(ray.ray)
    let centre = SIMD2(place.x, place.y) / place.z
    func edge(_ step: SIMD2<Float>) -> SIMD2<Float> {
      let change = view.x * step.x + view.y * step.y
      return (SIMD2(change.x, change.y) - centre * change.z) / place.z
    }
    let pattern = sampler.mean(about: centre, edge(ray.perColumn), edge(ray.perRow))
    let surface = scene.facets[facet]
    return min(max(surface.brightness + surface.contrast * (pattern - 0.5), 0), 1)
  }
}
