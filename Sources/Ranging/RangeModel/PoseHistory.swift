import Foundation
import Geometry

/// What a range's pose is among the earlier ones, for errors that are bound to the pose.
package struct PoseVisit: Equatable, Sendable {
  /// Path since the previous range, metres: `|dp| + angle / 75 degrees`.
  package var path = 0.0
  /// Earlier visits of this pose, each weighted by its squared correlation, where the device has just come; else 0.
  package var revisits = 0.0
  /// The LOS ranges of the same antenna that were measured there before; nil where there are none, or the device has not just come.
  package var earlier: EarlierRanges?

  package init(path: Double = 0, revisits: Double = 0) { (self.path, self.revisits) = (path, revisits) }
}

/// Ranges that were measured at one pose.
package struct EarlierRanges: Equatable, Sendable {
  /// Sum of the ranges and of the antenna's positions, metres.
  private var sum = (range: 0.0, antenna: Vector3.zero)
  /// Sum of their weights.
  package private(set) var count = 0.0
  /// Path from there to the present pose, `|dp| + r angle`, metres.
  package internal(set) var path = 0.0

  /// Mean range, metres.
  package var range: Double { sum.range / count }
  /// Mean position of the antenna, world, metres.
  package var antenna: Vector3 { sum.antenna / count }

  package init() {}

  /// Adds a range, metres, from an antenna in the world, with a weight, 0...1.
  package mutating func add(_ range: Double, antenna: Vector3, weight: Double = 1) {
    sum = (sum.range + weight * range, sum.antenna + weight * antenna)
    count += weight
  }

  package static func == (a: EarlierRanges, b: EarlierRanges) -> Bool {
    a.sum == b.sum && a.count == b.count && a.path == b.path
  }
}

/// Where and how the device has been held, for errors of ranges that are functions of place and attitude, as multipath and antennas make them.
///
/// Such an error is a Gauss-Markov process along the path, with the correlation `e^(-u / l)` between poses that are `u = |dp| + r angle` apart: at rest it does
/// not change, however long. It is no process along the path where the device comes back: the error is that of the first visit, and its ranges tell nothing
/// new. So poses are sampled, and an arrival counts the earlier visits of its pose (`RangeNoise.renewal`).
package struct PoseHistory: Sendable {
  /// l and r, metres, and metres a radian: of 108 links of three public sets, ranges from half a metre away or turned by 45 degrees correlate by 0 to 0.3.
  private static let length = 0.4, lever = 0.4 / (Double.pi / 6)
  /// A hand's tremor: within so many correlation lengths the pose is the same.
  private static let tremor = 0.08
  /// Size of a sampled pose, in correlation lengths; it is left at a little more.
  private static let size = 0.5, leaving = 0.65
  /// Poses that were left within this path are near as far as the process along the path knows, correlation lengths.
  private static let recent = 2.0
  /// Visits farther than this have no weight, correlation lengths.
  private static let reach = 1.5
  /// Beyond so many poses all are forgotten: on paths of hundreds of metres, on which a trajectory drifts.
  private static let most = 4096

  private struct Sample {
    let pose: Pose
    var visits = 1.0
    /// Path at the last range there.
    var left: Double
    /// What was measured there, by antenna.
    var ranges: [String: EarlierRanges] = [:]
  }

  private var samples: [Sample] = []
  /// Samples by cubes of the reach.
  private var cells: [SIMD3<Int32>: [Int]] = [:]
  private var current: Int?
  private var reference: Pose?
  /// Path so far, correlation lengths.
  private var path = 0.0

  package init() {}

  /// The visit of a pose, body in the world, by an antenna with this id.
  ///
  /// Cost: O(samples within the reach) where the pose changes, else O(1).
  package mutating func visit(_ pose: Pose, by id: String?) -> PoseVisit {
    var visit = visit(pose)
    if let current, visit.revisits > 0, let earlier = samples[current].ranges[id ?? ""], earlier.count >= Self.least {
      visit.earlier = earlier
      visit.earlier?.path = Self.distance(samples[current].pose, pose) * Self.length
    }
    return visit
  }

  /// Least weight of the ranges of a pose: a half is one that was rather LOS than not.
  private static let least = 0.5

  /// Keeps a range of the newest pose, metres, with the probability that it was LOS and no outlier.
  package mutating func remember(_ range: Double, antenna: Vector3, by id: String?, losProbability: Double) {
    guard let current else { return }
    samples[current].ranges[id ?? "", default: EarlierRanges()].add(range, antenna: antenna, weight: losProbability)
  }

  /// The same without what was measured there.
  package mutating func visit(_ pose: Pose) -> PoseVisit {
    guard let cell = SIMD3<Int32>(cubeOf: pose.translation, size: Self.reach * Self.length) else { return PoseVisit() }
    guard let reference else {
      self.reference = pose
      sample(pose, in: cell)
      return PoseVisit()
    }
    let step = Self.distance(reference, pose)
    guard step > Self.tremor else { return PoseVisit() }
    self.reference = pose
    path += step
    if let current, Self.distance(samples[current].pose, pose) < Self.leaving {
      samples[current].left = path
      return PoseVisit(path: step * Self.length)
    }
    var (revisits, nearest) = (0.0, (index: -1, distance: Self.size))
    forEachSample(around: cell) { index in
      let u = Self.distance(samples[index].pose, pose)
      if u < nearest.distance { nearest = (index, u) }
      guard u < Self.reach, path - samples[index].left > Self.recent else { return }
      revisits += samples[index].visits * exp(-2 * u)
    }
    if nearest.index >= 0 {
      if path - samples[nearest.index].left > Self.recent { samples[nearest.index].visits += 1 }
      samples[nearest.index].left = path
      current = nearest.index
    } else {
      sample(pose, in: cell)
    }
    return PoseVisit(path: step * Self.length, revisits: revisits)
  }

  /// `u / l` between two poses.
  private static func distance(_ a: Pose, _ b: Pose) -> Double {
    ((a.translation - b.translation).norm + lever * (a.rotation.inverse * b.rotation).log.norm) / length
  }

  private mutating func sample(_ pose: Pose, in cell: SIMD3<Int32>) {
    if samples.count >= Self.most {
      samples.removeAll(keepingCapacity: true)
      cells.removeAll(keepingCapacity: true)
    }
    cells[cell, default: []].append(samples.count)
    current = samples.count
    samples.append(Sample(pose: pose, left: path))
  }

  private func forEachSample(around cell: SIMD3<Int32>, _ body: (Int) -> Void) {
    for x in Int32(-1)...1 {
      for y in Int32(-1)...1 { for z in Int32(-1)...1 { cells[cell &+ SIMD3(x, y, z)]?.forEach(body) } }
    }
  }
}

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
