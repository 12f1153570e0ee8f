import Geometry
import Simulation
import TestSupport
import Testing

@Suite struct RotationTests {
  @Test func groupLawsHoldAtRandomElements() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<500 {
      let a = random.rotation()
      let b = random.rotation()
      let v = random.gaussian3()
      #expect(((a * b) * v - a * (b * v)).norm < 1e-13)
      #expect((a * (a.inverse * v) - v).norm < 1e-13)
      #expect(abs((a * v).norm - v.norm) < 1e-13)
      #expect((Rotation(matrix: a.matrix) * v - a * v).norm < 1e-13)
    }
  }

  @Test func expAndLogAreInverseEvenNearZeroAndPi() {
    var random = SeededRandom(seed: 2)
    for angle in [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1, 3, 3.14159, Double.pi - 1e-9] {
      for _ in 0..<50 {
        let theta = random.direction() * angle
        #expect((Rotation.exp(theta).log - theta).norm < 1e-8 + 1e-12 * angle)
      }
    }
  }

  @Test func leftJacobianAgreesWithFiniteDifferences() {
    var random = SeededRandom(seed: 3)
    for scale in [1e-6, 0.01, 0.5, 2.0] {
      for _ in 0..<20 {
        let theta = random.gaussian3() * scale
        let numeric = FiniteDifferences.jacobian(inputs: 3, step: 1e-3) { d in
          let r = Rotation.exp(theta + Vector3(d[0], d[1], d[2])) * Rotation.exp(theta).inverse
          return [r.log.x, r.log.y, r.log.z]
        }
        let analytic = Rotation.leftJacobian(theta)
        #expect(FiniteDifferences.largestDifference(numeric, analytic.rows) < 1e-6)
      }
    }
  }

  @Test func carryingRotatesOneDirectionIntoTheOther() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<200 {
      let a = random.direction()
      let b = random.direction()
      #expect((Rotation.carrying(a, into: b) * a - b).norm < 1e-12)
      #expect((Rotation.carrying(a, into: -a) * a + a).norm < 1e-9)
    }
  }

  @Test func interpolationMeetsBothEndsAndTheMiddle() {
    var random = SeededRandom(seed: 5)
    let v = Vector3(1, 2, 3)
    for _ in 0..<50 {
      let a = random.rotation()
      let theta = random.gaussian3() * 0.5
      let b = a * Rotation.exp(theta)
      #expect((a.interpolated(to: b, fraction: 0) * v - a * v).norm < 1e-12)
      #expect((a.interpolated(to: b, fraction: 1) * v - b * v).norm < 1e-12)
      #expect((a.interpolated(to: b, fraction: 0.5) * v - a * Rotation.exp(theta / 2) * v).norm < 1e-12)
    }
  }
}

extension Matrix3 {
  /// Row-major nested arrays, the format of the finite differences.
  var rows: [[Double]] { (0..<3).map { r in (0..<3).map { self[r, $0] } } }
}
