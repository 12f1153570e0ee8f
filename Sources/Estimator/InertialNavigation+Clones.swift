import Geometry
import Inertial
import SensorData

/// Poses that are kept.
extension InertialNavigation {
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
      firstWorldFromCamera: seeingFirst.worldFromCamera, takenPositionCovariance: positionCovariance(of: block))
    nextCloneID += 1
    clones.append(clone)
    return clone
  }

  /// The camera as a state at `time` carries it.
  func camera(of state: InertialState) -> CameraPoseFromIMU {
    let measured = samples.sample(at: time)
    let (rate, force) = intrinsics.corrected(
      angularVelocity: measured?.angularVelocity ?? .zero, specificForce: measured?.specificForce ?? .zero)
    let angularVelocity = rate - state.gyroscopeBias
    // A calibrated delay is a few milliseconds, in which no hand changes its speed.
    guard learning.online, let measured else {
      return CameraPoseFromIMU(state, angularVelocity: angularVelocity, mount: mount)
    }
    // The speed changes between the stamp and when the frame was taken, told by samples if they are there already.
    let longest = max(abs(mount.delay), Self.shortestSpan)
    let reaches = samples.samples.last.map { $0.timestamp >= time.advanced(bySeconds: longest) } ?? false
    let span = mount.delay > 0 && reaches ? longest : -longest
    let other = samples.sample(at: time.advanced(bySeconds: span))?.angularVelocity
    return CameraPoseFromIMU(
      state, angularVelocity: angularVelocity,
      angularAcceleration: other.map { ($0 - measured.angularVelocity) / span } ?? .zero,
      acceleration: state.rotation * (force - state.accelerometerBias) + gravity, mount: mount)
  }

  /// A change of the angular velocity is told over at least this time, seconds: over less it is noise.
  static let shortestSpan = 0.02

  /// How its pose's error follows from the errors in the state.
  func jacobian(of camera: CameraPoseFromIMU) -> [(ErrorCovariance.Block, [Double])] {
    [(poseBlock, camera.byState)] + (mountBlock.map { [($0, camera.byMount)] } ?? [])
  }

  /// Marginalises the clone at an index, which anchors no landmark any more.
  package func removeClone(at index: Int) {
    let clone = clones.remove(at: index)
    precondition(!landmarks.contains { $0.anchorID == clone.id }, "landmarks need their anchor")
    covariance.remove(clone.block)
  }
}
