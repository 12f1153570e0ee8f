import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Stochastic cloning.
extension InertialNavigation {
  /// State augmentation with the present camera pose (stochastic cloning); nil when a number is not finite.
  package func clone() -> Clone? {
    let cameraPose = camera(of: state), firstCameraPose = camera(of: first)
    let delayNoise =
      learning.online
      ? cameraPose.secondOrderCovariance(delayVariance: variances(of: .timeOffset).first ?? 0) : []
    guard
      let block = covariance.augment(
        size: Clone.errorSize, jacobian: jacobian(of: firstCameraPose), independent: delayNoise)
    else { return nil }
    let cameraFromWorld = cameraPose.worldFromCamera.rotation.inverse
    let clone = Clone(
      id: nextCloneID, timestamp: time, block: block, worldFromCamera: cameraPose.worldFromCamera,
      firstWorldFromCamera: firstCameraPose.worldFromCamera, velocity: cameraFromWorld * cameraPose.cameraVelocity,
      acceleration: cameraFromWorld * acceleration(of: state),
      positionCovarianceAtCloning: positionCovariance(of: block))
    nextCloneID += 1
    clones.append(clone)
    return clone
  }

  /// The camera pose for a state at `time`.
  func camera(of state: InertialState) -> CameraPoseFromIMU {
    let measured = samples.sample(at: time)
    let (rate, force) = intrinsics.corrected(
      angularVelocity: measured?.angularVelocity ?? .zero, specificForce: measured?.specificForce ?? .zero)
    let angularVelocity = rate - state.gyroscopeBias
    // A calibrated delay is a few milliseconds, in which a hand's velocity is constant.
    guard learning.online, let measured else {
      return CameraPoseFromIMU(state, angularVelocity: angularVelocity, mount: mount)
    }
    // Accelerations over the delay, from later samples if already received.
    let longest = max(abs(mount.delay), Self.shortestSpan)
    let reaches = samples.samples.last.map { $0.timestamp >= time.advanced(bySeconds: longest) } ?? false
    let span = mount.delay > 0 && reaches ? longest : -longest
    let other = samples.sample(at: time.advanced(bySeconds: span))?.angularVelocity
    return CameraPoseFromIMU(
      state, angularVelocity: angularVelocity,
      angularAcceleration: other.map { ($0 - measured.angularVelocity) / span } ?? .zero,
      acceleration: state.rotation * (force - state.accelerometerBias) + gravity, mount: mount)
  }

  /// Acceleration of the IMU for a state at `time`, world axes, m/s^2; zero without a sample.
  private func acceleration(of state: InertialState) -> Vector3 {
    guard let measured = samples.sample(at: time) else { return .zero }
    let force = intrinsics.corrected(angularVelocity: .zero, specificForce: measured.specificForce).force
    return state.rotation * (force - state.accelerometerBias) + gravity
  }

  /// Shortest interval for an angular acceleration, seconds: below, noise dominates.
  private static let shortestSpan = 0.02

  /// Jacobian of the pose's error by the blocks of the state.
  func jacobian(of camera: CameraPoseFromIMU) -> [(ErrorCovariance.Block, [Double])] {
    [(poseBlock, camera.byState)] + (mountBlock.map { [($0, camera.byMount)] } ?? [])
  }

  /// Marginalises the clone at an index, which must not anchor a landmark.
  func removeClone(at index: Int) {
    let clone = clones.remove(at: index)
    precondition(!landmarks.contains { $0.anchorID == clone.id }, "landmarks need their anchor")
    covariance.remove(clone.block)
  }

  // Past states.

  /// States at recent moments, newest first, by propagating the present estimate back along the samples. Where a moment
  /// has no sample, the previous state. O(samples back to the last moment).
  package func past(at moments: [Timestamp]) -> [InertialState] {
    var past = state, newer = samples.sample(at: time), here = time
    func step(to older: IMUSample) {
      guard let later = newer else { return }
      let (rate, force) = intrinsics.corrected(
        angularVelocity: 0.5 * (later.angularVelocity + older.angularVelocity),
        specificForce: 0.5 * (later.specificForce + older.specificForce))
      past = propagation.propagated(
        past, angularVelocity: rate, specificForce: force, dt: older.timestamp.seconds(since: later.timestamp))
      newer = older
    }
    return moments.map { moment in
      guard moment < here, let oldest = samples.sample(at: moment) else { return past }
      for older in samples.samples(after: moment, before: here).reversed() { step(to: older) }
      step(to: oldest)
      here = moment
      return past
    }
  }

  /// State augmentation with a landmark anchored in a clone; nil when a number is not finite.
  ///
  /// - Parameter blocks: those of the definition's columns.
  @discardableResult
  func addLandmark(
    featureID: Int64, anchorID: Int, _ definition: FeatureConstraint.Definition, blocks: [ErrorCovariance.Block]
  ) -> Landmark? {
    let columns = definition.jacobian.count / AnchoredPoint.errorSize
    var jacobian: [(ErrorCovariance.Block, [Double])] = []
    var left = 0
    for block in blocks {
      let size = covariance.size(of: block)
      let part = (0..<AnchoredPoint.errorSize * size).map { i in
        definition.jacobian[i / size * columns + left + i % size]
      }
      jacobian.append((block, part))
      left += size
    }
    guard definition.point.inverseDistance.isFinite,
      let block = covariance.augment(
        size: AnchoredPoint.errorSize, jacobian: jacobian, independent: definition.independent)
    else { return nil }
    let landmark = Landmark(featureID: featureID, block: block, anchorID: anchorID, point: definition.point)
    landmarks.append(landmark)
    return landmark
  }

  /// Marginalises landmarks.
  func removeLandmarks(where isGone: (Landmark) -> Bool) {
    covariance.remove(landmarks.filter(isGone).map(\.block))
    landmarks.removeAll(where: isGone)
  }

  /// Re-anchors all landmarks of one clone to another, in closed form: means at the present estimates, Jacobians at the
  /// first estimates of both poses (see `Reanchoring`). A landmark with non-finite numbers is marginalised.
  func reanchor(from oldID: Int, to newID: Int) {
    guard let old = clones.first(where: { $0.id == oldID }), let new = clones.first(where: { $0.id == newID }) else {
      return
    }
    var lost: Set<ErrorCovariance.Block> = []
    for i in landmarks.indices where landmarks[i].anchorID == oldID {
      let block = landmarks[i].block
      guard let change = Reanchoring(landmarks[i].point, from: old, to: new),
        covariance.transform(block, jacobian: change.jacobian(old: old.block, new: new.block, landmark: block))
      else {
        lost.insert(block)
        continue
      }
      landmarks[i].point = change.point
      landmarks[i].anchorID = newID
      observer?.reanchored(change.jacobian(old: old.block, new: new.block, landmark: block), in: self)
    }
    removeLandmarks { lost.contains($0.block) }
  }

  /// Online calibration: parts excited by the recent motion are estimated, all others held as consider states
  /// (`ErrorCovariance.held`).
  ///
  /// - Parameter spacing: seconds since the previous frame.
  func considerCalibration(seen frame: CameraFrame, by camera: FilterCamera, spacing: Double) {
    guard learning.online else { return }
    guard let view = view(frame.features, by: camera, spacing: spacing) else { return }
    let parts = excitation.parts(view, learning)
    learnt.formUnion(parts)
    hold(Set(CalibrationPart.allCases).subtracting(parts))
  }

  /// Time after a frame's stamp for which inertial samples are needed, seconds: above 0 only if the camera's delay is
  /// estimated.
  package var lookAhead: Double { learning.online ? max(mount.delay, Self.shortestSpan) : 0 }

  /// Holds these parts and releases all others.
  func hold(_ parts: Set<CalibrationPart>) {
    covariance.held = CalibrationPart.allCases.filter(parts.contains).compactMap { part in
      rows(of: part).map { ($0.block, $0.rows) }
    }
  }

  /// Rows of a part's error in the covariance; nil if it is not estimated.
  package func rows(of part: CalibrationPart) -> (block: ErrorCovariance.Block, rows: Range<Int>)? {
    switch part {
    case .rotation: mountBlock.map { ($0, 0..<3) }
    case .translation: mountBlock.map { ($0, 3..<6) }
    case .timeOffset: mountBlock.map { ($0, 6..<7) }
    case .lens: lensBlock.map { ($0, 0..<4) }
    case .axes: intrinsicsBlock.map { ($0, 0..<covariance.size(of: $0)) }
    }
  }

  /// Variances of a part's parameters; empty if it is not estimated.
  package func variances(of part: CalibrationPart) -> [Double] {
    guard let (block, rows) = rows(of: part) else { return [] }
    let offset = covariance.offset(of: block)
    return rows.map { covariance[offset + $0, offset + $0] }
  }

  /// Variance due to the calibration's uncertainty after a rotation by `angle`: of a direction, rad^2, and of the
  /// camera's displacement, m^2. 0 without online calibration.
  func calibrationVariance(rotatedBy angle: Double, since then: Timestamp) -> (angle: Double, displacement: Double) {
    guard learning.online else { return (0, 0) }
    func largest(_ part: CalibrationPart) -> Double { variances(of: part).max() ?? 0 }
    let before = samples.sample(at: then)?.angularVelocity, now = samples.sample(at: time)?.angularVelocity
    let change = before.flatMap { before in now.map { ($0 - before).squaredNorm } } ?? 0
    let square = angle * angle
    return (
      square * (largest(.rotation) + largest(.lens)) + change * largest(.timeOffset), square * largest(.translation)
    )
  }

  /// Information of such frames; nil with fewer than two features.
  private func view(_ features: [FeatureObservation], by camera: FilterCamera, spacing: Double)
    -> CalibrationExcitation.View?
  {
    guard features.count > 1, spacing > 0 else { return nil }
    let frames = max(CalibrationExcitation.memory / spacing, 1)
    let n = Double(features.count), f = camera.lens.focalLength
    let mean = features.reduce(SIMD2<Double>.zero) { $0 + SIMD2($1.u, $1.v) } / n
    let squares = features.reduce(0) { $0 + ($1.u - mean.x) * ($1.u - mean.x) + ($1.v - mean.y) * ($1.v - mean.y) }
    return CalibrationExcitation.View(
      noise: camera.pixelNoise / f / (n * frames).squareRoot(), spread: (squares / n).squareRoot() / f,
      opticalAxis: mount.imuFromCamera.rotation * Vector3(0, 0, 1))
  }

  /// The estimate of a stated calibration; nil without online calibration.
  package func estimate(of stated: CameraCalibration) -> CalibrationEstimate? {
    guard learning.online else { return nil }
    var camera = stated
    camera.bodyFromCamera = bodyFromNavigation * mount.imuFromCamera
    camera.timeOffset = stated.timeOffset + mount.delay
    if let lens { (camera.fx, camera.fy, camera.cx, camera.cy) = lens.fourNumbers }
    func sigmas(_ part: CalibrationPart, _ count: Int) -> [Double] {
      let known = variances(of: part).map { $0.squareRoot() }
      return known.isEmpty ? [Double](repeating: 0, count: count) : known
    }
    let lens = sigmas(.lens, 4)
    return CalibrationEstimate(
      camera: camera, rotation: sigmas(.rotation, 3), translation: sigmas(.translation, 3),
      timeOffset: sigmas(.timeOffset, 1)[0],
      intrinsics: [lens[0] * camera.fx, lens[1] * camera.fy, lens[2] * camera.fx, lens[3] * camera.fy],
      learnt: CalibrationPart.allCases.filter(learnt.contains))
  }
}

extension LensModel {
  fileprivate var fourNumbers: (Double, Double, Double, Double) {
    let i = intrinsics
    return (i.x, i.y, i.z, i.w)
  }
}
