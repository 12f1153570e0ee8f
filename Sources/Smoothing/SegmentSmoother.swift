import Estimator
import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Smooths one stretch: builds the problem from the forward run, solves it in rounds, reads poses off it.
struct SegmentSmoother {
  /// Rounds of solving at most; between them gross errors are cut and motion is integrated anew at the biases found.
  static let rounds = 5
  /// Rounds at least: ranges come with the second one, and their noise is learnt after it.
  static let fewestRounds = 3
  /// A sight that is off by more than this many sigmas is cut.
  static let grossError = 4.0
  /// A sight that is off by more than this many sigmas pulls no harder than that.
  static let gross = 2.5

  let imu: IMUCalibration
  let samples: IMUBuffer
  let stretch: ForwardRecord.Stretch
  let ranges: RangeSelection
  let lens: LensModel
  let noise: InertialNoise
  let gravity: Vector3
  let rig: RigEstimate
  let stated: Reprojection
  let chosen: [Int]

  init(
    imu: IMUCalibration, camera: CameraCalibration, samples: IMUBuffer, stretch: ForwardRecord.Stretch,
    ranges: RangeSelection
  ) {
    self.imu = imu
    self.samples = samples
    self.stretch = stretch
    self.ranges = ranges
    lens = LensModel(camera)
    // From one end of a recording to the other no one mean holds, so a wander is a walk here.
    noise = InertialNoise(imu, wander: AccelerometerInstability(imu))
    gravity = Vector3(0, 0, -imu.gravityMagnitude)
    rig = RigEstimate(mount: CameraMount(imuFromCamera: imu.bodyFromIMU.inverse * camera.bodyFromCamera))
    stated = Reprojection(lens: lens, pixelNoise: camera.pixelNoise)
    chosen = KeyframeSelection.indices(of: stretch.frames)
  }

  /// One pose a frame; nil where the stretch is too short or its problem has no solution.
  func poses(progress: (Double) -> Void) -> [SmoothedPose]? {
    guard chosen.count > 2, var problem = problem() else { return nil }
    for round in 0..<Self.rounds {
      if round > 0 { guard renew(&problem) else { return nil } }
      let ending = LevenbergMarquardt().solve(&problem) { progress((Double(round) + $0) / Double(Self.rounds + 1)) }
      guard let ending else { return nil }
      if ending == .settled, round + 1 >= Self.fewestRounds { break }
    }
    guard let equations = problem.equations() else { return nil }
    problem.linearise(into: equations)
    guard equations.solve(damping: 0) != nil, equations.invert() else { return nil }
    return read(problem, equations)
  }
}
