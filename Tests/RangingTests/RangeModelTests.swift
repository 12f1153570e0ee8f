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

  /// The kernel's Jacobian and innovation of a component in line of sight are the model's, at 1,000 random states.
  @Test(arguments: [[""], ["a", "b", "c"]]) func theKernelIsTheModel(antennas: [String]) {
    var random = SeededRandom(seed: 23)
    var largest = 0.0
    func compare(_ kernel: Double, _ model: Double) { largest = max(largest, abs(kernel - model) / max(1, abs(model))) }
    for _ in 0..<500 {
      let drawn = RandomGaussianSum.make(&random, antennas: antennas, count: 1)
      let columns = drawn.layout.columns(of: antennas.last)
      let pose = Pose(rotation: random.rotation(), translation: drawn.anchor + 0.5 * random.gaussian3())
      let lever = 0.2 * random.gaussian3(), antenna = pose * lever
      let (x, u, e1) = (drawn.scalars(0), drawn.direction(0), drawn.tangent(0))
      let model = RangeModel(peer: drawn.anchor + x[0] * u, worldFromNavigation: pose, antenna: lever)
      let q = (1 + x[2]) * model.peerJacobian
      var row = [Double](repeating: 0, count: drawn.dimension)
      (row[0], row[1], row[2]) = (x[0] * q.dot(e1), x[0] * q.dot(u.cross(e1)), q.dot(u))
      (row[3], row[4], row[columns.coloured]) = (1, model.distance, 1)
      if let constant = columns.constant { row[constant] = 1 }
      for (kernel, model) in zip(drawn.predictedRange(0, antenna: antenna, columns: columns).row, row) {
        compare(kernel, model)
      }
      // In line of sight for certain, with no time for a transition.
      var set = GaussianSum(anchor: drawn.anchor, layout: drawn.layout, noises: RandomGaussianSum.noises)
      for (i, logWeight) in [0.0, -300].enumerated() {
        set.append(
          MixtureComponent(
            logWeight: logWeight, direction: u, tangent: e1, noise: 0, scalars: drawn.scalars(i),
            covariance: drawn.covariance(i)))
      }
      let range =
        model.predicted(
          scale: x[2], bias: x[1], coloured: x[columns.coloured - 2],
          antennaBias: columns.constant.map { x[$0 - 2] } ?? 0)
      let innovation = 0.1 * random.gaussian()
      let result = set.update(
        RangeObservation(
          range: range + innovation, antenna: antenna, columns: columns, seconds: 0, extraVariance: 0,
          configuration: RangingConfiguration()))
      compare(result.innovation, innovation)
    }
    #expect(largest < 1e-12, "\(largest)")
  }

  @Test func jacobianIsFiniteAtTheAntenna() {
    let model = RangeModel(peer: Vector3(1, 2, 3), worldFromNavigation: .identity, antenna: Vector3(1, 2, 3))
    #expect(model.distance == 0 && abs(model.direction.norm - 1) < 1e-12)
  }
}
