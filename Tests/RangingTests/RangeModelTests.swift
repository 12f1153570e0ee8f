import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

@Suite struct RangeModelTests {
  /// `R = Exp(theta) R_hat`, `p + dp`, `t + dt`: the Jacobian over (theta, p, t) against finite differences.
  @Test func jacobianIsTheDerivative() {
    var random = SeededRandom(seed: 21)
    for _ in 0..<500 {
      let pose = Pose(rotation: random.rotation(), translation: random.gaussian3())
      let peer = pose.translation + random.uniform(0.5...10) * random.direction()
      let antenna = 0.2 * random.gaussian3()
      let model = RangeModel(peer: peer, worldFromNavigation: pose, antenna: antenna)
      guard model.distance > 0.2 else { continue }
      let numeric = FiniteDifferences.jacobian(inputs: 9) { d in
        let moved = Pose(
          rotation: Rotation.exp(Vector3(d[0], d[1], d[2])) * pose.rotation,
          translation: pose.translation + Vector3(d[3], d[4], d[5]))
        return [(peer + Vector3(d[6], d[7], d[8]) - moved * antenna).norm]
      }
      let (a, b, c) = (model.rotationJacobian, model.positionJacobian, model.peerJacobian)
      let row = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
      #expect(FiniteDifferences.largestDifference([row], numeric) < 1e-6)
    }
  }

  /// Rotating the world about the vertical and shifting it changes no range: four unobservable directions.
  @Test func worldOriginAndHeadingAreUnobservable() {
    var random = SeededRandom(seed: 22)
    for _ in 0..<200 {
      let pose = Pose(rotation: random.rotation(), translation: random.gaussian3())
      let peer = 5 * random.gaussian3()
      let model = RangeModel(peer: peer, worldFromNavigation: pose, antenna: 0.3 * random.gaussian3())
      #expect((model.positionJacobian + model.peerJacobian).norm < 1e-12)
      let up = Vector3(0, 0, 1)
      let rotated =
        model.rotationJacobian.dot(up) + model.positionJacobian.dot(up.cross(pose.translation))
        + model.peerJacobian.dot(up.cross(peer))
      #expect(abs(rotated) < 1e-11)
    }
  }

  @Test func jacobianIsFiniteAtTheAntenna() {
    let model = RangeModel(peer: Vector3(1, 2, 3), worldFromNavigation: .identity, antenna: Vector3(1, 2, 3))
    #expect(model.distance == 0 && abs(model.direction.norm - 1) < 1e-12)
  }
}
