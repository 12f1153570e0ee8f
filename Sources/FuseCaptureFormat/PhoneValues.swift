import Foundation
import Geometry
import SensorData

/// Values as phones report them, as values of event lines: axes, units, signs and clocks are converted here and nowhere else.
///
/// Device axes are a phone's in portrait: x right, y up, z out of the screen. Apple's accelerometer reports g and is -1 along
/// an axis that points up; event lines have the specific force in m/s^2, +g along it. ARKit's world has y up; theirs z up.
public enum PhoneValues {
  /// Standard gravity, m/s^2: the unit of Apple's accelerometer.
  public static let standardGravity = 9.80665

  /// The time of a clock that counts seconds since the phone started, such as `CMLogItem.timestamp`, `ARFrame.timestamp`;
  /// nil where it is not finite or beyond a century. Exact to the nanosecond for 48 days.
  public static func timestamp(uptime seconds: Double) -> Timestamp? {
    guard seconds.isFinite, abs(seconds) < 3.2e9 else { return nil }
    return Timestamp(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// Core Motion's accelerometer (g, Apple's sign) and gyroscope (rad/s), in device axes.
  public static func imuFromCoreMotion(
    _ time: Timestamp, acceleration: Vector3, rotationRate: Vector3
  ) -> IMUSample {
    IMUSample(timestamp: time, angularVelocity: rotationRate, specificForce: acceleration * -standardGravity)
  }

  /// Android's `TYPE_ACCELEROMETER` (m/s^2, +g along an axis that points up) and `TYPE_GYROSCOPE` (rad/s), in device axes.
  /// `SensorEvent.timestamp` is in nanoseconds already.
  public static func imuFromAndroid(_ time: Timestamp, acceleration: Vector3, rotationRate: Vector3) -> IMUSample {
    IMUSample(timestamp: time, angularVelocity: rotationRate, specificForce: acceleration)
  }

  /// ARKit's `ARCamera.transform`: 16 numbers, column by column, the camera's axes (x along the long side towards the home
  /// button, y to the phone's right, z out of the screen) in a world with y up. The pose is the camera's in a world with z
  /// up, of the same origin and x axis; nil for what is no rigid transform.
  public static func poseFromARKit(_ time: Timestamp, transform m: [Float]) -> OdometryPose? {
    guard m.count == 16, m.allSatisfy(\.isFinite) else { return nil }
    let columns = (0..<4).map { k in Vector3(Double(m[4 * k]), Double(m[4 * k + 1]), Double(m[4 * k + 2])) }
    // (x, y, z) with y up is (x, -z, y) with z up.
    let turned = columns.map { Vector3($0.x, -$0.z, $0.y) }
    var rows: [Double] = []
    for row in 0..<3 { rows += [turned[0][row], turned[1][row], turned[2][row], turned[3][row]] }
    guard let pose = try? Pose(rigidTransform: rows + [0, 0, 0, 1]) else { return nil }
    return OdometryPose(timestamp: time, worldFromSensor: pose)
  }

  /// The device's axes in ARKit's camera's: with the camera as body, `device_T_BS`.
  public static var arKitCameraFromDevice: Pose {
    // Device x is the camera's y, device y its -x, z the same: a quarter turn about z.
    let half = 0.5.squareRoot()
    return Pose(rotation: Rotation(w: half, x: 0, y: 0, z: half))
  }

  /// A range of Nearby Interaction: `NINearbyObject.distance` in metres, `direction` the unit vector in device axes or nil;
  /// nil where the distance is not finite or below zero.
  public static func rangeFromNearbyInteraction(
    _ time: Timestamp, peer: String, distance: Float, direction: Vector3?, angleStandardDeviation: Double? = nil
  ) -> RangeMeasurement? {
    guard distance.isFinite, distance >= 0 else { return nil }
    var range = RangeMeasurement(timestamp: time, peer: peer, range: Double(distance), technology: "uwb")
    if let direction, direction.isFinite, direction.norm > 0.5 {
      let u = direction.normalized
      range.azimuth = atan2(u.x, -u.z)
      range.elevation = asin(min(max(u.y, -1), 1))
      range.angleStandardDeviation = angleStandardDeviation
    }
    return range
  }

  /// The header of a phone whose poses come from ARKit and whose ranges from its UWB chip.
  ///
  /// - Parameters:
  ///   - antenna: the antenna in the camera's axes, metres; the makers do not publish it.
  ///   - rangeNoise: 1-sigma of a range, metres, where it is known.
  public static func arKitHeader(antenna: Vector3 = .zero, rangeNoise: Double? = nil) -> StreamHeader {
    StreamHeader(
      trajectory: .odometry,
      rig: RigCalibration(
        radio: RadioCalibration(antennas: ["": antenna], rangeNoise: rangeNoise), odometry: OdometryCalibration(),
        bodyFromDevice: arKitCameraFromDevice))
  }
}
