import Geometry
import Simulation
import Testing

@Suite struct PoseTests {
  @Test func groupLawsHoldAtRandomElements() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<300 {
      let a = Pose(rotation: random.rotation(), translation: random.gaussian3())
      let b = Pose(rotation: random.rotation(), translation: random.gaussian3())
      let x = random.gaussian3()
      #expect(((a * b) * x - a * (b * x)).norm < 1e-12)
      #expect(((a * a.inverse) * x - x).norm < 1e-12)
    }
  }

  @Test func matrixInverseAndTangentBasis() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<200 {
      let m = Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
      let inverse = m.inverse!
      let x = random.gaussian3()
      #expect((inverse * (m * x) - x).norm < 1e-9)
      let u = random.direction()
      let (e1, e2) = u.tangentBasis
      #expect(abs(e1.dot(u)) < 1e-12 && abs(e2.dot(u)) < 1e-12 && abs(e1.dot(e2)) < 1e-12)
      #expect((u.cross(e1) - e2).norm < 1e-12 && abs(e1.z) < 1e-12)
    }
    #expect(Matrix3.zero.inverse == nil)
  }

  @Test func anglesWrapIntoTheHalfOpenInterval() {
    #expect(Angle.wrapped(.pi) == .pi)
    #expect(Angle.wrapped(-.pi) == .pi)
    #expect(abs(Angle.wrapped(3 * .pi / 2) + .pi / 2) < 1e-12)
    #expect(abs(Angle.wrapped(100) - (100 - 32 * .pi)) < 1e-12)
  }
}
