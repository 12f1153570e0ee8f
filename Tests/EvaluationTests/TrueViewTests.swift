import Evaluation
import Foundation
import Geometry
import Testing

@Suite struct TrueViewTests {
  /// A phone held upright, its back towards +x of a z-up world: device x is right (-y), y is up, -z is ahead.
  private static let upright = Rotation(
    matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))

  private func angle(_ attitude: Rotation, _ peer: Vector3) -> Double {
    Angle.inDegrees(TrueView(worldFromDevice: Pose(rotation: attitude), peer: peer).horizontalAngle)
  }

  @Test(
    arguments: [
      (Vector3(3, 0, 0), 0.0), (Vector3(3, -3, 0), 45), (Vector3(0, -3, 1), 90), (Vector3(0, 3, -1), -90),
      (Vector3(3, 3, 7), -45),
    ] as [(Vector3, Double)])
  func zeroIsAheadAndPositiveIsRight(_ peer: Vector3, _ expected: Double) {
    #expect(abs(angle(Self.upright, peer) - expected) < 1e-9)
  }

  @Test func behindIsPi() { #expect(abs(abs(angle(Self.upright, Vector3(-2, 0, 0))) - 180) < 1e-9) }

  /// Pitch and roll of the phone do not change the angle.
  @Test(arguments: [-60.0, -30, 15, 45, 65])
  func tiltDoesNotMatter(_ degrees: Double) {
    let pitch = Self.upright * Rotation.exp(Vector3(Angle.degrees(degrees), 0, 0))
    let roll = Self.upright * Rotation.exp(Vector3(0, 0, Angle.degrees(degrees)))
    for attitude in [pitch, roll] { #expect(abs(angle(attitude, Vector3(2, -2, 0.5)) - 45) < 1e-9) }
  }

  /// For a phone on its back, ahead is where its top edge points, up to 20 degrees from lying flat on either side. Face
  /// down it is the bottom edge.
  @Test(arguments: [71.0, 80, 90, 100, 109])
  func lyingFlatFollowsTheEdge(_ degrees: Double) {
    // Rotating the back downwards about x points the top edge ahead.
    let faceUp = Self.upright * Rotation.exp(Vector3(-Angle.degrees(degrees), 0, 0))
    #expect(abs(angle(faceUp, Vector3(4, 0, 0))) < 1e-6)
    let faceDown = Self.upright * Rotation.exp(Vector3(Angle.degrees(degrees), 0, 0))
    #expect(abs(angle(faceDown, Vector3(4, 0, 0))) < 1e-6)
  }

  @Test(
    arguments: [
      (Vector3(2, 0, 1.1), TrueView.Level.same), (Vector3(2, 0, 1.3), .above), (Vector3(2, 0, -1.3), .below),
      (Vector3(10, 0, 1.7), .same), (Vector3(10, 0, 1.8), .above), (Vector3(0, 0, -3), .below),
    ] as [(Vector3, TrueView.Level)])
  func levels(_ peer: Vector3, _ expected: TrueView.Level) {
    #expect(TrueView(worldFromDevice: Pose(rotation: Self.upright), peer: peer).level == expected)
  }

  @Test func distanceCountsFromTheDevice() {
    let view = TrueView(worldFromDevice: Pose(translation: Vector3(1, 1, 1)), peer: Vector3(4, 5, 13))
    #expect(view.distance == 13)
    #expect(view.horizontalDistance == 5)
  }
}
