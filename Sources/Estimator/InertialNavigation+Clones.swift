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
  static let shortestSpan = 0.02

  /// Jacobian of the pose's error by the blocks of the state.
  func jacobian(of camera: CameraPoseFromIMU) -> [(ErrorCovariance.Block, [Double])] {
    [(poseBlock, camera.byState)] + (mountBlock.map { [($0, camera.byMount)] } ?? [])
  }

  /// Marginalises the clone at an index, which must not anchor a landmark.
  package func removeClone(at index: Int) {
    let clone = clones.remove(at: index)
    precondition(!landmarks.contains { $0.anchorID == clone.id }, "landmarks need their anchor")
    covariance.remove(clone.block)
  }
}
