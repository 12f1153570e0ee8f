import Geometry
import Inertial
import SensorData

/// Poses from the solution.
extension SegmentSmoother {
  /// A pose for every frame: that of the keyframes, and `InertialBridge` in between.
  func smoothedPoses(_ problem: BatchProblem, _ equations: NormalEquations) -> [SmoothedPose]? {
    let blocks = BlockOrder(problem).keyframes
    var poses: [SmoothedPose] = []
    for (k, (begin, end)) in zip(chosen, chosen.dropFirst()).enumerated() {
      let (a, b) = (problem.keyframes[k].state, problem.keyframes[k + 1].state)
      guard let aa = equations.inverse(blocks[k], blocks[k]),
        let ab = equations.inverse(blocks[k], blocks[k + 1]),
        let bb = equations.inverse(blocks[k + 1], blocks[k + 1])
      else { return nil }
      let size = InertialState.errorSize
      let joint = (SquareMatrix(aa, size: size), SquareMatrix(ab, size: size), SquareMatrix(bb, size: size))
      poses.append(pose(begin, a, joint.0))
      for i in begin + 1..<end {
        let time = segment.frames[i].timestamp
        guard let before = motion(a, problem.rig.intrinsics, from: segment.frames[begin].timestamp, to: time),
          let after = motion(a, problem.rig.intrinsics, from: time, to: segment.frames[end].timestamp),
          let bridge = InertialBridge(a, b, before: before, after: after, gravity: gravity, joint: joint)
        else { return nil }
        poses.append(pose(i, bridge.state, bridge.covariance))
      }
      if k + 2 == chosen.count { poses.append(pose(end, b, joint.2)) }
    }
    return poses
  }

  private func pose(_ index: Int, _ state: InertialState, _ covariance: SquareMatrix) -> SmoothedPose {
    func block(_ row: Int, _ column: Int) -> Matrix3 {
      var m = Matrix3.zero
      for i in 0..<3 { for j in 0..<3 { m[i, j] = covariance[row + i, column + j] } }
      return m
    }
    let worldFromBody = state.worldFromIMU * imu.bodyFromIMU.inverse
    let own = PoseCovariance(rotation: block(0, 0), cross: block(0, 3), position: block(3, 3))
    return SmoothedPose(
      timestamp: segment.frames[index].timestamp, worldFromBody: worldFromBody,
      covariance: own.moved(by: worldFromBody.translation - state.position))
  }
}
