import CameraGeometry
import Estimator
import Geometry
import Inertial
import SensorData

/// Smooths one segment: builds the problem from the forward run, solves it in rounds, returns its poses.
struct SegmentSmoother {
  /// Most rounds; between them outliers are rejected and the IMU is preintegrated again at the new biases.
  static let rounds = 5
  /// Fewest rounds: ranges are added in the second one, and their noise is estimated after it.
  static let fewestRounds = 3
  /// An observation whose residual exceeds this many sigmas is rejected.
  static let outlierSigmas = 4.0
  /// Threshold of the observations' Huber loss, sigmas.
  static let huberThreshold = 2.5

  let imu: IMUCalibration
  let samples: IMUBuffer
  let segment: ForwardRecord.Segment
  let ranges: RangeSelection
  let lens: LensModel
  let noise: InertialNoise
  let gravity: Vector3
  let rig: RigEstimate
  let stated: Reprojection
  let chosen: [Int]

  init(
    imu: IMUCalibration, camera: CameraCalibration, samples: IMUBuffer, segment: ForwardRecord.Segment,
    ranges: RangeSelection
  ) {
    self.imu = imu
    self.samples = samples
    self.segment = segment
    self.ranges = ranges
    lens = LensModel(camera)
    // Over a whole recording bias instability has no constant mean, so it is modelled as a random walk.
    noise = InertialNoise(imu, instability: AccelerometerInstability(imu))
    gravity = Vector3(0, 0, -imu.gravityMagnitude)
    rig = RigEstimate(mount: CameraMount(imuFromCamera: imu.bodyFromIMU.inverse * camera.bodyFromCamera))
    stated = Reprojection(lens: lens, pixelNoise: camera.pixelNoise)
    chosen = KeyframeSelection.indices(of: segment.frames)
  }

  /// One pose per frame; nil where the segment is too short or its problem has no solution.
  func poses(progress: (Double) -> Void) -> [SmoothedPose]? {
    guard chosen.count > 2, var problem = problem() else { return nil }
    for round in 0..<Self.rounds {
      if round > 0 { guard relinearise(&problem) else { return nil } }
      let ending = LevenbergMarquardt().solve(&problem) { progress((Double(round) + $0) / Double(Self.rounds + 1)) }
      guard let ending else { return nil }
      if ending == .settled, round + 1 >= Self.fewestRounds { break }
    }
    guard let equations = problem.equations() else { return nil }
    problem.linearise(into: equations)
    guard equations.solve(damping: 0) != nil, equations.invert() else { return nil }
    return smoothedPoses(problem, equations)
  }
}
