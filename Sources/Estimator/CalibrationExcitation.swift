import Foundation
import Geometry

/// Which parts of a calibration the motion of the last seconds tells anything about.
///
/// What a motion leaves open, a linear filter keeps at its prior only as long as the linearisation is right; where a camera only
/// turns, or a device is carried along evenly, products of errors pass for knowledge. The degenerate motions: no turning or turning
/// about one axis (the camera's place, and part of its rotation), an even turn (time offset: it is then the same as a
/// rotation), an even acceleration (scale). The last one holds everything: as long as the accelerometer does not tell how far the device was
/// moved, a focal length that is a per cent too long is as good as a device that slides along while it turns, past points at one distance.
/// Source: Yang, Geneva, Eckenhoff, Huang, "Degenerate motion analysis for aided INS with online spatial and temporal sensor
/// calibration", RA-L 4(2), 2019, doi:10.1109/LRA.2019.2893803.
///
/// A motion excites a part when an error as large as its 1-sigma beforehand moves the picture by more than the mean of all features
/// of those seconds errs; changes of the readings have to exceed their noise, too.
package struct CalibrationExcitation {
  /// What the frames of these seconds can tell.
  package struct View {
    /// 1-sigma of the mean of all their features' directions, radians.
    package var noise: Double
    /// Root mean square distance of features from their centre, focal lengths.
    package var spread: Double
    /// Of the camera, unit vector, IMU axes.
    package var opticalAxis: Vector3

    /// A view from its parts.
    package init(noise: Double, spread: Double, opticalAxis: Vector3) {
      self.noise = noise
      self.spread = spread
      self.opticalAxis = opticalAxis
    }
  }

  /// How long a motion counts, seconds.
  static let memory = 2.0
  /// Root mean square change of the acceleration that tells the scale, m/s^2: half a degree of tilt looks like that.
  static let acceleration = 0.1
  /// How far away things are, metres: what a shift of the camera is worth.
  static let distance = 3.0

  private var weight = 0.0
  /// How far the device is turned from where it has been, IMU axes, and the mean of its square.
  private var turned = Vector3.zero, rotatedSquare = Matrix3.zero
  private var rate = Vector3.zero, rateSquare = 0.0
  private var acceleration = Vector3.zero, accelerationSquare = 0.0
  private var noise = (rate: 0.0, force: 0.0)

  /// Nothing yet.
  package init() {}

  /// Takes a step of motion.
  ///
  /// - Parameters:
  ///   - turning: angular velocity, IMU axes, rad/s.
  ///   - accelerating: acceleration in the world, gravity removed, m/s^2.
  ///   - noise: variances of a component of both.
  package mutating func add(
    turning w: Vector3, accelerating a: Vector3, seconds: Double, noise: (rate: Double, force: Double) = (0, 0)
  ) {
    guard seconds > 0, w.isFinite, a.isFinite else { return }
    let keep = exp(-seconds / Self.memory), share = 1 - keep
    weight = keep * weight + share
    turned = keep * (Rotation.exp(-seconds * w) * turned) + seconds * w
    rotatedSquare = keep * rotatedSquare + share * Matrix3(outer: turned, turned)
    rate = keep * rate + share * w
    rateSquare = keep * rateSquare + share * w.squaredNorm
    acceleration = keep * acceleration + share * a
    accelerationSquare = keep * accelerationSquare + share * a.squaredNorm
    self.noise.rate = keep * self.noise.rate + share * 3 * noise.rate
    self.noise.force = keep * self.noise.force + share * 3 * noise.force
  }

  /// The parts that are excited, for errors as large as stated beforehand.
  package func parts(_ view: View, _ sigmas: CalibrationConfiguration) -> Set<CalibrationPart> {
    guard weight > 0, view.noise > 0 else { return [] }
    func isSeen(_ square: Double, _ sigma: Double) -> Bool { square * sigma * sigma > view.noise * view.noise }
    let angles = (1 / weight) * rotatedSquare
    let beside = Self.besideOneAxis(angles), across = angles.trace - angles.form(view.opticalAxis, view.opticalAxis)
    let rates = Self.excess(rateSquare / weight - (rate / weight).squaredNorm, over: noise.rate / weight)
    let accelerations = Self.excess(
      accelerationSquare / weight - (acceleration / weight).squaredNorm, over: noise.force / weight)
    guard accelerations > Self.acceleration * Self.acceleration else { return [] }
    var parts: Set<CalibrationPart> = []
    if isSeen(beside, sigmas.rotation) { parts.insert(.rotation) }
    if isSeen(beside, sigmas.translation / Self.distance) { parts.insert(.translation) }
    if isSeen(beside, sigmas.axes) { parts.insert(.axes) }
    if isSeen(rates, sigmas.timeOffset) { parts.insert(.timeOffset) }
    if isSeen(across, view.spread * max(sigmas.focalLength, sigmas.principalPoint)) { parts.insert(.lens) }
    return parts
  }

  /// What a variance has beyond that of noise; 0 where it is not at least twice that.
  private static func excess(_ variance: Double, over noise: Double) -> Double {
    variance > 2 * noise ? variance - noise : 0
  }

  /// Of three eigenvalues the sum of the products of two over the sum of all: what there is beside the largest, where that is by far
  /// the largest; 0 where it is alone.
  private static func besideOneAxis(_ m: Matrix3) -> Double {
    let trace = m.trace
    guard trace > 0 else { return 0 }
    let pairs = [(0, 1), (0, 2), (1, 2)].map { i, j in m[i, i] * m[j, j] - m[i, j] * m[j, i] }
    return pairs.reduce(0, +) / trace
  }
}
