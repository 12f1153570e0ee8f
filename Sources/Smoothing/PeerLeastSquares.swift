import Foundation
import Geometry
import LeastSquares

/// A static peer by robust batch least squares on a given path: what one would write first.
///
/// Levenberg-Marquardt with Huber's loss from starts in all directions (`PeerRefinement`); the mode of least cost is
/// taken for the truth, and its covariance is the inverse of the normal equations, scaled by the residuals. Errors of the
/// ranges count as independent, and the path as exact. That is its fault, and why it is a baseline.
package struct PeerLeastSquares {
  /// A range with the place of its antenna.
  package struct Row {
    /// Position of the antenna, world, metres; measured range and its 1-sigma, metres.
    package var antenna: Vector3, range: Double, sigma: Double

    /// A row from its parts.
    package init(antenna: Vector3, range: Double, sigma: Double) {
      (self.antenna, self.range, self.sigma) = (antenna, range, sigma)
    }
  }

  /// Where the peer is taken to be.
  package struct Solution: Equatable, Sendable {
    /// World, metres.
    package var position: Vector3
    /// Its covariance, m^2.
    package var covariance: Matrix3

    /// A solution from its parts.
    package init(position: Vector3, covariance: Matrix3) { (self.position, self.covariance) = (position, covariance) }

    /// Distance and horizontal angle from a device, metres and radians, with their 1-sigmas to first order.
    package func seen(from worldFromDevice: Pose) -> (
      distance: Double, distanceSigma: Double, angle: Double, angleSigma: Double
    ) {
      let line = position - worldFromDevice.translation
      let level = max(line.horizontalNorm, 1e-6)
      let across = Vector3(-line.y, line.x, 0) / (level * level)
      func sigma(_ slope: Vector3) -> Double { max(slope.dot(covariance * slope), 0).squareRoot() }
      return (
        line.norm, sigma(line.normalized), HorizontalAngle.of(line, worldFromDevice: worldFromDevice.rotation),
        sigma(across)
      )
    }
  }

  /// Fewest ranges: four unknowns.
  private static let fewest = 4
  /// Starts of the search, steps of each, and ranges that it uses.
  private static let starts = 24, searchSteps = 15, searched = 150
  /// Modes that are refined on all ranges, steps of each, and how far apart they are, metres.
  private static let refined = 3, mostSteps = 100, apart = 0.3

  private let rows: [Row]
  private let biasSigma: Double

  /// Rows in any order.
  ///
  /// - Parameter biasSigma: 1-sigma of the bias that all ranges share, metres; nil: as of an uncalibrated link.
  package init(_ rows: [Row], biasSigma: Double? = nil) {
    self.rows = rows
    self.biasSigma = biasSigma ?? StaticPeer.biasSigma
  }

  /// The best mode; nil for fewer than four ranges, and where nothing is determined.
  package func solution() -> Solution? {
    guard rows.count >= Self.fewest else { return nil }
    let some = PeerRefinement(Self.thinned(rows, to: Self.searched).map(Self.row), biasSigma: biasSigma)
    let all = PeerRefinement(rows.map(Self.row), biasSigma: biasSigma)
    let radius = rows.map(\.range).median ?? 0
    let found = PeerSearch.starts(Self.starts, around: rows[rows.count / 2].antenna, radius: max(radius, 0.1)).map {
      some.refined($0, steps: Self.searchSteps)
    }
    var modes: [StaticPeer] = []
    for end in found.sorted(by: { $0.cost < $1.cost }) where modes.count < Self.refined {
      if modes.allSatisfy({ ($0.position - end.peer.position).norm > Self.apart }) { modes.append(end.peer) }
    }
    let ends = modes.map { all.refined($0, steps: Self.mostSteps) }
    guard let best = ends.min(by: { $0.cost < $1.cost })?.peer, let covariance = all.covariance(best) else {
      return nil
    }
    return Solution(position: best.position, covariance: covariance)
  }

  private static func row(_ row: Row) -> PeerRefinement.Row {
    .init(antenna: row.antenna, range: row.range, sigma: row.sigma)
  }

  private static func thinned(_ rows: [Row], to most: Int) -> [Row] {
    let step = max(1, Double(rows.count) / Double(most))
    return stride(from: 0, to: Double(rows.count), by: step).map { rows[Int($0)] }
  }
}
