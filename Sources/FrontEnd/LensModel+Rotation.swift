import CameraGeometry
import Geometry

extension LensModel {
  /// The unit direction of a position; nil when no direction projects there.
  func direction(of position: SIMD2<Float>) -> Vector3? { direction(ofPixel: SIMD2<Double>(position)) }

  /// The patch after a rotation of the camera, for a distant point; nil where the lens cannot project it.
  ///
  /// - Parameter rotation: the camera now from the camera then; nil: none.
  package func rotated(_ warp: PatchWarp, by rotation: Rotation?) -> PatchWarp? {
    guard let rotation else { return warp }
    return warp.carried { position in
      direction(of: position).flatMap { project(rotation * $0) }.map { SIMD2<Float>($0.pixel) }
    }
  }
}

extension PatchWarp {
  /// The patch transformed by a map of image positions, to first order; nil where the map is undefined.
  package func carried(by map: (SIMD2<Float>) -> SIMD2<Float>?) -> PatchWarp? {
    let step: Float = 2
    guard let middle = map(position), let right = map(position + SIMD2(step, 0)),
      let down = map(position + SIMD2(0, step))
    else { return nil }
    let x = (right - middle) / step, y = (down - middle) / step
    var carried = self
    carried.position = middle
    (carried.a, carried.c) = (x.x * a + y.x * c, x.y * a + y.y * c)
    (carried.b, carried.d) = (x.x * b + y.x * d, x.y * b + y.y * d)
    return carried
  }
}
