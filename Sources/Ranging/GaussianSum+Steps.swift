internal import CGaussianSum
import Geometry

/// What passes between two ranges.
extension GaussianSum {
  /// Lets `seconds` pass in which the device moved `metres`: the Gauss-Markov biases forget.
  ///
  /// - Parameter antennaCorrelation: of the coloured errors of two antennas, 0...1.
  package mutating func predict(seconds: Double, metres: Double, antennaCorrelation: Double = 0) {
    let memory = noises.map { $0.memory(after: seconds, metres: metres) }
    let news = zip(noises, memory).map { $0.coloured * $0.coloured * (1 - $1 * $1) }
    let coloured = layout.coloured
    memory.withUnsafeBufferPointer { memory in
      news.withUnsafeBufferPointer { news in
        var step = fuse_forgetting(
          first: Int32(coloured.lowerBound), antennas: Int32(coloured.count), memory: memory.baseAddress,
          fresh: news.baseAddress, correlation: antennaCorrelation)
        withKernel { set, _ in fuse_gaussian_sum_forget(set, &step) }
      }
    }
  }

  /// Lets the peer drift relative to the device by what the trajectory lost.
  ///
  /// - Parameters:
  ///   - position: growth of the relative position's covariance, 3 x 3, world axes, m^2.
  ///   - yawVariance: growth of the heading variance, rad^2: turns the peer about the device at `device`.
  package mutating func drift(position: Matrix3, yawVariance: Double, device: Vector3) {
    guard position.trace > 0 || yawVariance > 0 else { return }
    let from = anchor - device
    var lost = fuse_path_drift()
    lost.position = (
      position[0, 0], position[0, 1], position[0, 2], position[1, 0], position[1, 1], position[1, 2], position[2, 0],
      position[2, 1], position[2, 2]
    )
    lost.yawVariance = yawVariance
    lost.from = (from.x, from.y, from.z)
    withKernel { set, _ in fuse_gaussian_sum_drift(set, &lost) }
  }

  /// Lets the distance wander by `variance`, m^2: nothing is known of the direction in which anybody moved.
  mutating func wander(variance: Double) { forEachCell { p, _, _, _ in p[5] += variance } }

  /// Tells everything from where the antenna is now, world, metres: of the way there nothing is known but about how long it was.
  mutating func follow(to antenna: Vector3) {
    wander(variance: (antenna - anchor).squaredNorm / 3)
    anchor = antenna
  }

  /// Every cell in order: its covariance, its scalars, its first hypothesis (the others follow by twos), and all hypotheses' noises.
  @inline(__always)
  mutating func forEachCell(
    _ body: (UnsafeMutablePointer<Lanes>, UnsafeMutablePointer<Lanes>, Int, [Int32]) -> Void
  ) {
    let (size, start, all) = (cellSize, covarianceOffset, noise)
    let groups = groups
    cells.withUnsafeMutableBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let base = cells.baseAddress! + cell * size
        body(base + start, base + Self.scalarsOffset, cell / 2 * 8 + cell % 2, all)
      }
    }
  }
}
