import Geometry
import Inertial
import SensorData
import CameraGeometry

/// What happens between two rounds.
extension SegmentSmoother {
  /// Between two rounds: everything that was taken at the old estimates is taken at the new ones.
  func renew(_ problem: inout BatchProblem) -> Bool {
    guard let motions = motions(problem.keyframes, problem.rig.intrinsics) else { return false }
    problem.motions = motions
    for k in problem.keyframes.indices {
      let old = problem.keyframes[k]
      guard let sample = samples.sample(at: old.timestamp) else { return false }
      problem.keyframes[k] = Keyframe(
        timestamp: old.timestamp, state: old.state, isStill: old.isStill, measuredRate: sample.angularVelocity)
    }
    cut(&problem)
    problem.reprojection.pixelNoise = effectiveNoise(problem)
    // What is gross stays gross, in pixels.
    problem.loss = HuberLoss(threshold: Self.gross * stated.pixelNoise / problem.reprojection.pixelNoise)
    triangulate(&problem)
    if problem.links.isEmpty { problem.links = links(problem) }
    let keyframes = problem.keyframes
    problem.links = problem.links.compactMap { link in
      var link = link
      return link.learn(keyframes, gravity: gravity) ? link : nil
    }
    return true
  }

  /// Cuts sights that are grossly off, and points with too few left.
  private func cut(_ problem: inout BatchProblem) {
    let cameras = problem.cameras, limit = Self.grossError * Self.grossError
    for i in problem.tracks.indices {
      guard let landmark = problem.tracks[i].landmark else { continue }
      problem.tracks[i].sights.removeAll { sight in
        let error = stated.residual(cameras[sight.keyframe], landmark, pixel: sight.pixel)
        return error.map { $0.x * $0.x + $0.y * $0.y > limit } ?? true
      }
    }
    problem.tracks.removeAll { $0.sights.count < TrackCollection.fewest }
  }

  /// 1-sigma of white noise that tells as little of what does not change as the tracks' own, which need not be white
  /// (`TrackNoise`), pixels.
  private func effectiveNoise(_ problem: BatchProblem) -> Double {
    var learner = TrackNoiseLearner()
    let frames = problem.keyframes
    for track in problem.tracks {
      guard let landmark = track.landmark else { continue }
      let rows = track.sights.compactMap { sight in
        stated.linearised(frames[sight.keyframe], problem.rig, landmark, pixel: sight.pixel)
      }
      guard rows.count == track.sights.count else { continue }
      learner.add(
        TrackNoiseLearner.Sample(
          residual: rows.flatMap { [$0.residual.x, $0.residual.y] }, point: rows.flatMap(\.point),
          times: track.sights.map { frames[$0.keyframe].timestamp.seconds(since: frames[0].timestamp) }))
    }
    let spacing = frames[frames.count - 1].timestamp.seconds(since: frames[0].timestamp) / Double(frames.count - 1)
    return stated.pixelNoise / learner.noise.loneWeight(after: spacing)
  }
}
