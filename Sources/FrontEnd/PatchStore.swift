internal import CVision
import CameraGeometry
import Geometry

/// Affine map of a patch into a frame: coordinates x, y in -1...1 map to (a x + b y + u, c x + d y + v).
package struct PatchWarp: Equatable {
  package var a: Float, b: Float, c: Float, d: Float
  /// Its middle, raw pixels.
  package var position: SIMD2<Float>

  /// A patch as it was sampled.
  package init(at position: SIMD2<Float>) {
    let half = Float(FUSE_VISION_PATCH_HALF)
    (a, b, c, d, self.position) = (half, 0, 0, half, position)
  }

  /// Growth in area since it was sampled.
  package var growth: Float { (a * d - b * c) / Float(FUSE_VISION_PATCH_HALF * FUSE_VISION_PATCH_HALF) }

  /// Largest distance between corresponding corners of two warps, pixels.
  package func distance(to other: PatchWarp) -> Float {
    let x = SIMD2(a - other.a, c - other.c), y = SIMD2(b - other.b, d - other.d), offset = position - other.position
    let squares = [offset + x + y, offset + x - y, offset - x + y, offset - x - y].map { ($0 * $0).sum() }
    return (squares.max() ?? 0).squareRoot()
  }

  /// Ratio of its longer to its shorter axis (singular values).
  var slant: Float {
    let sum = a * a + b * b + c * c + d * d, product = abs(a * d - b * c)
    let root = max(sum * sum - 4 * product * product, 0).squareRoot()
    return sum > root ? ((sum + root) / (sum - root)).squareRoot() : .infinity
  }

  /// Whether the patch can still be compared: scale change and foreshortening are moderate.
  var isComparable: Bool { growth > 0.25 && growth < 4 && slant < 3 }
}

/// The patches that tracks began with, each in a slot; slots are reused.
package struct PatchStore {
  /// No patches.
  package init() {}

  private var numbers: [Float] = []
  private var free: [Int32] = []

  /// Samples the patches at positions; nil where none fits.
  package mutating func sample(_ positions: [SIMD2<Float>], in image: PyramidImage) -> [Int32?] {
    let slots = positions.map { _ in slot() }
    var status = [UInt8](repeating: 0, count: positions.count)
    let isDone = image.samplePatches(positions, slots, &numbers, &status)
    return slots.indices.map { index in
      if isDone, status[index] != 0 { return slots[index] }
      free.append(slots[index])
      return nil
    }
  }

  /// Releases a slot.
  mutating func release(_ slot: Int32) { free.append(slot) }

  /// Removes all patches.
  mutating func removeAll() { self = PatchStore() }

  /// Aligns patches with an image from guesses; returns the correlation of each, -1 where alignment failed.
  package func align(_ slots: [Int32], in image: PyramidImage, guesses: [PatchWarp]) -> (
    warps: [PatchWarp], correlations: [Float]
  ) {
    image.alignPatches(numbers, slots, guesses)
  }

  private mutating func slot() -> Int32 {
    if let slot = free.popLast() { return slot }
    let slot = numbers.count / Int(FUSE_VISION_PATCH_SIZE)
    numbers += [Float](repeating: 0, count: Int(FUSE_VISION_PATCH_SIZE))
    return Int32(slot)
  }
}

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
