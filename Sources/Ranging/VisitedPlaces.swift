import Geometry

/// Where an antenna has been, for an error that is a smooth function of the place.
///
/// Of a field with the covariance `s^2 exp(-d^2 / (2 l^2))`, values 1.5 l apart have a correlation of 0.32: such a place tells a new value. Values in between are
/// predicted by their neighbours, and follow the path smoothly, as the distance of a peer elsewhere would. A filter whose state has the value and not its gradient takes
/// the one for the other; so nothing is learnt between two sampled places. At the last one the value is the same, and ranges tell their scatter.
package struct VisitedPlaces {
  /// What a range's place is.
  package enum Visit: Equatable {
    /// The first place, or the last sampled one.
    case same
    /// Near to a sampled place that is not the last, or in between.
    case between
    /// A new one: `d^2` to the last sampled place, m^2.
    case new(change: Double)
  }

  /// A hand's tremor, metres: within it a place is the same.
  private static let tremor = PeerFilter.stillRadius
  /// Distance of sampled places, in units of l.
  private static let spacing = 1.5
  /// Beyond so many cells all are forgotten: of paths of hundreds of metres, in which a trajectory drifts.
  private static let most = 4096

  private let spacing: Double
  /// Sampled places by cubes of the spacing.
  private var cells: [SIMD3<Int32>: [Vector3]] = [:]
  private var last: Vector3?

  /// - Parameter length: l, metres.
  package init(length: Double) { spacing = Self.spacing * length }

  /// Takes the antenna's position in, world axes, metres.
  package mutating func visit(_ place: Vector3) -> Visit {
    guard let cell = SIMD3<Int32>(cubeOf: place, size: spacing) else { return .between }
    guard let last else {
      sample(place, in: cell)
      return .same
    }
    if (place - last).norm < Self.tremor { return .same }
    guard !isNearSampled(place, in: cell) else { return .between }
    sample(place, in: cell)
    return .new(change: (place - last).squaredNorm)
  }

  private mutating func sample(_ place: Vector3, in cell: SIMD3<Int32>) {
    if cells.count >= Self.most { cells.removeAll(keepingCapacity: true) }
    cells[cell, default: []].append(place)
    last = place
  }

  private func isNearSampled(_ place: Vector3, in cell: SIMD3<Int32>) -> Bool {
    for x in Int32(-1)...1 {
      for y in Int32(-1)...1 {
        for z in Int32(-1)...1 {
          let places = cells[cell &+ SIMD3(x, y, z)] ?? []
          if places.contains(where: { ($0 - place).squaredNorm < spacing * spacing }) { return true }
        }
      }
    }
    return false
  }
}

extension SIMD3<Int32> {
  /// The cube of `size` metres that holds a place, world axes, metres; nil where it has no number.
  init?(cubeOf place: Vector3, size: Double) {
    let scaled = place / size
    guard scaled.isFinite, scaled.norm < 1e9 else { return nil }
    self.init(Int32(scaled.x.rounded(.down)), Int32(scaled.y.rounded(.down)), Int32(scaled.z.rounded(.down)))
  }
}
