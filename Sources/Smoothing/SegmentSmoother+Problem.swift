import CameraGeometry
import Estimator
import Geometry
import Inertial
import SensorData

/// Construction of the problem.
extension SegmentSmoother {
  /// The problem at the forward run's states.
  func problem() -> BatchProblem? {
    let keyframes = chosen.compactMap { i -> Keyframe? in
      let frame = segment.frames[i]
      guard let sample = samples.sample(at: frame.timestamp), frame.state.isFinite else { return nil }
      return Keyframe(
        timestamp: frame.timestamp, state: frame.state, isStill: frame.isStill, measuredRate: sample.angularVelocity)
    }
    let rigWeight = rigWeight
    guard keyframes.count == chosen.count, let motions = motions(keyframes, rig.intrinsics),
      let startWeight = Whitening.matrix(segment.startCovariance, size: InertialState.errorSize)
    else { return nil }
    var problem = BatchProblem(
      keyframes: keyframes, rig: rig,
      tracks: TrackCollection.tracks(chosen.map { segment.frames[$0].features }, lens: lens), motions: motions,
      start: .init(mean: keyframes[0].state, weight: startWeight),
      rigPrior: .init(mean: rig, weight: rigWeight),
      reprojection: stated, loss: HuberLoss(threshold: Self.huberThreshold))
    triangulate(&problem)
    return problem
  }

  /// Prior of the rig, as weight of its error state.
  private var rigWeight: [Double] {
    let axes = [Double](repeating: IMUIntrinsics.sigma(imu), count: IMUIntrinsics.count)
    return ErrorCovariance.diagonal((CameraMount.errorSigmas + axes).map { 1 / $0 })
  }

  func motions(_ keyframes: [Keyframe], _ intrinsics: IMUIntrinsics) -> [(
    factor: InertialFactor, weight: [Double]
  )]? {
    var motions: [(factor: InertialFactor, weight: [Double])] = []
    for (a, b) in zip(keyframes, keyframes.dropFirst()) {
      guard let motion = motion(a.state, intrinsics, from: a.timestamp, to: b.timestamp),
        let weight = Whitening.matrix(motion.covariance, size: InertialFactor.rows)
      else { return nil }
      motions.append((InertialFactor(motion: motion, gravity: gravity), weight))
    }
    return motions
  }

  func motion(
    _ state: InertialState, _ intrinsics: IMUIntrinsics, from start: Timestamp, to end: Timestamp
  ) -> PreintegratedIMU? {
    PreintegratedIMU(
      samples, from: start, to: end, gyroscopeBias: state.gyroscopeBias, accelerometerBias: state.accelerometerBias,
      intrinsics: intrinsics, noise: noise)
  }

  /// Triangulates the points without an estimate.
  func triangulate(_ problem: inout BatchProblem) {
    let triangulation = Triangulation(lenses: [lens], pixelNoise: problem.reprojection.pixelNoise)
    let cameras = problem.cameras
    for i in problem.tracks.indices where problem.tracks[i].landmark == nil {
      let views = problem.tracks[i].observations.map {
        CameraView(worldFromCamera: cameras[$0.keyframe], pixel: $0.pixel, direction: $0.direction)
      }
      guard views.count >= TrackCollection.minObservations,
        case .found(let feature, _, _) = triangulation.solve(views, anchor: 0)
      else { continue }
      problem.tracks[i].landmark = Landmark(
        origin: views[0].worldFromCamera.translation, bearing: feature.bearing,
        inverseDistance: feature.inverseDistance)
    }
  }
}
