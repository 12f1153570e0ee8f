import Foundation
import Geometry
import SensorData

/// Where a new world is put: level, at the place and with the heading that an earlier filter left, or at zero with none.
struct GaugeChoice {
  /// Where the body was when an earlier filter was given up.
  var origin = Pose.identity

  /// Pose of the IMU whose `up` (its own axes) is the vertical.
  func worldFromIMU(up: Vector3, bodyFromIMU: Pose) -> Pose {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var rotation = level
    if origin != .identity {
      let turn = origin.rotation * bodyFromIMU.rotation * level.inverse
      rotation = Rotation.yaw(2 * atan2(turn.v.z, turn.w)) * level
    }
    let worldFromBody = Pose(rotation: rotation * bodyFromIMU.rotation.inverse, translation: origin.translation)
    return Pose(rotation: rotation, translation: (worldFromBody * bodyFromIMU).translation)
  }
}
