import Foundation
import Geometry
import Simulation
import TestSupport
import Testing

/// World: x east, y north, z up. The angle is 0 ahead and positive right.
@Suite struct HorizontalAngleTests {
  static func pitched(_ degrees: Double) -> Rotation {
    HeldPhone.facingNorth * Rotation.exp(Vector3(Angle.degrees(degrees), 0, 0))
  }

  static func angle(_ toPeer: Vector3, _ worldFromDevice: Rotation) -> Double {
    Angle.inDegrees(HorizontalAngle.of(toPeer, worldFromDevice: worldFromDevice))
  }

  @Test(arguments: [
    (Vector3(0, 5, 0), 0), (Vector3(5, 0, 0), 90), (Vector3(-5, 0, 0), -90), (Vector3(0, -5, 0), 180),
    (Vector3(3, 3, 0), 45), (Vector3(-3, 3, 0), -45), (Vector3(3, -3, 0), 135), (Vector3(-3, -3, 0), -135),
    (Vector3(0, 5, 4), 0), (Vector3(0, 5, -4), 0), (Vector3(5, 0, 40), 90), (Vector3(-5, 0, -40), -90),
  ])
  func uprightItIsTheBearing(toPeer: Vector3, degrees: Double) {
    #expect(abs(Self.angle(toPeer, HeldPhone.facingNorth) - degrees) < 1e-9)
  }

  /// From flat on its back to flat on its face, at every pitch: ahead stays north, the 20-degree cones included.
  @Test(arguments: [-90.0, -89, -71, -69, -45, 0, 30, 69, 71, 89, 90])
  func pitchDoesNotChangeIt(pitch: Double) {
    #expect(abs(Self.angle(Vector3(0, 5, 1), Self.pitched(pitch))) < 1e-6)
    #expect(abs(Self.angle(Vector3(5, 0, 1), Self.pitched(pitch)) - 90) < 1e-6)
  }

  /// Flat on its back with the top edge north; tipped to the east by less than 20 degrees the top edge is ahead, by
  /// more the camera, which looks east.
  @Test(arguments: [(0.0, 90.0), (19, 90), (21, 0), (60, 0)])
  func onItsBackTheTopEdgeIsAhead(tip: Double, eastIsAt: Double) {
    let device = Rotation.exp(Vector3(0, -Angle.degrees(tip), 0))
    #expect(abs(Self.angle(Vector3(5, 0, 0), device) - eastIsAt) < 1e-6)
  }

  /// Flat on its face, the camera up, the top edge south: the bottom edge is ahead.
  @Test(arguments: [(0.0, 90.0), (19, 90), (21, 0)])
  func onItsFaceTheBottomEdgeIsAhead(tip: Double, eastIsAt: Double) {
    let device = Rotation.exp(Vector3(0, Angle.degrees(tip), 0)) * Self.pitched(90)
    #expect(abs(Self.angle(Vector3(5, 0, 0), device) - eastIsAt) < 1e-6)
  }

  @Test func hangingUpsideDownItIsTheSame() {
    let hanging = HeldPhone.facingNorth * Rotation.exp(Vector3(0, 0, .pi))
    #expect(abs(Self.angle(Vector3(5, 0, 0), hanging) - 90) < 1e-9)
    #expect(abs(Self.angle(Vector3(0, 5, 0), hanging)) < 1e-9)
  }

  @Test func pitchRollAndHeightDoNotChangeItAndYawDoesOneToOne() {
    var random = SeededRandom(seed: 71)
    for _ in 0..<500 {
      let peer = Vector3(random.uniform(-5...5), random.uniform(-5...5), random.uniform(-3...3))
      let base = HorizontalAngle.of(peer, worldFromDevice: HeldPhone.facingNorth)
      let tilt = Rotation.exp(Vector3(Angle.degrees(random.uniform(-69...69)), 0, 0))
      let roll = Rotation.exp(Vector3(0, 0, random.uniform(-.pi ... .pi)))
      let lifted = peer + Vector3(0, 0, random.uniform(-4...4))
      let same = HorizontalAngle.of(lifted, worldFromDevice: HeldPhone.facingNorth * tilt * roll)
      #expect(abs(Angle.wrapped(same - base)) < 1e-9)
      let yaw = random.uniform(-.pi ... .pi)
      let turned = HorizontalAngle.of(peer, worldFromDevice: Rotation.yaw(yaw) * HeldPhone.facingNorth * tilt)
      #expect(abs(Angle.wrapped(turned - base - yaw)) < 1e-9)
      #expect(turned > -.pi && turned <= .pi)
    }
  }
}
