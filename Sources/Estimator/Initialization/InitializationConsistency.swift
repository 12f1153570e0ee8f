import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Accepts a dynamic initialisation only once two consecutive windows agree.
///
/// The first of many windows whose speed appears known to a fifth is a biased sample: a speed far too high passes
/// first, because its relative sigma is smallest (winner's curse). Windows that share nearly all their data agree far
/// better than independent ones, unless a few observations decide which local minimum they reach.
package struct InitializationConsistency {
  /// Largest squared difference of two velocities, normalised by the covariance for independent windows: the median of
  /// chi-square with three degrees of freedom.
  static let limit = 2.366
  /// Greatest age of the previous estimate, seconds: an attempt is spread over frames.
  package static let memory = 1.0

  private var last: InitialEstimate?

  /// No previous estimate.
  package init() {}

  /// True when `estimate` agrees with the previous one, propagated by the inertial samples. Stores `estimate` for the
  /// next call.
  package mutating func admits(
    _ estimate: InitialEstimate, _ samples: IMUBuffer, calibration: IMUCalibration, camera: FilterCamera
  ) -> Bool {
    let before = last
    last = estimate
    guard let before, estimate.time.seconds(since: before.time) <= Self.memory,
      let carried = InertialNavigation(
        calibration: calibration, mount: CameraMount(imuFromCamera: camera.imuFromCamera), time: before.time,
        state: before.state, initialCovariance: before.covariance)
    else { return false }
    carried.samples = samples
    guard carried.advance(to: estimate.time) else { return false }
    let old = Self.velocity(carried.state, carried.covariance.marginal([carried.poseBlock]))
    let new = Self.velocity(estimate.state, estimate.covariance)
    guard let information = (old.covariance + new.covariance).inverse else { return false }
    let difference = new.mean - old.mean
    return information.form(difference, difference) <= Self.limit
  }

  /// Discards the previous estimate.
  package mutating func reset() { last = nil }

  /// The velocity in the IMU's axes, independent of heading: `R^T v`, with error `R^T (dv + v x theta)`.
  private static func velocity(_ state: InertialState, _ p: [Double]) -> (mean: Vector3, covariance: Matrix3) {
    let n = InertialState.errorSize
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let velocitySkew = state.velocity.skew, axes = state.rotation.inverse.matrix
    let cross = velocitySkew * block(0, 6)
    let world = block(6, 6) + cross + cross.transpose + velocitySkew * block(0, 0) * velocitySkew.transpose
    return (state.rotation.inverse * state.velocity, axes * world * axes.transpose)
  }
}
