import Foundation
import Geometry

/// The plan of a report: x right, y up on the page, z up, metres, origin at the device's first position.
///
/// Up on the page is the device's first heading, or the y axis of the estimate's world without known device axes.
struct MapFrame {
  /// Transform from the estimate's world to the plan.
  let mapFromWorld: Pose
  private let bodyFromDevice: Pose?

  /// The plan of a trajectory with the first pose `first`.
  init(first: Pose?, bodyFromDevice: Pose?) {
    self.bodyFromDevice = bodyFromDevice
    guard let first else {
      mapFromWorld = .identity
      return
    }
    let start = first * (bodyFromDevice ?? .identity)
    var rotation = Rotation.identity
    if bodyFromDevice != nil {
      rotation = .yaw(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: start.rotation))
    }
    mapFromWorld = Pose(rotation: rotation, translation: -(rotation * start.translation))
  }

  /// Position of the device on the plan, metres.
  func position(_ worldFromBody: Pose) -> Vector3 {
    mapFromWorld * (worldFromBody * (bodyFromDevice ?? .identity)).translation
  }

  /// Heading of the device, degrees clockwise from up on the page; nil without known device axes.
  func heading(_ worldFromBody: Pose) -> Double? {
    guard let bodyFromDevice else { return nil }
    let mapFromDevice = mapFromWorld.rotation * worldFromBody.rotation * bodyFromDevice.rotation
    return Angle.inDegrees(Angle.wrapped(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: mapFromDevice)))
  }

  /// A covariance of the estimate's world, on the plan.
  func covariance(_ world: Matrix3) -> Matrix3 {
    let rotation = mapFromWorld.rotation.matrix
    return rotation * world * rotation.transpose
  }
}
