import Foundation
import Geometry

/// Modes of the posterior.
extension PeerFilter {
  /// A mode as one Gaussian.
  package struct Mode: Sendable {
    /// Its probability, 0...1.
    package var probability: Double
    /// Position (world, metres), then the biases as in `LinkLayout`.
    package var mean: [Double]
    /// Row-major, `dimension` squared.
    package var covariance: [Double]
    /// Its components; weights as in the posterior.
    package var gaussians: [PositionGaussian]
  }

  /// The posterior as a few modes, each within a cone of directions as seen from `device` (world, metres); nil if it
  /// has more than `most`.
  ///
  /// The heaviest component defines the first mode, the heaviest outside its cone the next. Components outside all
  /// cones, less than 1e-4 together, go to the nearest mode. O(components x most).
  ///
  /// - Parameter radius: of a cone, radians.
  package func modes(from device: Vector3, within radius: Double, most: Int) -> [Mode]? {
    guard let set = hypotheses, !isDirectionUnobserved else { return nil }
    let directions = (0..<set.count).map { (set.position($0) - device).normalized }
    let limit = cos(radius)
    var outside = directions.indices.filter { normalized[$0] > 0 }
    var seeds: [Vector3] = []
    while outside.reduce(0, { $0 + normalized[$1] }) > Self.unassigned,
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
    return members.filter { !$0.isEmpty }.map { mode($0, of: set, weights: normalized) }
  }

  /// Components with less probability than this together define no mode.
  private static let unassigned = 1e-4

  /// Moments of some components as one mode.
  func mode(_ members: [Int], of set: GaussianSum, weights: [Double]) -> Mode {
    let probability = members.reduce(0) { $0 + weights[$1] }
    var conditional = [Double](repeating: 0, count: set.count)
    for i in members { conditional[i] = weights[i] / probability }
    let (mean, covariance) = set.moments(weights: conditional)
    return Mode(
      probability: probability, mean: mean, covariance: covariance,
      gaussians: members.map { set.gaussian($0, weight: weights[$0]) })
  }
}
