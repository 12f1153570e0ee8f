import Foundation
import Geometry

/// Places that are left, told apart.
extension PeerFilter {
  /// One of the places that are left, as one Gaussian.
  package struct Mode: Sendable {
    /// Its share of the posterior, 0...1.
    package var share: Double
    /// Position (world, metres), then the biases as in `LinkLayout`.
    package var mean: [Double]
    /// Row-major, `dimension` squared.
    package var covariance: [Double]
    /// What it is made of; shares as in the posterior.
    package var gaussians: [PositionGaussian]
  }

  /// The posterior as few places, each within a cone of directions as seen from `device` (world, metres); nil where it takes more
  /// than `most`. The heaviest hypothesis names the first place, the heaviest outside its cone the next; what is outside
  /// all of them, less than 1e-4, goes to the nearest. O(hypotheses x most).
  ///
  /// - Parameter radius: of a cone, radians.
  package func modes(from device: Vector3, within radius: Double, most: Int) -> [Mode]? {
    guard let set = hypotheses, !isDirectionUnobserved else { return nil }
    let directions = (0..<set.count).map { (set.position($0) - device).normalized }
    let limit = cos(radius)
    var outside = directions.indices.filter { normalized[$0] > 0 }
    var seeds: [Vector3] = []
    while outside.reduce(0, { $0 + normalized[$1] }) > Self.unnamed,
      let heaviest = outside.max(by: { (normalized[$0], $1) < (normalized[$1], $0) })
    {
      guard seeds.count < most else { return nil }
      seeds.append(directions[heaviest])
      outside.removeAll { directions[$0].dot(directions[heaviest]) >= limit }
    }
    var members = [[Int]](repeating: [], count: seeds.count)
    for i in directions.indices where normalized[i] > 1e-12 {
      let nearest = seeds.indices.max { seeds[$0].dot(directions[i]) < seeds[$1].dot(directions[i]) }
      if let nearest { members[nearest].append(i) }
    }
    return members.filter { !$0.isEmpty }.map { mode($0, of: set, shares: normalized) }
  }

  /// Hypotheses that together weigh less name no place.
  private static let unnamed = 1e-4

  /// Some hypotheses as one place, with the mean and covariance of them all.
  func mode(_ members: [Int], of set: GaussianSum, shares: [Double]) -> Mode {
    let share = members.reduce(0) { $0 + shares[$1] }
    var weights = [Double](repeating: 0, count: set.count)
    for i in members { weights[i] = shares[i] / share }
    let (mean, covariance) = set.moments(weights: weights)
    return Mode(
      share: share, mean: mean, covariance: covariance, gaussians: members.map { set.gaussian($0, weight: shares[$0]) })
  }
}
