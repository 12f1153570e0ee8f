import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// Conventions of another tracker's rotations, without an inertial unit.
@Suite struct PoseConventionTests {
  private static func rotations(_ written: (Rotation) -> Rotation) -> PoseConventionDetector {
    var test = PoseConventionDetector()
    for k in 0..<80 {
      let t = 0.25 * Double(k)
      // A hand that turns about, held at a slant.
      let held = Rotation.yaw(1.5 * sin(0.5 * t)) * .exp(Vector3(1.2, 0.05 * sin(t), 0))
      test.append(
        OdometryPose(
          timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t), worldFromSensor: Pose(rotation: written(held))))
    }
    return test
  }

  @Test func aHeldDeviceIsUpright() { #expect(Self.rotations { $0 }.test() == nil) }

  @Test func quaternionsInAnotherOrderAreFound() throws {
    // x, y, z, w in columns named w, x, y, z.
    let found = try #require(
      Self.rotations { Rotation(w: $0.v.x, x: $0.v.y, y: $0.v.z, z: $0.w) }.test())
    #expect(found.ratio > PremiseVerdict.limit && found.convention == .xyzw)
  }

  @Test func invertedRotationsAreFound() throws {
    let found = try #require(Self.rotations { $0.inverse }.test())
    #expect(found.ratio > PremiseVerdict.limit && found.convention == .inverse)
  }
}
