import Estimator
import Geometry
import Simulation
import Testing

/// A device that was put down: it does not drift, stays consistent, and continues without a jump.
@Suite struct StationaryTests {
  /// The residual's derivative consists of identities where the kept rotation vector is zero.
  @Test func theJacobianIsTheDerivative() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<50 {
      let reference = Rotation.exp(random.gaussian3()), position = random.gaussian3()
      func residual(_ x: [Double]) -> [Double] {
        let v = (0..<4).map { Vector3(x[3 * $0], x[3 * $0 + 1], x[3 * $0 + 2]) }
        return ZeroVelocityUpdate.residual(
          kept: [v[2].x, v[2].y, v[2].z] + (0..<3).map { position[$0] + v[3][$0] }, reference: reference,
          now: Pose(rotation: Rotation.exp(v[0]) * reference, translation: position + v[1]))
      }
      let h = 1e-6
      for column in 0..<12 {
        var x = [Double](repeating: 0, count: 12)
        x[column] = h
        let up = residual(x)
        x[column] = -h
        let down = residual(x)
        for row in 0..<6 {
          // The residual is measured minus predicted: minus the Jacobian over (theta, p), plus that over (a, p_a).
          let expected = column == row ? -1.0 : column == row + 6 ? 1 : 0
          #expect(abs((up[row] - down[row]) / (2 * h) - expected) < 1e-6)
        }
      }
    }
  }
}
