internal import CGaussianSum
import Geometry

/// Prediction between two ranges.
extension GaussianSum {
  /// Decay of the Gauss-Markov biases over `seconds` and `metres` of device motion.
  ///
  /// - Parameters:
  ///   - pose: of the device, for errors that are bound to it.
  ///   - changes: of each noise candidate's place, m^2 (`VisitedPlaces`); without, those of a straight path.
  ///   - antennaCorrelation: of the coloured errors of two antennas, 0...1.
  package mutating func predict(
    seconds: Double, metres: Double, pose: PoseVisit = PoseVisit(), changes: [Double]? = nil,
    antennaCorrelation: Double = 0
  ) {
    let decay = noises.indices.map {
      noises[$0].memory(after: seconds, metres: metres, path: pose.path, change: changes?[$0])
    }
    forget(decay, zip(noises, decay).map { $0.coloured * $0.coloured * (1 - $1 * $1) }, antennaCorrelation)
  }

  /// Frees the errors of the pose where the device comes back after `visits` earlier ones (`RangeNoise.renewal`).
  package mutating func renew(after visits: Double, antennaCorrelation: Double = 0) {
    guard visits > 0 else { return }
    forget(noises.map { _ in 1 }, noises.map { $0.renewal(after: visits) }, antennaCorrelation)
  }

  /// Decay of the coloured errors and variance of their process noise, m^2, by noise candidate.
  private mutating func forget(_ decay: [Double], _ newVariance: [Double], _ correlation: Double) {
    let coloured = layout.coloured
    decay.withUnsafeBufferPointer { decay in
      newVariance.withUnsafeBufferPointer { newVariance in
        var step = fuse_forgetting(
          first: Int32(coloured.lowerBound), antennas: Int32(coloured.count), decay: decay.baseAddress,
          newVariance: newVariance.baseAddress, correlation: correlation)
        withKernel { set, _ in fuse_gaussian_sum_forget(set, &step) }
      }
    }
  }

  /// Adds the drift of the trajectory to the peer's relative position.
  ///
  /// - Parameters:
  ///   - position: growth of the relative position's covariance, 3 x 3, world axes, m^2.
  ///   - yawVariance: growth of the heading variance, rad^2: rotates the peer about the device.
  ///   - device: position of the device, world, metres.
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

  /// Adds `variance`, m^2, to the distance: the direction of the motion is unknown.
  mutating func addRangeVariance(variance: Double) { forEachCell { p, _, _, _ in p[5] += variance } }

  /// Moves the anchor to the antenna's position, world, metres. Only the length of the displacement is used, for the
  /// direction is unobserved.
  mutating func moveAnchor(to antenna: Vector3) {
    addRangeVariance(variance: (antenna - anchor).squaredNorm / 3)
    anchor = antenna
  }

  /// Calls `body` for every cell in order: its covariance, its scalars, its first component (the others follow in steps
  /// of two), and the noise indices of all components.
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
