import Evaluation
import Foundation
import Geometry
import Simulation
import Testing

@Suite struct RigidAlignmentTests {
  private func cloud(_ random: inout SeededRandom, count: Int = 30) -> [Vector3] {
    (0..<count).map { _ in 3 * random.gaussian3() }
  }

  @Test func fullAlignmentFindsAnyRotationAndShift() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<50 {
      let points = cloud(&random)
      let shift = Pose(rotation: random.rotation(), translation: 10 * random.gaussian3())
      let found = try #require(RigidAlignment.full(estimate: points, truth: points.map { shift * $0 }))
      #expect((found.rotation * shift.rotation.inverse).log.norm < 1e-9)
      #expect((found.translation - shift.translation).norm < 1e-8)
    }
  }

  @Test func yawAlignmentFindsYawAndShift() throws {
    var random = SeededRandom(seed: 2)
    for _ in 0..<50 {
      let points = cloud(&random)
      let yaw = random.uniform(-3.1...3.1)
      let shift = Pose(rotation: .yaw(yaw), translation: 10 * random.gaussian3())
      let found = try #require(RigidAlignment.yawAndTranslation(estimate: points, truth: points.map { shift * $0 }))
      #expect((found.rotation * shift.rotation.inverse).log.norm < 1e-9)
      #expect((found.translation - shift.translation).norm < 1e-8)
    }
  }

  /// No nearby transform has a lower cost: the closed forms are minima.
  @Test func bothAreLeastSquares() throws {
    var random = SeededRandom(seed: 3)
    let points = cloud(&random)
    let truth = points.map { Rotation.exp(Vector3(0.4, -0.3, 1)) * $0 + 0.5 * random.gaussian3() }
    func cost(_ pose: Pose) -> Double { zip(points, truth).reduce(0) { $0 + (pose * $1.0 - $1.1).squaredNorm } }
    let full = try #require(RigidAlignment.full(estimate: points, truth: truth))
    let yaw = try #require(RigidAlignment.yawAndTranslation(estimate: points, truth: truth))
    #expect(cost(full) < cost(yaw))
    for _ in 0..<100 {
      let rotation = 0.05 * random.gaussian3()
      let step = 0.05 * random.gaussian3()
      let nearFull = Pose(rotation: .exp(rotation) * full.rotation, translation: full.translation + step)
      let nearYaw = Pose(rotation: .yaw(rotation.z) * yaw.rotation, translation: yaw.translation + step)
      #expect(cost(nearFull) > cost(full))
      #expect(cost(nearYaw) > cost(yaw))
    }
  }

  @Test func aStraightLineStillGivesARotation() throws {
    let line = (0..<10).map { Vector3(Double($0), 0, 0) }
    let turned = line.map { Vector3(0, 0, $0.x) + Vector3(1, 2, 3) }
    let found = try #require(RigidAlignment.full(estimate: line, truth: turned))
    for (a, b) in zip(line, turned) { #expect((found * a - b).norm < 1e-9) }
  }

  @Test func nothingToAlignIsNil() {
    #expect(RigidAlignment.full(estimate: [], truth: []) == nil)
    #expect(RigidAlignment.yawAndTranslation(estimate: [Vector3(.nan, 0, 0)], truth: [.zero]) == nil)
  }

  @Test func onePointOnlyShifts() throws {
    let found = try #require(RigidAlignment.yawAndTranslation(estimate: [Vector3(1, 2, 3)], truth: [Vector3(2, 2, 2)]))
    #expect(found == Pose(translation: Vector3(1, 0, -1)))
  }
}
