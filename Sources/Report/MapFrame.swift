import Foundation
import Geometry

/// The plan that a report draws: x right, y up on the page, z out of the floor, metres, origin where the device began.
///
/// Up on the page is where the device looked at the start; without a known device it is the y axis of the estimate's world.
struct MapFrame {
  /// The plan from the estimate's world.
  let mapFromWorld: Pose
  private let bodyFromDevice: Pose?

  /// The plan of a trajectory that begins with `first`.
  init(first: Pose?, bodyFromDevice: Pose?) {
    self.bodyFromDevice = bodyFromDevice
    guard let first else {
      mapFromWorld = .identity
      return
    }
    let start = first * (bodyFromDevice ?? .identity)
    var turn = Rotation.identity
    if bodyFromDevice != nil {
      turn = .yaw(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: start.rotation))
    }
    mapFromWorld = Pose(rotation: turn, translation: -(turn * start.translation))
  }

  /// Where the device is on the plan, metres.
  func position(_ worldFromBody: Pose) -> Vector3 {
    mapFromWorld * (worldFromBody * (bodyFromDevice ?? .identity)).translation
  }

  /// Where the device looks, degrees clockwise from up on the page; nil without a known device.
  func heading(_ worldFromBody: Pose) -> Double? {
    guard let bodyFromDevice else { return nil }
    let mapFromDevice = mapFromWorld.rotation * worldFromBody.rotation * bodyFromDevice.rotation
    return Angle.inDegrees(Angle.wrapped(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: mapFromDevice)))
  }

  /// A covariance of the estimate's world, on the plan.
  func covariance(_ world: Matrix3) -> Matrix3 {
    let turn = mapFromWorld.rotation.matrix
    return turn * world * turn.transpose
  }
}
