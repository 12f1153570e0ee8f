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
  let intrinsicsBlock: ErrorCovariance.Block?
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
  private let unitSigma: Double
  var vectors = AugmentedStates()
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

  // IMU propagation of state and covariance.

  /// Time for which inertial samples are kept, seconds: enough for zero-velocity detection and for a restart.
  static let memory = 1.0

  /// True when a gap of more than a second precedes `end`: the state cannot be propagated across it.
  func hasUnbridgeableGap(before end: Timestamp) -> Bool {
    samples.longestGap(from: time, to: end) > InertialNoise.longestSpacing
  }

  /// See `NavigationFilter`. Also false when the last inertial sample is more than 100 ms before `time`, or a gap
  /// exceeds a second.
  package func advance(to end: Timestamp) -> Bool {
    guard end >= time, let last = samples.samples.last,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing, !hasUnbridgeableGap(before: end)
    else { return false }
    guard end > time else { return true }

    var transition = InertialTransition.identity
    var byIntrinsics = IntrinsicsTransition()
    var processNoise = BlockMatrix15()
    var reached = first
    var here = time
    for there in samples.stops(from: time, to: end) {
      let reading = reading(from: here, to: there)
      let (next, step, added) = step(reading, from: here, to: there, linearisedAt: reached)
      if intrinsicsBlock != nil { byIntrinsics.extend(over: step, rate: reading.rate, force: reading.force) }
      transition = step * transition
      processNoise = step.carried(processNoise)
      for i in 0..<5 { for j in 0..<5 { processNoise[i, j] += added[i, j] } }
      if learning.online {
        let dt = there.seconds(since: here)
        excitation.add(
          angularVelocity: reading.rate - state.gyroscopeBias, acceleration: (next.velocity - state.velocity) / dt,
          seconds: dt, noise: noise.readingVariances(spacing: samples.spacing(from: here, to: there)))
      }
      (state, reached, here) = (next, next, there)
    }
    guard carryCovariance(transition, byIntrinsics, processNoise) else { return false }
    let seconds = end.seconds(since: time)
    guard propagateBias(over: seconds) else { return false }
    observer?.propagated(transition.matrix, from: first, to: state)
    first = state
    time = end
    samples.forget(before: end.advanced(bySeconds: -Self.memory))
    drift.update(self, seconds: seconds)
    return true
  }

  private func carryCovariance(
    _ transition: InertialTransition, _ byIntrinsics: IntrinsicsTransition, _ noise: BlockMatrix15
  ) -> Bool {
    guard let intrinsicsBlock else {
      return covariance.propagate(poseBlock, transition: transition.matrix, noise: noise.rowMajor)
    }
    let jacobian = [(poseBlock, transition.matrix), (intrinsicsBlock, byIntrinsics.matrix)]
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: noise.rowMajor)
  }

  /// Gauss-Markov propagation of the accelerometer bias towards its mean, and random walk of the mean as stated by the
  /// calibration. Once per frame, which is short compared with the correlation time.
  private func propagateBias(over seconds: Double) -> Bool {
    guard let instability, let meanBiasBlock else { return true }
    state.accelerometerBias = instability.bias(state.accelerometerBias, mean: meanBias, after: seconds)
    let jacobian = [
      (poseBlock, instability.byState(after: seconds)), (meanBiasBlock, instability.byMean(after: seconds)),
    ]
    let randomWalk = noise.accelerometerRandomWalkVariance(over: seconds)
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.addNoise(poseBlock, variance: instability.processNoise(after: seconds))
      && covariance.addNoise(meanBiasBlock, variance: [Double](repeating: randomWalk, count: 3))
  }

  /// Mean reading between two moments, not corrected for intrinsics. `advance` has ensured that there are samples.
  private func reading(from here: Timestamp, to there: Timestamp) -> (rate: Vector3, force: Vector3) {
    let a = samples.sample(at: here)!, b = samples.sample(at: there)!
    return (0.5 * (a.angularVelocity + b.angularVelocity), 0.5 * (a.specificForce + b.specificForce))
  }

  private func step(
    _ reading: (rate: Vector3, force: Vector3), from here: Timestamp, to there: Timestamp,
    linearisedAt reached: InertialState
  ) -> (next: InertialState, step: InertialTransition, noise: BlockMatrix15) {
    let (rate, force) = intrinsics.corrected(angularVelocity: reading.rate, specificForce: reading.force)
    let dt = there.seconds(since: here)
    let next = propagation.propagated(state, angularVelocity: rate, specificForce: force, dt: dt)
    let step = propagation.transition(
      from: state, first: (reached.position, reached.velocity), to: next, angularVelocity: rate, specificForce: force,
      dt: dt)
    let spacing = samples.spacing(from: here, to: there)
    let quality = InertialNoise.quality(ofSpacing: spacing)
    if quality == .dropout { dropouts += 1 }
    let saturation = samples.saturation(from: here, to: there)
    return (next, step, noise.processNoise(over: step, quality: quality, spacing: spacing, saturation: saturation))
  }

  // Loss and recovery of the position.

  /// Marks the position as lost: positions estimated with it are no longer valid.
  func losePosition() { isPositionLost = true }

  /// Starts a new epoch after recovery: from now on position errors are relative to the device's position.
  ///
  /// With p the device's position error, every position error `p_i` becomes `p_i - p`, and p becomes zero. This shifts
  /// the world's origin by an unknown amount, whose covariance is added to `originCovariance`. Estimates are unchanged,
  /// and relative positions keep their covariance. Otherwise every later correction of the velocity would also move the
  /// device by its correlation with the displacement during the outage.
  package func beginEpoch() {
    let width = InertialState.errorSize, size = Clone.errorSize
    var minusPosition = [Double](repeating: 0, count: size * width)
    var same = [Double](repeating: 0, count: size * size)
    for k in 0..<size { same[k * (size + 1)] = 1 }
    for k in 3..<6 { minusPosition[k * width + k] = -1 }
    for clone in clones {
      covariance.transform(clone.block, jacobian: [(clone.block, same), (poseBlock, minusPosition)])
    }
    for i in clones.indices { clones[i].positionCovarianceAtCloning = positionCovariance(of: clones[i].block) }
    originCovariance = originCovariance + positionCovariance
    var withoutPosition = [Double](repeating: 0, count: width * width)
    var floor = withoutPosition
    for k in 0..<width where !(3..<6).contains(k) { withoutPosition[k * (width + 1)] = 1 }
    for k in 3..<6 { floor[k * (width + 1)] = 1e-8 }
    covariance.transform(poseBlock, jacobian: [(poseBlock, withoutPosition)])
    covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: floor)
    epoch += 1
    isPositionLost = false
  }

  // Uncertainty of the state.

  /// Largest variances of a component of the velocity, (m/s)^2, and of the gyroscope's bias, (rad/s)^2.
  package var variances: (velocity: Double, gyroscopeBias: Double) {
    let offset = covariance.offset(of: poseBlock)
    func largest(_ row: Int) -> Double { (offset + row..<offset + row + 3).reduce(0) { max($0, covariance[$1, $1]) } }
    return (largest(6), largest(9))
  }

  /// See `NavigationFilter`.
  package var velocitySigma: Double { variances.velocity.squareRoot() }

  /// See `NavigationFilter`. At half the convergence limit the error is a centimetre or two over the window. A relative
  /// limit applies at higher speeds: at 1 m/s, 5 cm/s are not needed.
  package var isVelocityKnown: Bool {
    velocitySigma
      < max(
        0.5 * Self.convergedVelocitySigma, DynamicInitializer.urgentRelativeSigmaLimit * state.velocity.norm)
  }

  /// Covariance of the position, m^2.
  package var positionCovariance: Matrix3 { positionCovariance(of: poseBlock) }

  /// Position covariance of a block whose error begins with (theta, p), m^2.
  func positionCovariance(of pose: ErrorCovariance.Block) -> Matrix3 {
    let offset = covariance.offset(of: pose) + 3
    var result = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { result[i, j] = covariance[offset + i, offset + j] } }
    return result
  }

  /// 1-sigma of the gyroscope's scale error: relative error of a rotation angle.
  var rotationScaleSigma: Double {
    guard let intrinsicsBlock else { return unitSigma }
    let offset = covariance.offset(of: intrinsicsBlock)
    return (offset + 6..<offset + IMUIntrinsics.count).reduce(0) { max($0, covariance[$1, $1]) }.squareRoot()
  }

  /// Largest variance of a component of the acceleration, (m/s^2)^2: `da = [g]x theta - R db_a` near standstill, where
  /// the errors of tilt and bias compensate each other.
  var accelerationVariance: Double {
    let n = InertialState.errorSize, p = covariance.marginal([poseBlock])
    let byRotation = gravity.skew, byBias = -1.0 * state.rotation.matrix
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let cross = byRotation * block(0, 12) * byBias.transpose
    let own = byRotation * block(0, 0) * byRotation.transpose + byBias * block(12, 12) * byBias.transpose
    let sum = own + cross + cross.transpose
    return max(sum[0, 0], sum[1, 1], sum[2, 2], 0)
  }

  // Drift of the trajectory relative to itself.

  /// See `NavigationFilter`.
  package var accumulatedDrift: AccumulatedDrift { drift.total }

  /// Adds drift that the covariance does not contain, m^2 per axis.
  func addDrift(positionVariance: Double) { drift.add(position: positionVariance * Matrix3.identity) }
}
