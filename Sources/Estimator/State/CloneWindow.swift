import CameraGeometry
import Geometry
import SensorData

/// Sliding window of clones: chooses the clone to marginalise.
///
/// While the device hovers, many clones at one position add nothing. The second newest is removed if it added little
/// parallax, so that old clones, and with them the baseline, remain. Otherwise the oldest is removed.
/// Source: Kottas, Wu, Roumeliotis, "Detecting and dealing with hovering maneuvers in vision-aided inertial navigation
/// systems", IROS 2013, doi:10.1109/IROS.2013.6696801.
struct CloneWindow {
  /// Most clones kept.
  var size: Int
  /// Parallax that makes a clone a keyframe, pixels.
  var keptParallax: Double

  /// Clones that were keyframes when they were the newest.
  private var keyframeIDs: Set<Int> = []

  init(size: Int, keptParallax: Double) {
    self.size = size
    self.keptParallax = keptParallax
  }

  /// Decides whether the newest clone is a keyframe. Returns its median rotation-compensated parallax against the last
  /// keyframe, pixels.
  mutating func evaluate(
    _ newest: Clone?, in navigation: InertialNavigation, _ tracks: FeatureTracks, focalLength: Double
  ) -> Double? {
    let ids = Set(navigation.clones.map(\.id))
    keyframeIDs.formIntersection(ids)
    guard let newest else { return nil }
    guard let reference = navigation.clones.last(where: { keyframeIDs.contains($0.id) }) else {
      keyframeIDs.insert(newest.id)
      return nil
    }
    let rotation = newest.worldFromCamera.rotation.inverse * reference.worldFromCamera.rotation
    let (parallax, common) = tracks.parallax(
      from: reference.id, to: newest.id, newFromOld: rotation)
    let pixels = parallax.map { $0 * focalLength }
    // With half the features lost, the reference no longer covers the view.
    if pixels.map({ $0 >= keptParallax }) ?? true || 2 * common < tracks.living.count { keyframeIDs.insert(newest.id) }
    return pixels
  }

  /// Index of the clone to marginalise, or nil while the window is not full.
  func surplus(of navigation: InertialNavigation) -> Int? {
    let clones = navigation.clones
    guard clones.count > size else { return nil }
    return keyframeIDs.contains(clones[clones.count - 2].id) ? 0 : clones.count - 2
  }

  /// The clone that anchors landmarks: the newest keyframe other than the surplus clone.
  func anchorID(in navigation: InertialNavigation, surplus: Int?) -> Int? {
    let staying = navigation.clones.indices.filter { $0 != surplus }.map { navigation.clones[$0].id }
    return staying.last { keyframeIDs.contains($0) } ?? staying.last
  }
}

/// A clone: the camera pose at the time of a frame, kept in the filter's state (stochastic cloning).
///
/// It is the camera's pose and not the IMU's: the mount then only matters at cloning, and may itself be a state
/// (`CameraPoseFromIMU`).
package struct Clone: Equatable, Sendable {
  /// Counts up from the first clone; the `poseID` of feature tracks.
  package let id: Int
  /// When the frame was taken, IMU's clock.
  package let timestamp: Timestamp
  /// Its error (theta, p) in the covariance.
  package let block: ErrorCovariance.Block
  /// The present estimate.
  package internal(set) var worldFromCamera: Pose
  /// First estimate, at which Jacobians are taken: the estimate at cloning, or when the filter converged.
  package internal(set) var firstWorldFromCamera: Pose

  /// Velocity, m/s, and acceleration, m/s^2, of the camera at cloning, its own axes: where it was when other rows of a
  /// rolling shutter were exposed.
  package internal(set) var velocity = Vector3.zero, acceleration = Vector3.zero

  /// Covariance of its position at cloning, 3 x 3, m^2.
  package internal(set) var positionCovarianceAtCloning: Matrix3

  /// Size of its error state.
  static let errorSize = 6

  /// The pose of a camera `beside` this one at the exposure of a row, whose direction has been turned to the clone's
  /// time (`RollingShutter`): only the position is another. Velocity and acceleration are taken as known: over a readout
  /// of 30 ms an error of 0.1 m/s is 3 mm.
  package func worldFromCamera(_ keptFromCamera: Pose, rowDelay: Double) -> Pose {
    guard rowDelay != 0 else { return worldFromCamera * keptFromCamera }
    let displacement = velocity * rowDelay + acceleration * (0.5 * rowDelay * rowDelay)
    return worldFromCamera * Pose(translation: displacement) * keptFromCamera
  }

  mutating func apply(_ correction: ArraySlice<Double>) {
    let d = correction.startIndex
    let theta = Vector3(correction[d], correction[d + 1], correction[d + 2])
    worldFromCamera.rotation = Rotation.exp(theta) * worldFromCamera.rotation
    worldFromCamera.translation += Vector3(correction[d + 3], correction[d + 4], correction[d + 5])
  }
}
