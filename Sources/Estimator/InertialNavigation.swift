import CameraGeometry
import Geometry
import Inertial
import SensorData

/// State of the visual-inertial filter and its propagation: navigation state, clones, landmarks and augmented states
/// with one covariance. Measurement updates are separate types.
package final class InertialNavigation: NavigationFilter {
  package let covariance = ErrorCovariance()
  package internal(set) var time: Timestamp
  package let bodyFromNavigation: Pose
  package let poseBlock: ErrorCovariance.Block

  /// The present estimate.
  package internal(set) var state: InertialState
  /// First estimate: at `time`, before any update at `time`.
  package internal(set) var first: InertialState
  /// Clones, oldest first.
  package internal(set) var clones: [Clone] = []
  /// Landmarks, oldest first.
  package internal(set) var landmarks: [Landmark] = []
  /// IMU intrinsics.
  package internal(set) var intrinsics = IMUIntrinsics()
  /// Their block in the covariance; nil for a unit calibrated axis by axis.
  package let intrinsicsBlock: ErrorCovariance.Block?
  /// Mean of the accelerometer bias, m/s^2; the initial bias if there is no bias instability.
  package internal(set) var meanBias: Vector3
  /// Its block in the covariance; nil without bias instability.
  package let meanBiasBlock: ErrorCovariance.Block?
  /// Mount of the camera on the inertial unit.
  package internal(set) var mount: CameraMount
  /// Its block in the covariance; nil for a carefully calibrated device.
  package let mountBlock: ErrorCovariance.Block?
  /// The lens, if it is estimated.
  package internal(set) var lens: LensModel?
  /// Its block in the covariance.
  package let lensBlock: ErrorCovariance.Block?
  /// Settings of online calibration.
  let learning: CalibrationConfiguration
  /// Excitation of the calibration by the recent motion.
  var excitation = CalibrationExcitation()
  /// Parts excited so far.
  var learnt: Set<CalibrationPart> = []
  /// Receives the linearised system.
  package weak var observer: (any UpdateObserver)?
  /// Inertial samples around `time`.
  package var samples = IMUBuffer()
  /// See `NavigationFilter`.
  package internal(set) var nearlyStillSince: Timestamp?
  /// See `NavigationFilter`.
  package internal(set) var isPositionLost = false
  /// Number of position losses and recoveries.
  package internal(set) var epoch = 0
  /// See `NavigationFilter`.
  package internal(set) var originCovariance = Matrix3.zero
  /// Number of bridged gaps above 100 ms.
  package internal(set) var dropouts = 0

  let propagation: InertialPropagation
  let noise: InertialNoise
  let instability: AccelerometerInstability?
  let unitSigma: Double
  package var vectors = AugmentedStates()
  var drift = DriftAccumulator()
  var nextCloneID = 0
  private var hasConverged = false

  /// A filter at `time` with `state`; nil when a number is not finite.
  ///
  /// - Parameters:
  ///   - lens: of the camera; needed only if it is estimated.
  ///   - learning: settings of online calibration.
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
    let instability = AccelerometerInstability(calibration)
    self.instability = instability
    let deviation = instability.map { ErrorCovariance.diagonal([Double](repeating: $0.variance, count: 3)) }
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

  /// Largest 1-sigma of the velocity for first-estimates Jacobians (FEJ), m/s.
  static let convergedVelocitySigma = 0.1

  /// Until the velocity has converged once, present estimates replace the first estimates: Jacobians at poor first
  /// estimates do more harm than the spurious information they avoid.
  func relinearizeUntilConverged() {
    guard !hasConverged else { return }
    if variances.velocity.squareRoot() < Self.convergedVelocitySigma { hasConverged = true }
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
