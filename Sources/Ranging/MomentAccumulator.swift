import Geometry

/// Accumulates the moments of Gaussians by kind, for one Gaussian per kind.
struct MomentAccumulator {
  /// Weighted sums of a kind: weight, position (3), lower triangle of covariance plus position squared (6), scale, its
  /// variance plus square, its covariance plus product with the position (3).
  private static let numbers = 15
  private var sums: [Double]

  init(kinds: Int) { sums = [Double](repeating: 0, count: Self.numbers * kinds) }

  /// Adds the Gaussians with a weight above 0, each to its kind.
  ///
  /// - Parameter kinds: of the first Gaussian; those of the others follow in steps of `stride`.
  @inline(__always)
  mutating func add(_ four: PositionGaussian4, kinds: UnsafePointer<Int32>, stride: Int) {
    let (w, x, s) = (four.weight, four.position, four.scale)
    let weighted = w * x
    withUnsafeTemporaryAllocation(of: Lanes.self, capacity: Self.numbers) { new in
      (new[0], new[1], new[2], new[3]) = (w, weighted.x, weighted.y, weighted.z)
      new[4] = w * four.rows.0.x + weighted.x * x.x
      new[5] = w * four.rows.1.x + weighted.y * x.x
      new[6] = w * four.rows.1.y + weighted.y * x.y
      new[7] = w * four.rows.2.x + weighted.z * x.x
      new[8] = w * four.rows.2.y + weighted.z * x.y
      new[9] = w * four.rows.2.z + weighted.z * x.z
      new[10] = w * s
      new[11] = w * (four.scaleVariance + s * s)
      new[12] = w * four.scaleCovariance.x + s * weighted.x
      new[13] = w * four.scaleCovariance.y + s * weighted.y
      new[14] = w * four.scaleCovariance.z + s * weighted.z
      let numbers = UnsafeRawPointer(new.baseAddress!).assumingMemoryBound(to: Double.self)
      sums.withUnsafeMutableBufferPointer { sums in
        for lane in 0..<4 where w[lane] > 0 {
          let own = sums.baseAddress! + Self.numbers * Int(kinds[stride * lane])
          for k in 0..<Self.numbers { own[k] += numbers[4 * k + lane] }
        }
      }
    }
  }

  /// One Gaussian per kind, relative to the world's origin, in order; kinds without weight are left out.
  ///
  /// - Parameter origin: origin of the accumulated positions, world, metres.
  func gaussians(from origin: Vector3) -> [PositionGaussian] {
    var gaussians: [PositionGaussian] = []
    gaussians.reserveCapacity(sums.count / Self.numbers)
    sums.withUnsafeBufferPointer { sums in
      for start in stride(from: 0, to: sums.count, by: Self.numbers) where sums[start] > 0 {
        let (s, k) = (sums.baseAddress! + start, 1 / sums[start])
        let (mean, scale) = (k * Vector3(s[1], s[2], s[3]), k * s[10])
        let squares = Matrix3(columns: Vector3(s[4], s[5], s[7]), Vector3(s[5], s[6], s[8]), Vector3(s[7], s[8], s[9]))
        var all = PositionGaussian(
          weight: s[0], position: origin + mean, covariance: squares * k - Matrix3(outer: mean, mean))
        all.scale = scale
        all.scaleVariance = k * s[11] - scale * scale
        all.scaleCovariance = k * Vector3(s[12], s[13], s[14]) - scale * mean
        gaussians.append(all)
      }
    }
    return gaussians
  }
}
