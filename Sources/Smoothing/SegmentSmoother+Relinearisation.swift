import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Relinearisation between two rounds.
extension SegmentSmoother {
  /// Preintegrates at the new biases, rejects outliers, updates the pixel noise, triangulates and adds ranges.
  func relinearise(_ problem: inout BatchProblem) -> Bool {
    guard let motions = motions(problem.keyframes, problem.rig.intrinsics) else { return false }
    problem.motions = motions
    for k in problem.keyframes.indices {
      let old = problem.keyframes[k]
      guard let sample = samples.sample(at: old.timestamp) else { return false }
      problem.keyframes[k] = Keyframe(
        timestamp: old.timestamp, state: old.state, isStill: old.isStill, measuredRate: sample.angularVelocity)
    }
    rejectOutliers(&problem)
    problem.reprojection.pixelNoise = effectiveNoise(problem)
    // The threshold stays constant in pixels.
    problem.loss = HuberLoss(threshold: Self.huberThreshold * stated.pixelNoise / problem.reprojection.pixelNoise)
    triangulate(&problem)
    if problem.links.isEmpty { problem.links = links(problem) }
    let keyframes = problem.keyframes
    problem.links = problem.links.compactMap { link in
      var link = link
      return link.learn(keyframes, gravity: gravity) ? link : nil
    }
    return true
  }

  /// Rejects outlying observations, and points with too few left.
  private func rejectOutliers(_ problem: inout BatchProblem) {
    let cameras = problem.cameras, limit = Self.outlierSigmas * Self.outlierSigmas
    for i in problem.tracks.indices {
      guard let landmark = problem.tracks[i].landmark else { continue }
      problem.tracks[i].observations.removeAll { observation in
        let error = stated.residual(cameras[observation.keyframe], landmark, pixel: observation.pixel)
        return error.map { $0.x * $0.x + $0.y * $0.y > limit } ?? true
      }
    }
    problem.tracks.removeAll { $0.observations.count < TrackCollection.minObservations }
  }

  /// 1-sigma of the white noise with the same information about constant parameters as the tracks' noise
  /// (`TrackNoise`), which need not be white, pixels.
  private func effectiveNoise(_ problem: BatchProblem) -> Double {
    var learner = TrackNoiseLearner()
    let frames = problem.keyframes
    for track in problem.tracks {
      guard let landmark = track.landmark else { continue }
      let rows = track.observations.compactMap { observation in
        stated.linearised(frames[observation.keyframe], problem.rig, landmark, pixel: observation.pixel)
      }
      guard rows.count == track.observations.count else { continue }
      learner.add(
        TrackNoiseLearner.Sample(
          residual: rows.flatMap { [$0.residual.x, $0.residual.y] }, point: rows.flatMap(\.point),
          times: track.observations.map { frames[$0.keyframe].timestamp.seconds(since: frames[0].timestamp) }))
    }
    let spacing = frames[frames.count - 1].timestamp.seconds(since: frames[0].timestamp) / Double(frames.count - 1)
    return stated.pixelNoise / learner.noise.loneWeight(after: spacing)
  }
}
