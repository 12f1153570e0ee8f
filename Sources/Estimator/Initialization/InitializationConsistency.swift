import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Holds a start in motion back until the next window agrees with it.
///
/// Of many windows that are tried one after the other, the first whose speed seems known to a fifth is no fair sample: a wrong speed that is far
/// too high passes first, because its share is smallest (the winner's curse). Chance does not strike twice: windows that share nearly all of
/// their data agree far better than independent ones do, unless a few sights decide which valley they end in.
package struct InitializationConsistency {
  /// Largest squared difference of two velocities, in units of the covariance it would have were the two windows independent: the median of
  /// chi square with three degrees of freedom.
  static let limit = 2.366
  /// How old the start before may be, seconds.
  package static let memory = 0.5

  private var last: InitialEstimate?

  /// Nothing has been found yet.
  package init() {}

  /// True when `estimate` agrees with the one before, which the inertial samples carry on; remembers it for the next.
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

  /// Forgets the start before.
  package mutating func reset() { last = nil }

  /// The velocity in the IMU's axes, which need no common heading: `R^T v`, whose error is `R^T (dv + v x theta)`.
  private static func velocity(_ state: InertialState, _ p: [Double]) -> (mean: Vector3, covariance: Matrix3) {
    let n = InertialState.errorSize
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let turn = state.velocity.skew, axes = state.rotation.inverse.matrix
    let cross = turn * block(0, 6)
    let world = block(6, 6) + cross + cross.transpose + turn * block(0, 0) * turn.transpose
    return (state.rotation.inverse * state.velocity, axes * world * axes.transpose)
  }
}
