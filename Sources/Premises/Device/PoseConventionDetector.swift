import Foundation
import Geometry
import SensorData

/// Tests the conventions of another tracker's poses: which way is up, and how its quaternions are written.
///
/// With an inertial unit beside it, gravity decides: the specific force carried into the stated world must point along +z.
/// Without one, the device itself: a device that is held or driven keeps its tilt while it turns, so the body-frame direction of the
/// world's up axis, `R^T e_z`, scatters little. Under a wrong convention it is another vector's and scatters as the device turns. Each
/// convention k has a mean square deviation `s_k^2` over n samples a second apart; the log likelihood ratio is
/// `n log(s_0^2 / s_k^2)`, for two degrees of freedom and normal tilts.
package struct PoseConventionDetector {
  /// A convention that poses may be in instead.
  package enum Convention: CaseIterable {
    case yUp, xUp, inverse, xyzw

    /// What a user does about it.
    var remedy: String {
      switch self {
      case .yUp: "convert the poses to a world with z up: (x, y, z) -> (x, -z, y)"
      case .xUp: "convert the poses to a world with z up"
      case .inverse: "write world-from-body rotations: these look inverted (body-from-world)"
      case .xyzw: "write quaternions as w, x, y, z: these look like x, y, z, w"
      }
    }

    /// A rotation as it would read if the poses were in this convention, z up.
    func corrected(_ q: Rotation) -> Rotation? {
      switch self {
      case .yUp: Self.zFromY * q
      case .xUp: Self.zFromX * q
      case .inverse: q.inverse
      // The file's columns w, x, y, z hold x, y, z, w.
      case .xyzw: Rotation(w: q.v.z, x: q.w, y: q.v.x, z: q.v.y)
      }
    }

    private static let zFromY = Rotation.carrying(Vector3(0, 1, 0), into: Vector3(0, 0, 1))
    private static let zFromX = Rotation.carrying(Vector3(1, 0, 0), into: Vector3(0, 0, 1))
  }

  package init() {}

  /// Seconds between samples, and how many are kept.
  private static let spacing = 0.25, most = 240
  /// Samples closer than the tilt's memory count as a fraction: a quarter of a second of one.
  private static let weight = 0.5
  /// Tilts scatter by this at least, rad: nothing is gained below.
  private static let least = 0.05
  /// The stated convention is doubted from this scatter on, rad.
  private static let suspicious = 0.35

  private var rotations: [Rotation] = []
  private var last: Timestamp?

  package mutating func append(_ pose: OdometryPose) {
    if let last, pose.timestamp.seconds(since: last) < Self.spacing { return }
    last = pose.timestamp
    rotations.append(pose.worldFromSensor.rotation)
    if rotations.count > Self.most { rotations.removeFirst() }
  }

  /// The convention that explains the tilts better, its log likelihood ratio and both scatters, radians; nil where the stated one does.
  package func test() -> (convention: Convention, ratio: Double, stated: Double, scatter: Double)? {
    guard rotations.count >= 8 else { return nil }
    let stated = Self.scatter(rotations)
    guard stated > Self.suspicious else { return nil }
    let found = Convention.allCases.map { convention in
      (convention, Self.scatter(rotations.compactMap(convention.corrected)))
    }
    guard let best = found.min(by: { $0.1 < $1.1 }) else { return nil }
    let n = Self.weight * Double(rotations.count)
    let ratio = n * 2 * log(max(stated, Self.least) / max(best.1, Self.least)) - log(Double(found.count))
    return (best.0, ratio, stated, best.1)
  }

  /// Root mean square angle between the body-frame up directions and their mean, radians.
  private static func scatter(_ rotations: [Rotation]) -> Double {
    let ups = rotations.map { $0.inverse * Vector3(0, 0, 1) }
    let mean = ups.reduce(.zero, +).normalized
    guard mean.isFinite, mean.norm > 0.5 else { return .pi / 2 }
    return (ups.reduce(0) { $0 + pow(acos(min(max($1.dot(mean), -1), 1)), 2) } / Double(ups.count)).squareRoot()
  }
}

/// Gravity in the stated world of another tracker, by an inertial unit that moves with it.
struct WorldTilt {
  /// Length of a window, seconds, and the prior 1-sigma of bias and change of velocity.
  private static let length = 2.0
  private var sum = Vector3.zero, count = 0.0
  private var begin: Timestamp?
  /// Means of full windows, world axes, m/s^2.
  private(set) var means: [Vector3] = []

  /// Takes a sample in, at the orientation that the tracker states for it.
  mutating func append(_ sample: IMUSample, worldFromIMU: Rotation) {
    if let begin, sample.timestamp.seconds(since: begin) >= Self.length {
      means.append(sum / count)
      if means.count > 5 { means.removeFirst() }
      (sum, count, self.begin) = (.zero, 0, nil)
    }
    if begin == nil { begin = sample.timestamp }
    sum += worldFromIMU * sample.specificForce
    count += 1
  }

  mutating func removeAll() { (sum, count, begin, means) = (.zero, 0, nil, []) }

  /// The angle between up and the mean specific force, radians, and that direction; nil before two windows agree.
  var tilt: (angle: Double, up: Vector3)? {
    guard means.count >= 2 else { return nil }
    let recent = means.suffix(2)
    let mean = recent.reduce(.zero, +) / 2
    guard mean.norm > 5, recent.allSatisfy({ ($0 - mean).norm < 0.25 * mean.norm }) else { return nil }
    let up = mean.normalized
    return (acos(min(max(up.z, -1), 1)), up)
  }
}
