import Geometry
import Simulation
import Testing

@Suite struct PoseCovarianceTests {
  private func random(_ random: inout SeededRandom) -> PoseCovariance {
    // J J^T of a random 6x6 root, as blocks.
    let (a, b) = (
      Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3()),
      Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
    )
    let c = Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
    return PoseCovariance(
      rotation: a * a.transpose, cross: a * b.transpose, position: b * b.transpose + c * c.transpose)
  }

  @Test func theTriangleIsTheMatrix() {
    var generator = SeededRandom(seed: 71)
    let covariance = random(&generator)
    let triangle = covariance.upperTriangle
    #expect(triangle.count == 21)
    #expect(triangle[0] == covariance.rotation[0, 0] && triangle[3] == covariance.cross[0, 0])
    #expect(triangle[15] == covariance.position[0, 0] && triangle[20] == covariance.position[2, 2])
    let back = PoseCovariance(upperTriangle: triangle)!
    #expect(back.upperTriangle == triangle)
    #expect(PoseCovariance(upperTriangle: [1, 2]) == nil)
  }

  /// The variance of any direction of the moved point is that of `dp + theta x lever`, computed from the whole matrix.
  @Test func aRigidlyAttachedPointErrsWithTheRotation() {
    var generator = SeededRandom(seed: 72)
    for _ in 0..<50 {
      let covariance = random(&generator)
      let lever = generator.gaussian3()
      let direction = generator.direction()
      // d . (dp + theta x l) = d . dp + theta . (l x d)
      let arm = lever.cross(direction)
      let expected =
        covariance.position.form(direction, direction) + 2 * covariance.cross.form(arm, direction)
        + covariance.rotation.form(arm, arm)
      let moved = covariance.moved(by: lever)
      #expect(abs(moved.position.form(direction, direction) - expected) < 1e-9)
      // Moving back gives the same.
      let back = moved.moved(by: -lever)
      for (a, b) in zip(back.upperTriangle, covariance.upperTriangle) { #expect(abs(a - b) < 1e-9) }
    }
  }

  @Test func theTwistIsTheYawOfAYaw() {
    var generator = SeededRandom(seed: 73)
    for angle in stride(from: -3.1, through: 3.1, by: 0.31) {
      #expect(abs(Rotation.yaw(angle).twistAboutZ - angle) < 1e-12)
    }
    // After removing the twist no rotation about z is left.
    for _ in 0..<100 {
      let r = generator.rotation()
      let swing = Rotation.yaw(r.twistAboutZ).inverse * r
      #expect(abs(swing.twistAboutZ) < 1e-9)
    }
  }
}
