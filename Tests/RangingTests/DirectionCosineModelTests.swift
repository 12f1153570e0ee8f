import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

@Suite struct DirectionCosineModelTests {
  /// Over (theta in the world, p, t): axis and lever arm rotate with the device.
  @Test func jacobianIsTheDerivative() {
    var random = SeededRandom(seed: 81)
    for _ in 0..<300 {
      let pose = Pose(rotation: .exp(2 * random.gaussian3()), translation: 3 * random.gaussian3())
      let (peer, lever) = (pose.translation + random.uniform(0.8...8) * random.direction(), 0.1 * random.gaussian3())
      let axis = random.direction()
      func model(_ d: [Double]) -> DirectionCosineModel {
        let rotation = Rotation.exp(Vector3(d[0], d[1], d[2]))
        return DirectionCosineModel(
          axis: rotation * axis, peer: peer + Vector3(d[6], d[7], d[8]),
          worldFromNavigation: Pose(
            rotation: rotation * pose.rotation, translation: pose.translation + Vector3(d[3], d[4], d[5])),
          antenna: lever)
      }
      let numeric = FiniteDifferences.jacobian(inputs: 9) { [model($0).cosine] }
      let here = model([Double](repeating: 0, count: 9))
      let (a, b, c) = (here.rotationJacobian, here.positionJacobian, here.peerJacobian)
      #expect(FiniteDifferences.largestDifference([[a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]], numeric) < 1e-6)
    }
  }
}
