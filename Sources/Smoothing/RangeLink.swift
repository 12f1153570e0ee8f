import Foundation
import Geometry
import Inertial
import LeastSquares
import Ranging
import SensorData

/// All ranges of one link in a segment, with the estimated peer and noise.
///
/// Their error is white noise plus a coloured part that decorrelates over 3 s or 1 m of motion, as in the filter's
/// posterior. The differences `r_j - phi r_j-1` are nearly white.
package struct RangeLink: Sendable {
  /// Correlation time, seconds, and correlation distance, metres, of the coloured part.
  static let correlationLength = (seconds: 3.0, metres: 1.0)
  /// Lower bounds of the noise, 1-sigma, metres: white, coloured.
  private static let floors = (white: 0.02, coloured: 0.05)
  /// A range whose residual exceeds this many sigmas is rejected as an outlier.
  static let outlierSigmas = 3.5
  /// Most keyframes between a range and the one before it: bounds the coupling between keyframes.
  static let farthest = 40
  /// Most steps of the peer per step of the path.
  private static let refinements = 20
  /// Loss of a row.
  static let loss = HuberLoss(threshold: 2)

  /// The ranges by antenna, each in time order.
  package var ranges: [[AnchoredRange]]
  /// The peer.
  package var peer: StaticPeer
  /// 1-sigma of the white and of the coloured error, metres.
  package private(set) var noise = (white: 0.1, coloured: 0.1)
  /// The rows of the problem; none before `learn`.
  package private(set) var rows: [Row] = []

  /// A link from its parts.
  package init(ranges: [[AnchoredRange]], peer: StaticPeer) {
    self.ranges = ranges
    self.peer = peer
  }

  /// One row of the problem: a range, decorrelated from the one before it where that exists.
  package struct Row {
    /// The range.
    package var range: AnchoredRange
    /// The one before, and phi, the correlation of its coloured error with this one's.
    package var before: (range: AnchoredRange, correlation: Double)?
    /// 1-sigma of the decorrelated error, metres.
    package var sigma: Double
  }

  private func paired(_ keyframes: [Keyframe]) -> [Row] {
    let (w, c) = (noise.white * noise.white, noise.coloured * noise.coloured)
    var rows: [Row] = []
    for antenna in ranges {
      var last: AnchoredRange?
      for range in antenna {
        defer { last = range }
        if let last, range.keyframe - last.keyframe <= Self.farthest {
          let (a, b) = (keyframes[last.keyframe], keyframes[range.keyframe])
          let seconds = b.timestamp.seconds(since: a.timestamp) + range.elapsed - last.elapsed
          let metres = (b.state.position - a.state.position).norm
          let length = Self.correlationLength
          let correlation = exp(-max(seconds, 0) / length.seconds - metres / length.metres)
          let variance = c * (1 - correlation * correlation) + w * (1 + correlation * correlation)
          rows.append(Row(range: range, before: (last, correlation), sigma: variance.squareRoot()))
        } else {
          rows.append(Row(range: range, before: nil, sigma: (c + w).squareRoot()))
        }
      }
    }
    return rows
  }

  /// A row's residual, in sigmas.
  package func residual(_ row: Row, _ keyframes: [Keyframe], gravity: Vector3) -> Double {
    var sum = row.range.residual(keyframes[row.range.keyframe].state, peer, gravity: gravity)
    if let (before, correlation) = row.before {
      sum -= correlation * before.residual(keyframes[before.keyframe].state, peer, gravity: gravity)
    }
    return sum / row.sigma
  }

  /// Estimates the noise from the residuals, rejects outliers and builds the rows from the rest. False where the link
  /// is not usable: too few ranges left, or too much noise for a static peer.
  package mutating func learn(_ keyframes: [Keyframe], gravity: Vector3) -> Bool {
    let peer = peer
    func errors(_ antenna: [AnchoredRange]) -> [Double] {
      antenna.map { $0.residual(keyframes[$0.keyframe].state, peer, gravity: gravity) }
    }
    let all = ranges.map(errors)
    guard let total = all.joined().robustDeviation(), total < 0.5 else { return false }
    let count = ranges.reduce(0) { $0 + $1.count }
    // The variance of differences of neighbours is twice that of the white part.
    let steps = all.flatMap { list in zip(list, list.dropFirst()).map { $1 - $0 } }
    let white = min((steps.robustDeviation() ?? total) / 2.0.squareRoot(), total)
    let coloured = max(total * total - white * white, 0).squareRoot()
    // Not in the first round: the path does not include these ranges yet, so residuals contain its error.
    if !rows.isEmpty { noise = (max(white, Self.floors.white), max(coloured, Self.floors.coloured)) }
    let limit = Self.outlierSigmas * max(total, Self.floors.coloured)
    ranges = zip(ranges, all).map { antenna, errors in zip(antenna, errors).filter { abs($1) <= limit }.map(\.0) }
    let left = ranges.reduce(0) { $0 + $1.count }
    rows = paired(keyframes)
    return left >= 30 && 10 * left >= 7 * count
  }

  /// Minimises the cost of the rows over the peer.
  package mutating func refine(_ keyframes: [Keyframe], gravity: Vector3) {
    func antenna(_ range: AnchoredRange) -> Vector3 { range.antenna(keyframes[range.keyframe].state, gravity: gravity) }
    let refinement = PeerRefinement(
      rows.map { row in
        .init(
          antenna: antenna(row.range), range: row.range.range,
          before: row.before.map { (antenna($0.range), $0.range.range, $0.correlation) }, sigma: row.sigma)
      })
    peer = refinement.refined(peer, steps: Self.refinements).peer
  }
}

/// A range to a static peer, related to the keyframe before it by preintegrated IMU motion.
///
/// The antenna is at `p = p_k + v_k t + g t^2 / 2 + R_k a`, with a its displacement since the keyframe, without initial
/// velocity and gravity, in the keyframe's IMU axes.
package struct AnchoredRange: Sendable {
  /// Index of the keyframe.
  package var keyframe: Int
  /// Seconds since then.
  package var elapsed: Double
  /// a: metres.
  package var displacement: Vector3
  /// Measured, metres.
  package var range: Double

  /// A range from its parts.
  package init(keyframe: Int, elapsed: Double, displacement: Vector3, range: Double) {
    self.keyframe = keyframe
    self.elapsed = elapsed
    self.displacement = displacement
    self.range = range
  }

  /// Position of the antenna, world, metres.
  package func antenna(_ state: InertialState, gravity: Vector3) -> Vector3 {
    state.position + elapsed * state.velocity + (0.5 * elapsed * elapsed) * gravity + state.rotation * displacement
  }

  /// Predicted minus measured, metres.
  package func residual(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> Double {
    peer.predicted(antenna(state, gravity: gravity)).range - range
  }

  /// Its derivatives by the keyframe's 15 error states and the peer's 5.
  package func jacobian(_ state: InertialState, _ peer: StaticPeer, gravity: Vector3) -> (
    state: [Double], peer: [Double]
  ) {
    let slope = peer.predicted(antenna(state, gravity: gravity)).slope
    let u = -Vector3(slope[0], slope[1], slope[2])
    // d(R a) = theta x R a, and u . (theta x w) = (w x u) . theta.
    let theta = (state.rotation * displacement).cross(u), v = elapsed * u
    return (
      [theta.x, theta.y, theta.z, u.x, u.y, u.z, v.x, v.y, v.z] + [Double](repeating: 0, count: 6),
      slope
    )
  }
}

/// The ranges of a recording by peer and antenna, in time order, with the positions of the antennas.
package struct RangeSelection {
  /// Ranges of one antenna to one peer.
  package struct Series {
    /// The antenna in the IMU's axes, metres.
    package var antenna: Vector3
    /// In time order, timestamps unique.
    package var ranges: [RangeMeasurement]
  }

  /// By peer, sorted by its id; then by antenna.
  package let links: [[Series]]

  /// Excludes ranges of unknown antennas, ranges that are not finite and positive, and duplicates.
  package init(_ ranges: [RangeMeasurement], radio: RadioCalibration?, imu: IMUCalibration) {
    let imuFromBody = imu.bodyFromIMU.inverse
    let peers = Dictionary(grouping: ranges.filter { $0.range.isFinite && $0.range > 0 }, by: \.peer)
    links = peers.sorted { $0.key < $1.key }.map { _, own in
      Dictionary(grouping: own) { $0.antenna ?? "" }.sorted { $0.key < $1.key }.compactMap { name, ranges in
        let known = radio?.position(of: name.isEmpty ? nil : name) ?? (name.isEmpty ? .zero : nil)
        guard let position = known else { return nil }
        var ordered: [RangeMeasurement] = []
        for range in ranges.sorted(by: { $0.timestamp < $1.timestamp })
        where ordered.last.map({ $0.timestamp < range.timestamp }) ?? true { ordered.append(range) }
        var detector = DuplicateRangeDetector()
        let unique = ordered.filter { !detector.isDuplicate($0, antenna: nil) }
        return Series(antenna: imuFromBody * position, ranges: unique)
      }
    }
  }
}
