import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import TestSupport
import Testing

/// An antenna far from the device's origin: ranges are its, updates are the device's.
@Suite struct LeverArmTests {
  private static let peer = Vector3(4, 1.5, 0.3)
  private static let lever = Vector3(0.5, 0, 0.1)

  /// A device that turns to and fro and hardly moves: only its antenna's circle tells where the peer is.
  private static func pose(_ t: Double) -> Pose {
    Pose(rotation: .yaw(1.2 * sin(1.1 * t)), translation: Vector3(0.02 * sin(t), 0, 0.15 * sin(1.7 * t)))
  }

  @Test func theLeverArmTurnsWithTheDevice() throws {
    var rig = RigCalibration(
      radio: RadioCalibration(), odometry: OdometryCalibration(),
      bodyFromDevice: Pose(rotation: HeldPhone.facingNorth))
    rig.radio?.antennas = ["": Self.lever]
    let finder = PrecisionFinder(rig: rig, useOdometry: true)
    var random = SeededRandom(seed: 5)
    var last: NearbyUpdate?
    for k in 0...Int(14 * 50) {
      let t = Double(k) / 50, time = OdometryWorld.time(t)
      var outputs = finder.process(TimedEvent(.odometry(OdometryPose(timestamp: time, worldFromSensor: Self.pose(t)))))
      if k % 5 == 2 {
        let range = (Self.peer - Self.pose(t) * Self.lever).norm + 0.03 * random.gaussian()
        outputs += finder.process(TimedEvent(.range(RangeMeasurement(timestamp: time, peer: "a", range: range))))
      }
      last = outputs.updates().last ?? last
    }
    let update = try #require(last)
    let device = Self.pose(update.timestamp.seconds(since: OdometryWorld.time(0)))
    let distance = (Self.peer - device.translation).norm
    // Without the lever arm the ranges' swing of half a metre has no cause: no direction, or a wrong one.
    #expect(abs(try #require(update.object.distance) - distance) < 0.3)
    let angle = try #require(update.object.horizontalAngle)
    let truth = HorizontalAngle.of(
      Self.peer - device.translation, worldFromDevice: device.rotation * rig.bodyFromDevice.rotation)
    #expect(abs(Angle.wrapped(angle.value - truth)) < Angle.degrees(12))
  }
}
