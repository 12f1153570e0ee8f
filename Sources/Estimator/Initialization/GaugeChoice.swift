import Foundation
import Geometry
import SensorData

/// Gauge of a new world: z up, with position and heading of a previous filter; zero if there was none.
struct GaugeChoice {
  /// Pose of the body when a previous filter was restarted.
  var origin = Pose.identity

  /// Pose of the IMU for a vertical `up` in its own axes.
  func worldFromIMU(up: Vector3, bodyFromIMU: Pose) -> Pose {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var rotation = level
    if origin != .identity {
      let relative = origin.rotation * bodyFromIMU.rotation * level.inverse
      rotation = Rotation.yaw(2 * atan2(relative.v.z, relative.w)) * level
    }
    let worldFromBody = Pose(rotation: rotation * bodyFromIMU.rotation.inverse, translation: origin.translation)
    return Pose(rotation: rotation, translation: (worldFromBody * bodyFromIMU).translation)
  }
}
