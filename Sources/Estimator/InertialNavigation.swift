import Geometry
import Inertial
import SensorData
import Vision

/// The state of an inertial filter and its passage through time: navigation state, clones and added vectors with one
/// covariance; updates come from outside.
package final class InertialNavigation: NavigationFilter {
  package let covariance = ErrorCovariance()
  package private(set) var time: Timestamp
  package let bodyFromNavigation: Pose
  package let poseBlock: ErrorCovariance.Block

  /// The present estimate.
  package private(set) var state: InertialState
  /// The estimate at `time` before any update at `time`.
  package private(set) var first: InertialState
  /// Kept poses, oldest first.
  package private(set) var clones: [Clone] = []
  /// Points in the state, in the order of their coming.
  package internal(set) var landmarks: [Landmark] = []
  /// The inertial unit's axes.
  package private(set) var intrinsics = IMUIntrinsics()
  /// Their errors in the covariance; nil for a unit that was calibrated axis by axis.
  package let intrinsicsBlock: ErrorCovariance.Block?
  /// What the accelerometer's bias wanders about, m/s^2; the first bias where it only walks.
  package private(set) var meanBias: Vector3
  /// Its error in the covariance; nil for a unit whose bias only walks.
  package let meanBiasBlock: ErrorCovariance.Block?
  /// How the camera sits on the inertial unit.
  package private(set) var mount: CameraMount
  /// Its error in the covariance; nil for a device that was calibrated with care.
  package let mountBlock: ErrorCovariance.Block?
  /// The lens, where it is estimated; nil where it is taken as it is.
  package private(set) var lens: LensModel?
  /// Its error in the covariance.
  package let lensBlock: ErrorCovariance.Block?
  /// What of the calibration is estimated.
  let learning: CalibrationConfiguration
  /// What the motion tells of the calibration.
  private(set) var excitation = CalibrationExcitation()
  /// What it has told of by now.
  var learnt: Set<CalibrationPart> = []
  /// Sees the linearised system.
  package weak var observer: (any UpdateObserver)?
  /// Inertial samples around `time`.
  package var samples = IMUBuffer()
  /// See `NavigationFilter`.
  package private(set) var isAdrift = false
  /// How many worlds ended in the dark.
  package private(set) var epoch = 0
  /// See `NavigationFilter`.
  package private(set) var originCovariance = Matrix3.zero
  /// Gaps of over 100 ms that had to be bridged.
  package private(set) var dropouts = 0

  private let propagation: InertialPropagation
  private let noise: InertialNoise
  private let wander: AccelerometerWander?
  private let unitSigma: Double
  package var vectors = AddedVectors()
  private var drift = DriftAccumulator()
  private var nextCloneID = 0
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
    let wander = AccelerometerWander(calibration)
    self.wander = wander
    let deviation = wander.map { ErrorCovariance.diagonal([Double](repeating: $0.variance, count: 3)) }
    meanBiasBlock =
      deviation == nil
      ? nil
      : covariance.augment(
        size: 3, jacobian: [(block, AccelerometerWander.meanByState)], independent: deviation ?? [])
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

  package var accumulatedDrift: AccumulatedDrift { drift.total }
  package var velocitySigma: Double { variances.velocity.squareRoot() }
  /// See `NavigationFilter`. Half of where the filter counts as settled is a centimetre or two over the window; who walks at a metre a
  /// second needs not know it to five centimetres.
  package var isVelocityKnown: Bool {
    velocitySigma < max(0.5 * Self.settledVelocity, MotionInitializer.bearable * state.velocity.norm)
  }
  /// Makes an update, and counts what it moves the position by as drift, by the variance that it takes from it: whoever remembers where the
  /// device was believed to be at an earlier range sees that as motion. With growth before an update and the loss in it, the variance of
  /// what an estimate errs by between two moments is complete.
  func countingCorrection<T>(_ update: () -> T) -> T {
    let before = positionCovariance.trace
    defer { addDrift(positionVariance: max(before - positionCovariance.trace, 0) / 3) }
    return update()
  }
  /// Adds to the drift what its covariance does not show, m^2 per axis.
  func addDrift(positionVariance: Double) { drift.add(positionVariance: positionVariance) }
  package var worldFromNavigation: Pose { state.worldFromIMU }
  package var firstWorldFromNavigation: Pose { first.worldFromIMU }
  /// Gravity in the world, m/s^2.
  package var gravity: Vector3 { propagation.gravity }
  /// True while every number is finite and no variance negative.
  package var isHealthy: Bool {
    state.isFinite && meanBias.isFinite && intrinsics.isFinite && mount.isFinite && (lens?.isFinite ?? true)
      && covariance.isHealthy
  }

  // MARK: Time passes

  /// True when more than a second of motion is missing before `end`: the state cannot be carried there any more.
  package func isCutOff(from end: Timestamp) -> Bool {
    samples.longestGap(from: time, to: end) > InertialNoise.longestSpacing
  }

  /// See `NavigationFilter`. False also when the last inertial sample is more than 100 ms before `time`, and when more than
  /// a second of motion is missing.
  package func advance(to end: Timestamp) -> Bool {
    guard end >= time, let last = samples.samples.last,
      end.seconds(since: last.timestamp) <= InertialNoise.dropoutSpacing, !isCutOff(from: end)
    else { return false }
    guard end > time else { return true }

    var transition = InertialTransition.identity
    var byIntrinsics = IntrinsicsTransition()
    var gathered = BlockMatrix15()
    var reached = first
    var here = time
    for there in stops(until: end) {
      let reading = reading(from: here, to: there)
      let (next, step, added) = step(reading, from: here, to: there, linearisedAt: reached)
      if intrinsicsBlock != nil { byIntrinsics.extend(over: step, rate: reading.rate, force: reading.force) }
      transition = step * transition
      gathered = step.carried(gathered)
      for i in 0..<5 { for j in 0..<5 { gathered[i, j] += added[i, j] } }
      if learning.online {
        let dt = there.seconds(since: here)
        excitation.add(
          turning: reading.rate - state.gyroscopeBias, accelerating: (next.velocity - state.velocity) / dt, seconds: dt,
          noise: noise.readingVariances(spacing: samples.spacing(from: here, to: there)))
      }
      (state, reached, here) = (next, next, there)
    }
    guard carryCovariance(transition, byIntrinsics, gathered) else { return false }
    let seconds = end.seconds(since: time)
    guard letBiasReturn(over: seconds) else { return false }
    observer?.propagated(transition.matrix, from: first, to: state)
    first = state
    time = end
    samples.forget(before: end.advanced(bySeconds: -Self.memory))
    drift.update(self, seconds: seconds)
    return true
  }

  /// The moments between which rate and force count as constant: the samples, and in gaps every 10 ms.
  private func stops(until end: Timestamp) -> [Timestamp] {
    var stops: [Timestamp] = []
    var here = time
    for there in samples.samples(after: time, before: end).map(\.timestamp) + [end] {
      let span = there.seconds(since: here)
      if span > InertialNoise.denseSpacing {
        let parts = Int(min((span / 0.01).rounded(.up), 1000))
        for part in 1..<parts { stops.append(here.advanced(bySeconds: span * Double(part) / Double(parts))) }
      }
      stops.append(there)
      here = there
    }
    return stops
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

  /// The accelerometer's bias wanders about its mean, and the mean walks as the calibration states. Once a frame: that is short beside the
  /// wander's memory.
  private func letBiasReturn(over seconds: Double) -> Bool {
    guard let wander, let meanBiasBlock else { return true }
    state.accelerometerBias = wander.bias(state.accelerometerBias, mean: meanBias, after: seconds)
    let jacobian = [
      (poseBlock, wander.byState(after: seconds)), (meanBiasBlock, wander.byMean(after: seconds)),
    ]
    let walk = noise.accelerometerWalkVariance(over: seconds)
    return covariance.transform(poseBlock, jacobian: jacobian)
      && covariance.addNoise(poseBlock, variance: wander.gathered(after: seconds))
      && covariance.addNoise(meanBiasBlock, variance: [Double](repeating: walk, count: 3))
  }

  /// What the sensor gave between two moments, its axes' errors not removed. `advance` has made sure that there are samples.
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
    let cut = samples.cut(from: here, to: there)
    return (next, step, noise.gathered(over: step, quality: quality, spacing: spacing, cut: cut))
  }

  // MARK: Questions

  /// Largest variances of a component of the velocity, (m/s)^2, and of the gyroscope's bias, (rad/s)^2.
  package var variances: (velocity: Double, gyroscopeBias: Double) {
    let offset = covariance.offset(of: poseBlock)
    func largest(_ row: Int) -> Double { (offset + row..<offset + row + 3).reduce(0) { max($0, covariance[$1, $1]) } }
    return (largest(6), largest(9))
  }

  /// Covariance of the position, m^2.
  package var positionCovariance: Matrix3 {
    let offset = covariance.offset(of: poseBlock) + 3
    var result = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { result[i, j] = covariance[offset + i, offset + j] } }
    return result
  }

  /// By what share of an angle the gyroscope may tell it wrongly, 1-sigma.
  package var turnScaleSigma: Double {
    guard let intrinsicsBlock else { return unitSigma }
    let offset = covariance.offset(of: intrinsicsBlock)
    return (offset + 6..<offset + IMUIntrinsics.count).reduce(0) { max($0, covariance[$1, $1]) }.squareRoot()
  }

  /// Largest variance of a component of the acceleration, (m/s^2)^2: `da = [g]x theta - R db_a` near rest, where tilt and
  /// bias make up for each other.
  package var accelerationVariance: Double {
    let n = InertialState.errorSize, p = covariance.marginal([poseBlock])
    let byRotation = gravity.skew, byBias = -1.0 * state.rotation.matrix
    func block(_ row: Int, _ column: Int) -> Matrix3 {
      func line(_ i: Int) -> Vector3 { Vector3(p[i * n + column], p[i * n + column + 1], p[i * n + column + 2]) }
      return Matrix3(rows: line(row), line(row + 1), line(row + 2))
    }
    let cross = byRotation * block(0, 12) * byBias.transpose
    let own = byRotation * block(0, 0) * byRotation.transpose + byBias * block(12, 12) * byBias.transpose
    let sum = own + cross + cross.transpose
    return max(sum[0, 0], sum[1, 1], sum[2, 2], 0)
  }

  /// The state at a moment not long ago as the present estimate sees it: carried back along the samples.
  package func past(at start: Timestamp) -> InertialState {
    var past = state
    guard var newer = samples.sample(at: time), let oldest = samples.sample(at: start) else { return past }
    func step(to older: IMUSample) {
      let (rate, force) = intrinsics.corrected(
        angularVelocity: 0.5 * (newer.angularVelocity + older.angularVelocity),
        specificForce: 0.5 * (newer.specificForce + older.specificForce))
      past = propagation.propagated(
        past, angularVelocity: rate, specificForce: force, dt: older.timestamp.seconds(since: newer.timestamp))
      newer = older
    }
    for older in samples.samples(after: start, before: time).reversed() { step(to: older) }
    step(to: oldest)
    return past
  }

  // MARK: Clones

  /// Keeps the present pose of the camera (stochastic cloning); nil when a number is not finite.
  package func clone() -> Clone? {
    let seeing = camera(of: state), seeingFirst = camera(of: first)
    let doubt = learning.online ? seeing.bent(delayVariance: variances(of: .timeOffset).first ?? 0) : []
    guard
      let block = covariance.augment(
        size: Clone.errorSize, jacobian: jacobian(of: seeingFirst), independent: doubt)
    else { return nil }
    let clone = Clone(
      id: nextCloneID, timestamp: time, block: block, worldFromCamera: seeing.worldFromCamera,
      firstWorldFromCamera: seeingFirst.worldFromCamera)
    nextCloneID += 1
    clones.append(clone)
    return clone
  }

  /// The camera as a state at `time` carries it.
  func camera(of state: InertialState) -> CarriedCamera {
    let measured = samples.sample(at: time)
    let (rate, force) = intrinsics.corrected(
      angularVelocity: measured?.angularVelocity ?? .zero, specificForce: measured?.specificForce ?? .zero)
    let angularVelocity = rate - state.gyroscopeBias
    // A calibrated delay is a few milliseconds, in which no hand changes its speed.
    guard learning.online, let measured else {
      return CarriedCamera(state, angularVelocity: angularVelocity, mount: mount)
    }
    // The speed changes between the stamp and when the frame was taken, told by samples if they are there already.
    let longest = max(abs(mount.delay), Self.shortestSpan)
    let reaches = samples.samples.last.map { $0.timestamp >= time.advanced(bySeconds: longest) } ?? false
    let span = mount.delay > 0 && reaches ? longest : -longest
    let other = samples.sample(at: time.advanced(bySeconds: span))?.angularVelocity
    return CarriedCamera(
      state, angularVelocity: angularVelocity,
      angularAcceleration: other.map { ($0 - measured.angularVelocity) / span } ?? .zero,
      acceleration: state.rotation * (force - state.accelerometerBias) + gravity, mount: mount)
  }

  /// A change of the angular velocity is told over at least this time, seconds: over less it is noise.
  static let shortestSpan = 0.02

  /// How its pose's error follows from the errors in the state.
  func jacobian(of camera: CarriedCamera) -> [(ErrorCovariance.Block, [Double])] {
    [(poseBlock, camera.byState)] + (mountBlock.map { [($0, camera.byMount)] } ?? [])
  }

  /// Marginalises the clone at an index, which anchors no landmark any more.
  package func removeClone(at index: Int) {
    let clone = clones.remove(at: index)
    precondition(!landmarks.contains { $0.anchorID == clone.id }, "landmarks need their anchor")
    covariance.remove(clone.block)
  }

  // MARK: Worlds

  /// The way is lost: whoever found something by it must let go of it.
  func goAdrift() { isAdrift = true }

  /// The way is known again: from now on positions count from where the device is, as far as their errors are concerned.
  ///
  /// With p the device's position error, every position error `p_i` becomes `p_i - p`, and p becomes zero: a change of the world's origin by
  /// an unknown amount, which is remembered in `originCovariance`. What is estimated stays as it is; what is relative keeps its
  /// covariance. Otherwise every later bit of knowledge about the velocity would go on moving the device by what it may have done in
  /// the dark.
  package func beginEpoch() {
    let width = InertialState.errorSize, size = Clone.errorSize
    var less = [Double](repeating: 0, count: size * width)
    var same = [Double](repeating: 0, count: size * size)
    for k in 0..<size { same[k * (size + 1)] = 1 }
    for k in 3..<6 { less[k * width + k] = -1 }
    for clone in clones { covariance.transform(clone.block, jacobian: [(clone.block, same), (poseBlock, less)]) }
    originCovariance = originCovariance + positionCovariance
    var rest = [Double](repeating: 0, count: width * width)
    var certain = rest
    for k in 0..<width where !(3..<6).contains(k) { rest[k * (width + 1)] = 1 }
    for k in 3..<6 { certain[k * (width + 1)] = 1e-8 }
    covariance.transform(poseBlock, jacobian: [(poseBlock, rest)])
    covariance.propagate(poseBlock, transition: InertialTransition.identity.matrix, noise: certain)
    epoch += 1
    isAdrift = false
  }

  // MARK: Corrections

  /// How long inertial samples are kept, seconds: long enough to judge stillness and to start anew.
  static let memory = 1.0

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
