import Foundation
import Geometry
import SensorData

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
