import Geometry
import Inertial
import SensorData
import CameraGeometry

/// The state of an inertial filter and its passage through time: navigation state, clones and added vectors with one
/// covariance; updates come from outside.
package final class InertialNavigation: NavigationFilter {
  package let covariance = ErrorCovariance()
  package internal(set) var time: Timestamp
  package let bodyFromNavigation: Pose
  package let poseBlock: ErrorCovariance.Block

  /// The present estimate.
  package internal(set) var state: InertialState
  /// The estimate at `time` before any update at `time`.
  package internal(set) var first: InertialState
  /// Kept poses, oldest first.
  package internal(set) var clones: [Clone] = []
  /// Points in the state, in the order of their coming.
  package internal(set) var landmarks: [Landmark] = []
  /// The inertial unit's axes.
  package internal(set) var intrinsics = IMUIntrinsics()
  /// Their errors in the covariance; nil for a unit that was calibrated axis by axis.
  package let intrinsicsBlock: ErrorCovariance.Block?
  /// What the accelerometer's bias wanders about, m/s^2; the first bias where it only walks.
  package internal(set) var meanBias: Vector3
  /// Its error in the covariance; nil for a unit whose bias only walks.
  package let meanBiasBlock: ErrorCovariance.Block?
  /// How the camera sits on the inertial unit.
  package internal(set) var mount: CameraMount
  /// Its error in the covariance; nil for a device that was calibrated with care.
  package let mountBlock: ErrorCovariance.Block?
  /// The lens, where it is estimated; nil where it is taken as it is.
  package internal(set) var lens: LensModel?
  /// Its error in the covariance.
  package let lensBlock: ErrorCovariance.Block?
  /// What of the calibration is estimated.
  let learning: CalibrationConfiguration
  /// What the motion tells of the calibration.
  var excitation = CalibrationExcitation()
  /// What it has told of by now.
  var learnt: Set<CalibrationPart> = []
  /// Sees the linearised system.
  package weak var observer: (any UpdateObserver)?
  /// Inertial samples around `time`.
  package var samples = IMUBuffer()
  /// See `NavigationFilter`.
  package internal(set) var quietSince: Timestamp?
  /// See `NavigationFilter`.
  package internal(set) var isPositionLost = false
  /// How many worlds ended in the dark.
  package internal(set) var epoch = 0
  /// See `NavigationFilter`.
  package internal(set) var originCovariance = Matrix3.zero
  /// Gaps of over 100 ms that had to be bridged.
  package internal(set) var dropouts = 0

  let propagation: InertialPropagation
  let noise: InertialNoise
  let wander: AccelerometerInstability?
  let unitSigma: Double
  package var vectors = AugmentedStates()
  var drift = DriftAccumulator()
  var nextCloneID = 0
  private var hasSettled = false

  /// A filter that starts at `time` in `state`; nil when a number is not finite.
  ///
  /// - Parameters:
  ///   - lens: of the camera; needed only where it is to be estimated.
  ///   - learning: what of the calibration is estimated.
  ///   - initialCovariance: of (theta, p, v, b_g, b_a), 15 x 15, row-major.
  package init?(
    calibration: IMUCalibration, mount: CameraMount, lens: LensModel? = nil,
    learning: CalibrationConfiguration = CalibrationConfiguration(), time: Timestamp, state: InertialState,
    initialCovariance: [Double]
  ) {
    guard state.isFinite, let block = covariance.augment(size: InertialState.errorSize, independent: initialCovariance)
    else { return nil }
    self.time = time
    self.state = state
    first = state
    poseBlock = block
    self.learning = learning
    let isPhone = SensorGrade(calibration).isPhone
    let axes = learning.online && learning.axes > 0 ? learning.axes : isPhone ? IMUIntrinsics.sigma(calibration) : 0
    intrinsicsBlock =
      axes > 0
      ? covariance.augment(
        size: IMUIntrinsics.count,
        independent: ErrorCovariance.diagonal([Double](repeating: axes * axes, count: IMUIntrinsics.count))) : nil
    meanBias = state.accelerometerBias
    let wander = AccelerometerInstability(calibration)
    self.wander = wander
    let deviation = wander.map { ErrorCovariance.diagonal([Double](repeating: $0.variance, count: 3)) }
    meanBiasBlock =
      deviation == nil
      ? nil
      : covariance.augment(
        size: 3, jacobian: [(block, AccelerometerInstability.meanByState)], independent: deviation ?? [])
    self.mount = mount
    let mountVariances =
      learning.online ? learning.mountVariances : isPhone ? CameraMount.errorSigmas.map { $0 * $0 } : []
    mountBlock =
      mountVariances.contains { $0 > 0 }
      ? covariance.augment(size: CameraMount.errorSize, independent: ErrorCovariance.diagonal(mountVariances)) : nil
    self.lens = learning.online && learning.lensVariances.contains { $0 > 0 } ? lens : nil
    lensBlock =
      self.lens == nil
      ? nil
      : covariance.augment(
        size: LensModel.errorSize, independent: ErrorCovariance.diagonal(learning.lensVariances))
    bodyFromNavigation = calibration.bodyFromIMU
    propagation = InertialPropagation(gravityMagnitude: calibration.gravityMagnitude)
    noise = InertialNoise(calibration)
    unitSigma = IMUIntrinsics.sigma(calibration)
    if learning.online { hold(Set(CalibrationPart.allCases)) }
  }

  package var worldFromNavigation: Pose { state.worldFromIMU }
  package var firstWorldFromNavigation: Pose { first.worldFromIMU }
  /// Gravity in the world, m/s^2.
  package var gravity: Vector3 { propagation.gravity }
  /// True while every number is finite and no variance negative.
  package var isHealthy: Bool {
    state.isFinite && meanBias.isFinite && intrinsics.isFinite && mount.isFinite && (lens?.isFinite ?? true)
      && covariance.isHealthy
  }

  // MARK: Corrections

  /// Largest 1-sigma of the velocity at which first estimates are worth keeping, m/s.
  static let settledVelocity = 0.1

  /// While the velocity is hardly known, first estimates are so poor that Jacobians taken there do more harm than the
  /// spurious information they prevent: until it has settled once, the present estimates become the first ones.
  func relinearizeUntilSettled() {
    guard !hasSettled else { return }
    if variances.velocity.squareRoot() < Self.settledVelocity { hasSettled = true }
    first = state
    for i in clones.indices { clones[i].firstWorldFromCamera = clones[i].worldFromCamera }
  }

  package func apply(_ correction: [Double]) {
    let offset = covariance.offset(of: poseBlock)
    state = state.plus(Array(correction[offset..<offset + InertialState.errorSize]))
    if let intrinsicsBlock {
      let offset = covariance.offset(of: intrinsicsBlock)
      intrinsics.add(correction[offset..<offset + IMUIntrinsics.count])
    }
    if let meanBiasBlock {
      let d = covariance.offset(of: meanBiasBlock)
      meanBias += Vector3(correction[d], correction[d + 1], correction[d + 2])
    }
    if let mountBlock {
      let offset = covariance.offset(of: mountBlock)
      mount = mount.plus(correction[offset..<offset + CameraMount.errorSize])
    }
    if let lensBlock {
      let offset = covariance.offset(of: lensBlock)
      lens = lens?.plus(correction[offset..<offset + LensModel.errorSize])
    }
    for i in clones.indices {
      let offset = covariance.offset(of: clones[i].block)
      clones[i].apply(correction[offset..<offset + Clone.errorSize])
    }
    for i in landmarks.indices {
      let d = covariance.offset(of: landmarks[i].block)
      landmarks[i].point = landmarks[i].point.plus(Vector3(correction[d], correction[d + 1], correction[d + 2]))
    }
    vectors.apply(correction, covariance)
  }
}
