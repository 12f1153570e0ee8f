internal import CVision
import Images

/// An image prepared for tracking: a pyramid with gradients, computed once per frame.
package final class PyramidImage {
  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  private let handle: OpaquePointer

  /// The pyramid of an image.
  ///
  /// - Parameters:
  ///   - window: side of the patches that will be compared, pixels; odd, 5...31.
  ///   - levels: halvings, 0...5.
  ///   - contrast: limit of a local equalisation (CLAHE); 0 leaves the image as it is.
  /// - Returns: nil for an image of fewer than 16 rows or columns, or without memory.
  package init?(_ image: GrayImage, window: Int, levels: Int, contrast: Double = 0) {
    var made: OpaquePointer?
    let code = fuse_vision_image_make(
      image.pixels, Int32(image.width), Int32(image.height), Int32(window), Int32(levels), contrast, &made)
    guard Int(code) == FUSE_VISION_OK, let made else { return nil }
    (width, height, handle) = (image.width, image.height, made)
  }

  deinit { fuse_vision_image_free(handle) }

  /// Optical flow: positions of this image in another one of the same construction; nil where not found.
  ///
  /// - Parameters:
  ///   - guesses: initial positions, one each.
  ///   - levels: coarsest level: a guess may be off by about half a window times two to this power.
  ///   - iterations: most steps per level.
  package func track(
    _ positions: [SIMD2<Float>], to other: PyramidImage, guesses: [SIMD2<Float>], levels: Int, iterations: Int = 30
  ) -> [SIMD2<Float>?] {
    precondition(positions.count == guesses.count, "a guess for each position")
    var found = guesses
    var status = [UInt8](repeating: 0, count: positions.count)
    let code = positions.withUnsafeBytes { from in
      found.withUnsafeMutableBytes { to in
        fuse_vision_track(
          handle, other.handle, Int32(levels), Int32(iterations), 0.01,
          from.baseAddress?.assumingMemoryBound(to: Float.self),
          to.baseAddress?.assumingMemoryBound(to: Float.self), &status, Int32(positions.count))
      }
    }
    guard Int(code) == FUSE_VISION_OK else { return positions.map { _ in nil } }
    return zip(found, status).map { $1 == 0 ? nil : $0 }
  }

  /// A corner.
  package struct Corner {
    /// Column and row.
    package var position: SIMD2<Float>
    /// Smaller eigenvalue of the mean gradient matrix, (grey levels/pixel)^2.
    package var strength: Float
  }

  /// The strongest corners in a rectangle of pixels, strongest first; at most `count`, at least `weakest` strong.
  package func corners(columns: Range<Int>, rows: Range<Int>, weakest: Float, count: Int) -> [Corner] {
    var positions = [SIMD2<Float>](repeating: .zero, count: count)
    var strengths = [Float](repeating: 0, count: count)
    var found: Int32 = 0
    let code = positions.withUnsafeMutableBytes { positions in
      fuse_vision_corners(
        handle, Int32(columns.lowerBound), Int32(rows.lowerBound), Int32(columns.upperBound), Int32(rows.upperBound),
        weakest, Int32(count), positions.baseAddress?.assumingMemoryBound(to: Float.self), &strengths, &found)
    }
    guard Int(code) == FUSE_VISION_OK else { return [] }
    return (0..<Int(found)).map { Corner(position: positions[$0], strength: strengths[$0]) }
  }

  /// Samples the patches at positions into their slots; `status` is 0 where none fits. False on failure.
  func samplePatches(_ positions: [SIMD2<Float>], _ slots: [Int32], _ patches: inout [Float], _ status: inout [UInt8])
    -> Bool
  {
    let code = positions.withUnsafeBytes { positions in
      fuse_vision_patches_make(
        handle, positions.baseAddress?.assumingMemoryBound(to: Float.self), slots, &patches, &status,
        Int32(slots.count))
    }
    return Int(code) == FUSE_VISION_OK
  }

  /// Aligns patches from guesses.
  func alignPatches(
    _ patches: [Float], _ slots: [Int32], _ guesses: [PatchWarp]
  ) -> (warps: [PatchWarp], correlations: [Float]) {
    var warps = guesses.flatMap { [$0.a, $0.b, $0.c, $0.d, $0.position.x, $0.position.y] }
    var correlations = [Float](repeating: -1, count: slots.count)
    let code = fuse_vision_patches_align(handle, patches, slots, &warps, &correlations, Int32(slots.count), 10, 0.02)
    guard Int(code) == FUSE_VISION_OK else { return (guesses, slots.map { _ in -1 }) }
    let found = guesses.indices.map { index in
      var warp = guesses[index]
      let w = warps[6 * index..<6 * index + 6], first = w.startIndex
      (warp.a, warp.b, warp.c, warp.d) = (w[first], w[first + 1], w[first + 2], w[first + 3])
      warp.position = SIMD2(w[first + 4], w[first + 5])
      return warp
    }
    return (found, correlations)
  }
}
