import Foundation
import Geometry
import SensorData

/// External odometry: poses in a world of its own, whose heading and position drift as random walks.
struct OdometrySimulator {
  /// Poses of the body along a motion, in time order.
  static func poses(
    _ settings: Scenario.Odometry, along motion: PoseSpline, start: Timestamp, seed: UInt64
  ) -> [OdometryPose] {
    var random = RandomStream.odometry.generator(seed: seed)
    var worldFromTruth = Rotation.identity
    var last = motion.kinematics(at: 0).worldFromBody.translation
    var position = last
    let count = Int(motion.duration * settings.rate) + 1
    return (0..<count).map { k in
      let time = Double(k) / settings.rate
      let truth = motion.kinematics(at: time).worldFromBody
      let step = truth.translation - last
      last = truth.translation
      // Each step is rotated by the current heading error; its noise is proportional to the root of its length.
      position += worldFromTruth * step + random.gaussian3() * (settings.positionRandomWalk * step.norm.squareRoot())
      let pose = Pose(rotation: worldFromTruth * truth.rotation, translation: position)
      let yawStep = settings.yawRandomWalk / settings.rate.squareRoot() * random.gaussian()
      worldFromTruth = Rotation.yaw(yawStep) * worldFromTruth
      return OdometryPose(timestamp: start.advanced(bySeconds: time), worldFromSensor: pose)
    }
  }
}
