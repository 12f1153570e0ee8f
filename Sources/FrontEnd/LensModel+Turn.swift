import Geometry
import CameraGeometry

extension LensModel {
  /// The unit direction that a place sees; nil when no direction lands there.
  func direction(of place: SIMD2<Float>) -> Vector3? { direction(ofPixel: SIMD2<Double>(place)) }

  /// How a patch lies after the camera has turned, if what it shows is far away; nil where the lens cannot say.
  ///
  /// - Parameter turn: the camera now from the camera then; nil: none.
  package func turned(_ warp: PatchWarp, by turn: Rotation?) -> PatchWarp? {
    guard let turn else { return warp }
    return warp.carried { place in
      direction(of: place).flatMap { project(turn * $0) }.map { SIMD2<Float>($0.pixel) }
    }
  }
}

extension PatchWarp {
  /// The patch as a map of the image's places takes it along, to first order; nil where the map leads nowhere.
  package func carried(by map: (SIMD2<Float>) -> SIMD2<Float>?) -> PatchWarp? {
    let step: Float = 2
    guard let middle = map(place), let right = map(place + SIMD2(step, 0)), let down = map(place + SIMD2(0, step))
    else { return nil }
    let x = (right - middle) / step, y = (down - middle) / step
    var carried = self
    carried.place = middle
    (carried.a, carried.c) = (x.x * a + y.x * c, x.y * a + y.y * c)
    (carried.b, carried.d) = (x.x * b + y.x * d, x.y * b + y.y * d)
    return carried
  }
}
