import Geometry

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
