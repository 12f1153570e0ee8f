import Foundation
import Geometry

/// Which parts of a calibration the motion of the last seconds tells anything about.
///
/// What a motion leaves open, a linear filter keeps at its prior only as long as the linearisation is right; where a camera only
/// turns, or a device is carried along evenly, products of errors pass for knowledge. The degenerate motions: no turning or turning
/// about one axis (the camera's place, and part of its rotation), an even turn (time offset: it is then the same as a
/// rotation), an even acceleration (scale, and with it the place).
/// Source: Yang, Geneva, Eckenhoff, Huang, "Degenerate motion analysis for aided INS with online spatial and temporal sensor
/// calibration", RA-L 4(2), 2019, doi:10.1109/LRA.2019.2893803.
package struct CalibrationExcitation {
  /// How long a motion counts, seconds.
  static let memory = 2.0
  /// Root mean square turn rate that is worth something, rad/s: over the memory some 0.1 rad, by which an error of a per cent
  /// moves features by about their noise.
  static let turn = 0.1
  /// Root mean square change of the acceleration, m/s^2: well above what a wrong tilt or bias looks like.
  static let acceleration = 0.3
  /// Root mean square distance of features from their centre, focal lengths: a scale and a shift of the picture are then told apart.
  static let spread = 0.2

  private var weight = 0.0
  private var rate = Vector3.zero, rates = Matrix3.zero
  private var force = Vector3.zero, forces = 0.0

  /// Nothing yet.
  package init() {}

  /// Takes a step of motion.
  ///
  /// - Parameters:
  ///   - turning: angular velocity, IMU axes, rad/s.
  ///   - accelerating: acceleration in the world, gravity removed, m/s^2.
  package mutating func add(turning w: Vector3, accelerating a: Vector3, seconds: Double) {
    guard seconds > 0, w.isFinite, a.isFinite else { return }
    let keep = exp(-seconds / Self.memory), share = 1 - keep
    weight = keep * weight + share
    rate = keep * rate + share * w
    rates = keep * rates + share * Matrix3(outer: w, w)
    force = keep * force + share * a
    forces = keep * forces + share * a.squaredNorm
  }

  /// The parts that are excited.
  ///
  /// - Parameters:
  ///   - opticalAxis: of the camera, unit vector, IMU axes.
  ///   - spread: of the features, as above; nil where there are none.
  package func parts(opticalAxis: Vector3, spread: Double?) -> Set<CalibrationPart> {
    guard weight > 0 else { return [] }
    let power = (1 / weight) * rates, trace = power.trace
    let least = Self.turn * Self.turn
    var parts: Set<CalibrationPart> = []
    let isShaken = forces / weight - (force / weight).squaredNorm > Self.acceleration * Self.acceleration
    if Self.beyondOneAxis(power) > least {
      parts.insert(.rotation)
      if isShaken { parts.formUnion([.translation, .axes]) }
    }
    if trace - (rate / weight).squaredNorm > least { parts.insert(.timeOffset) }
    let across = trace - power.form(opticalAxis, opticalAxis)
    if across > least, let spread, spread > Self.spread { parts.insert(.lens) }
    return parts
  }

  /// Of three eigenvalues the sum of the products of two over the sum of all: what is left of the power beside the largest, where that is
  /// by far the largest, and at most three thirds of a third otherwise.
  private static func beyondOneAxis(_ m: Matrix3) -> Double {
    let trace = m.trace
    guard trace > 0 else { return 0 }
    let pairs = [(0, 1), (0, 2), (1, 2)].map { i, j in m[i, i] * m[j, j] - m[i, j] * m[j, i] }
    return pairs.reduce(0, +) / trace
  }
}
