import EventLines
import Foundation
import FuseCaptureFormat
import Geometry
import SensorData
import Testing

/// What phones report, as event lines: axes, signs, units, and golden lines that apps can compare with.
@Suite struct PhoneValuesTests {
  private let time = Timestamp(nanoseconds: 1_000_000_000)

  @Test func aPhoneOnATableFeelsGravityUpwards() {
    // Core Motion: face up, z is -1 g. Android: +9.81 m/s^2.
    let apple = PhoneValues.imuFromCoreMotion(time, acceleration: Vector3(0, 0, -1), rotationRate: Vector3(0.1, 0, 0))
    #expect(apple.specificForce == Vector3(0, 0, 9.80665) && apple.angularVelocity == Vector3(0.1, 0, 0))
    let android = PhoneValues.imuFromAndroid(time, acceleration: Vector3(0, 0, 9.81), rotationRate: .zero)
    #expect(android.specificForce.z == 9.81)
  }

  @Test func worldTurnsFromYUpToZUp() throws {
    // The camera 1 m to the right, 2 m up, 3 m behind the origin, its axes the world's.
    let transform: [Float] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]
    let pose = try #require(PhoneValues.poseFromARKit(time, transform: transform)).worldFromSensor
    #expect((pose.translation - Vector3(1, -3, 2)).norm < 1e-12)
    // The camera's y, up in ARKit's world, is up in ours.
    #expect((pose.rotation * Vector3(0, 1, 0) - Vector3(0, 0, 1)).norm < 1e-9)
    #expect(PhoneValues.poseFromARKit(time, transform: [1, 2]) == nil)
    #expect(PhoneValues.poseFromARKit(time, transform: [Float](repeating: 0, count: 16)) == nil)
    #expect(PhoneValues.poseFromARKit(time, transform: transform.map { $0 + .nan }) == nil)
  }

  @Test func deviceAxesInTheCameras() {
    let d = PhoneValues.arKitCameraFromDevice
    // In portrait the top edge is the camera's -x; the screen faces the same way.
    #expect((d * Vector3(0, 1, 0) - Vector3(-1, 0, 0)).norm < 1e-12)
    #expect((d * Vector3(0, 0, 1) - Vector3(0, 0, 1)).norm < 1e-12)
  }

  @Test func directionsBecomeAngles() throws {
    let right = try #require(
      PhoneValues.rangeFromNearbyInteraction(time, peer: "tag", distance: 2, direction: Vector3(1, 0, 0)))
    #expect(abs(right.azimuth! - .pi / 2) < 1e-12 && abs(right.elevation!) < 1e-12)
    let ahead = try #require(PhoneValues.rangeFromNearbyInteraction(time, peer: "tag", distance: 2, direction: nil))
    #expect(ahead.azimuth == nil && ahead.range == 2)
    #expect(PhoneValues.rangeFromNearbyInteraction(time, peer: "tag", distance: -.infinity, direction: nil) == nil)
  }

  @Test func clocks() {
    #expect(PhoneValues.timestamp(uptime: 1.5)?.nanoseconds == 1_500_000_000)
    #expect(PhoneValues.timestamp(uptime: .nan) == nil && PhoneValues.timestamp(uptime: 1e300) == nil)
  }

  /// The lines of a short capture; an app in another language writes the same values.
  @Test func goldenLines() throws {
    var writer = EventLineWriter()
    writer.begin(PhoneValues.arKitHeader(antenna: Vector3(0.05, 0.01, 0), rangeNoise: 0.1))
    for k in 0..<3 {
      let t = try #require(PhoneValues.timestamp(uptime: 100 + Double(k) * 0.01))
      writer.add(
        .imu(
          PhoneValues.imuFromCoreMotion(t, acceleration: Vector3(0.5, -0.25, -1), rotationRate: Vector3(0, 0.125, 0))))
    }
    let t = try #require(PhoneValues.timestamp(uptime: 100.03))
    let pose = try #require(PhoneValues.poseFromARKit(t, transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]))
    writer.add(.odometry(pose))
    let range = try #require(
      PhoneValues.rangeFromNearbyInteraction(
        t, peer: "tag", distance: 2.5, direction: Vector3(0, 0, -1), angleStandardDeviation: 0.1))
    writer.add(.range(range), arrival: t.advanced(byNanoseconds: 20_000_000))
    writer.add(.device(DeviceEvent(timestamp: t, name: "suspend")))
    writer.end()
    let lines = String(decoding: writer.drain(), as: UTF8.self)
    #expect(lines == String(decoding: PackageResources.arkit_jsonl, as: UTF8.self))
  }
}
