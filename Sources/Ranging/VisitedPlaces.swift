import Foundation
import Geometry

/// Where an antenna has been, for an error that is a smooth function of the place.
///
/// Of a field with the covariance `s^2 exp(-d^2 / (2 l^2))`, a new place tells a new value: its correlation with the value d metres before is
/// `exp(-d^2 / (2 l^2))`. A known place repeats its value, so that ranges there tell nothing new, however many. Places are cubes of
/// a quarter of l; one is known once the antenna has been in others since.
package struct VisitedPlaces {
  /// What a range's place is.
  package enum Visit: Equatable {
    /// Visited before.
    case known
    /// New, or not yet left: the growth of `d^2` since the last range at a new place, m^2.
    case new(change: Double)
  }

  /// So many crossings of cubes' borders lie between two visits: fewer may be a tremor.
  private static let between = 2
  /// Beyond so many cubes all are forgotten: of paths of hundreds of metres, in which a trajectory drifts.
  private static let most = 4096

  private let length: Double
  private var firstVisits: [SIMD3<Int32>: Int] = [:]
  private var current: SIMD3<Int32>?
  private var crossings = 0
  /// Where `d` is measured from, the largest `d` since, and the last new place.
  private var reference: Vector3?
  private var reach = 0.0
  private var last: Vector3?
  private var wasKnown = false

  /// - Parameter length: l, metres.
  package init(length: Double) { self.length = length }

  /// Takes the antenna's position in, world axes, metres.
  package mutating func visit(_ place: Vector3) -> Visit {
    if isKnown(place) {
      wasKnown = true
      return .known
    }
    defer { (last, wasKnown) = (place, false) }
    guard let from = reference, let last else {
      reference = place
      return .new(change: 0)
    }
    if wasKnown {
      (reference, reach) = (place, 0)
      return .new(change: (place - last).squaredNorm)
    }
    let distance = (place - from).norm
    guard distance > reach else { return .new(change: 0) }
    let growth = distance * distance - reach * reach
    reach = distance
    if distance > length / 2 { (reference, reach) = (place, 0) }
    return .new(change: growth)
  }

  private mutating func isKnown(_ place: Vector3) -> Bool {
    let side = length / 4
    let scaled = place / side
    guard scaled.isFinite, scaled.norm < 1e9 else { return false }
    let cube = SIMD3<Int32>(Int32(scaled.x.rounded()), Int32(scaled.y.rounded()), Int32(scaled.z.rounded()))
    if cube != current { crossings += 1 }
    current = cube
    if let first = firstVisits[cube] { return crossings - first > Self.between }
    if firstVisits.count >= Self.most { firstVisits.removeAll(keepingCapacity: true) }
    firstVisits[cube] = crossings
    return false
  }
}
