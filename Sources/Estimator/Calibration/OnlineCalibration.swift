import Foundation
import Geometry
import SensorData

/// Online calibration: which parameters of the device are estimated, and their prior 1-sigmas. A parameter with sigma 0
/// is not estimated.
public struct CalibrationConfiguration: Equatable, Sendable {
  /// Whether online calibration is enabled. If not, a phone's camera mount and IMU intrinsics remain states with narrow
  /// priors.
  public var online = false
  /// Rotation of the camera on the inertial unit, about each axis, radians.
  public var rotation = 0.01
  /// Position of the camera on the inertial unit, each axis, metres.
  public var translation = 0.01
  /// Time offset between the camera's and the inertial unit's clock, seconds.
  public var timeOffset = 0.02
  /// Focal lengths, relative.
  public var focalLength = 0.01
  /// Principal point, as a fraction of the focal length.
  public var principalPoint = 0.01
  /// Scale and misalignment of the inertial unit's axes, relative. 0 means the default of its grade: 1 % for a phone,
  /// otherwise not estimated.
  public var axes = 0.0

  /// The defaults: disabled.
  public init() {}

  /// Variances of the mount's error.
  var mountVariances: [Double] {
    [rotation, rotation, rotation, translation, translation, translation, timeOffset].map { $0 * $0 }
  }

  /// Variances of the lens' error.
  var lensVariances: [Double] {
    [focalLength, focalLength, principalPoint, principalPoint].map { $0 * $0 }
  }
}

/// A camera's calibration as estimated online.
public struct CalibrationEstimate: Equatable, Sendable {
  /// The calibration in the parameters of its file.
  public var camera: CameraCalibration
  /// 1-sigma of the rotation on the inertial unit, camera's axes, radians, three numbers.
  public var rotation: [Double]
  /// 1-sigma of the position on the inertial unit, its axes, metres, three numbers.
  public var translation: [Double]
  /// 1-sigma of the time offset, seconds.
  public var timeOffset: Double
  /// 1-sigma of fx, fy, cx, cy, pixels.
  public var intrinsics: [Double]
  /// The parts excited by the motion so far; all others are as stated.
  public var learnt: [CalibrationPart]
}

/// A part of the calibration with its own excitation test.
public enum CalibrationPart: String, CaseIterable, Sendable {
  /// Rotation of the camera on the inertial unit.
  case rotation
  /// Position of the camera on the inertial unit.
  case translation
  /// Time offset of the camera's clock.
  case timeOffset
  /// Focal lengths and principal point.
  case lens
  /// Scale and misalignment of the inertial unit's axes.
  case axes
}

/// Which parts of the calibration the motion of the last seconds makes observable.
///
/// A linear filter keeps an unobservable parameter at its prior only as far as the linearisation holds. Under
/// degenerate motion, second-order terms produce spurious information. Degenerate motions are:
/// - no rotation or rotation about one axis: camera position, and part of its rotation;
/// - constant rotation rate: time offset, which is then equivalent to a rotation;
/// - constant acceleration: scale. This one holds all parts. As long as the accelerometer does not observe the distance
///   moved, a focal length that is one per cent too long is equivalent to a translation during rotation, with points at
///   one distance.
/// Source: Yang, Geneva, Eckenhoff, Huang, "Degenerate motion analysis for aided INS with online spatial and temporal
/// sensor calibration", RA-L 4(2), 2019, doi:10.1109/LRA.2019.2893803.
///
/// A motion excites a part if a prior 1-sigma error moves the image by more than the noise of the mean of all features
/// in those seconds. Changes of the readings must also exceed their noise.
package struct CalibrationExcitation {
  /// Information in the frames of the last seconds.
  package struct View {
    /// 1-sigma of the mean of all their features' directions, radians.
    package var noise: Double
    /// Root mean square distance of features from their centre, focal lengths.
    package var spread: Double
    /// Optical axis of the camera, unit vector, IMU axes.
    package var opticalAxis: Vector3

    /// A view from its parts.
    package init(noise: Double, spread: Double, opticalAxis: Vector3) {
      self.noise = noise
      self.spread = spread
      self.opticalAxis = opticalAxis
    }
  }

  /// Time constant of the exponential averages, seconds.
  static let memory = 2.0
  /// Root-mean-square change of the acceleration that makes the scale observable, m/s^2: half a degree of tilt is
  /// equivalent to it.
  static let acceleration = 0.1
  /// Typical distance of points, metres: relates a shift of the camera to an angle.
  static let distance = 3.0

  private var weight = 0.0
  /// Rotation from the recent mean attitude, IMU axes, and the mean of its square.
  private var rotationVector = Vector3.zero, rotationSquare = Matrix3.zero
  private var rate = Vector3.zero, rateSquare = 0.0
  private var acceleration = Vector3.zero, accelerationSquare = 0.0
  private var noise = (rate: 0.0, force: 0.0)

  /// No motion yet.
  package init() {}

  /// Adds a step of motion.
  ///
  /// - Parameters:
  ///   - angularVelocity: IMU axes, rad/s.
  ///   - acceleration: in the world, gravity removed, m/s^2.
  ///   - noise: variances of a component of both.
  package mutating func add(
    angularVelocity w: Vector3, acceleration a: Vector3, seconds: Double, noise: (rate: Double, force: Double) = (0, 0)
  ) {
    guard seconds > 0, w.isFinite, a.isFinite else { return }
    let keep = exp(-seconds / Self.memory), gain = 1 - keep
    weight = keep * weight + gain
    rotationVector = keep * (Rotation.exp(-seconds * w) * rotationVector) + seconds * w
    rotationSquare = keep * rotationSquare + gain * Matrix3(outer: rotationVector, rotationVector)
    rate = keep * rate + gain * w
    rateSquare = keep * rateSquare + gain * w.squaredNorm
    acceleration = keep * acceleration + gain * a
    accelerationSquare = keep * accelerationSquare + gain * a.squaredNorm
    self.noise.rate = keep * self.noise.rate + gain * 3 * noise.rate
    self.noise.force = keep * self.noise.force + gain * 3 * noise.force
  }

  /// The excited parts for the stated prior sigmas.
  package func parts(_ view: View, _ sigmas: CalibrationConfiguration) -> Set<CalibrationPart> {
    guard weight > 0, view.noise > 0 else { return [] }
    func isSeen(_ square: Double, _ sigma: Double) -> Bool { square * sigma * sigma > view.noise * view.noise }
    let angles = (1 / weight) * rotationSquare
    let offAxis = Self.outsideMainAxis(angles), across = angles.trace - angles.form(view.opticalAxis, view.opticalAxis)
    let rates = Self.beyondNoise(rateSquare / weight - (rate / weight).squaredNorm, over: noise.rate / weight)
    let accelerations = Self.beyondNoise(
      accelerationSquare / weight - (acceleration / weight).squaredNorm, over: noise.force / weight)
    guard accelerations > Self.acceleration * Self.acceleration else { return [] }
    var parts: Set<CalibrationPart> = []
    if isSeen(offAxis, sigmas.rotation) { parts.insert(.rotation) }
    if isSeen(offAxis, sigmas.translation / Self.distance) { parts.insert(.translation) }
    if isSeen(offAxis, sigmas.axes) { parts.insert(.axes) }
    if isSeen(rates, sigmas.timeOffset) { parts.insert(.timeOffset) }
    if isSeen(across, view.spread * max(sigmas.focalLength, sigmas.principalPoint)) { parts.insert(.lens) }
    return parts
  }

  /// Variance beyond that of noise; 0 unless it is at least twice that.
  private static func beyondNoise(_ variance: Double, over noise: Double) -> Double {
    variance > 2 * noise ? variance - noise : 0
  }

  /// Sum of the products of pairs of eigenvalues over the sum of the eigenvalues: the part outside the main axis if
  /// that is dominant; 0 if it is the only one.
  private static func outsideMainAxis(_ m: Matrix3) -> Double {
    let trace = m.trace
    guard trace > 0 else { return 0 }
    let pairs = [(0, 1), (0, 2), (1, 2)].map { i, j in m[i, i] * m[j, j] - m[i, j] * m[j, i] }
    return pairs.reduce(0, +) / trace
  }
}
