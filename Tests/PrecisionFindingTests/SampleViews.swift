import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import TestSupport

/// Synthetic posteriors for an upright device at the origin that looks north.
enum SampleViews {
  static let device = Pose(rotation: HeldPhone.facingNorth, translation: .zero)

  /// A ball of 1-sigma `sigma` metres around each position, with a weight each.
  static func balls(_ positions: [(Double, Vector3)], sigma: Double) -> PosteriorView {
    PosteriorView(
      worldFromDevice: device,
      gaussians: positions.map {
        PositionGaussian(weight: $0.0, position: $0.1, covariance: sigma * sigma * Matrix3.identity)
      })
  }

  /// One Gaussian at `position` whose 1-sigma along (radial, across, up) are given, metres.
  static func one(_ position: Vector3, radial: Double, across: Double, up: Double) -> PosteriorView {
    let r = Vector3(position.x, position.y, 0).normalized
    let axes = Matrix3(columns: r, Vector3(-r.y, r.x, 0), Vector3(0, 0, 1))
    let diagonal = Matrix3(diagonal: Vector3(radial * radial, across * across, up * up))
    return PosteriorView(
      worldFromDevice: device,
      gaussians: [PositionGaussian(weight: 1, position: position, covariance: axes * diagonal * axes.transpose)])
  }

  /// Nothing known but the distance: a lattice of directions.
  static let sphere = balls(FibonacciLattice.directions(200).map { (1, 5 * $0) }, sigma: 0.4)

  /// One axis known: a ring about north.
  static let ring = balls(
    (0..<60).map { k in
      let phi = 2 * .pi * Double(k) / 60
      return (1, Vector3(4 * cos(phi), 3, 4 * sin(phi)))
    }, sigma: 0.3)

  /// The outputs of a posterior, its position's covariance in the world as relative to the device.
  static func estimate(_ view: PosteriorView, _ configuration: FinderConfiguration = FinderConfiguration())
    -> PublishableEstimate
  {
    PublishableEstimate(view, worldCovariance: view.position.covariance, PublicationRules(configuration))
  }

  /// Positions drawn from a posterior.
  static func samples(_ view: PosteriorView, _ random: inout SeededRandom, count: Int) -> [Vector3] {
    let roots = view.gaussians.map { root($0.covariance) }
    return (0..<count).map { _ in
      var rest = random.uniform()
      let k =
        view.gaussians.firstIndex {
          rest -= $0.weight; return rest < 0
        } ?? view.gaussians.count - 1
      return view.gaussians[k].position + roots[k] * random.gaussian3()
    }
  }

  /// Lower Cholesky factor.
  static func root(_ p: Matrix3) -> Matrix3 {
    let a = p[0, 0].squareRoot()
    let (b, c) = (p[1, 0] / a, p[2, 0] / a)
    let d = (p[1, 1] - b * b).squareRoot()
    let e = (p[2, 1] - b * c) / d
    let f = (p[2, 2] - c * c - e * e).squareRoot()
    return Matrix3(rows: Vector3(a, 0, 0), Vector3(b, d, 0), Vector3(c, e, f))
  }
}
