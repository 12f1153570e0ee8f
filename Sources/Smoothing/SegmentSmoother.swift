import CameraGeometry
import Estimator
import Geometry
import Inertial
import LeastSquares
import SensorData

/// Smooths one segment: builds the problem from the forward run, solves it in rounds, returns its poses.
struct SegmentSmoother {
  /// Most rounds; between them outliers are rejected and the IMU is preintegrated again at the new biases.
  static let rounds = 5
  /// Fewest rounds: ranges are added in the second one, and their noise is estimated after it.
  private static let fewestRounds = 3
  /// An observation whose residual exceeds this many sigmas is rejected.
  static let outlierSigmas = 4.0
  /// Threshold of the observations' Huber loss, sigmas.
  private static let huberThreshold = 2.5

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
      let ending = problem.minimise { progress((Double(round) + $0) / Double(Self.rounds + 1)) }
      guard let ending else { return nil }
      if ending == .settled, round + 1 >= Self.fewestRounds { break }
    }
    guard let equations = problem.equations() else { return nil }
    problem.linearise(into: equations)
    guard equations.solve(damping: 0) != nil, equations.invert() else { return nil }
    return smoothedPoses(problem, equations)
  }

  // Construction of the problem.

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
      let startWeight = SmallCholesky.inverseRoot(segment.startCovariance, size: InertialState.errorSize)
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
        let weight = SmallCholesky.inverseRoot(motion.covariance, size: InertialFactor.rows)
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
  private func triangulate(_ problem: inout BatchProblem) {
    let triangulation = Triangulation(lenses: [lens], pixelNoise: problem.reprojection.pixelNoise)
    let cameras = problem.cameras
    for i in problem.tracks.indices where problem.tracks[i].landmark == nil {
      let views = problem.tracks[i].observations.map {
        CameraView(worldFromCamera: cameras[$0.keyframe], pixel: $0.pixel, direction: $0.direction)
      }
      guard views.count >= TrackCollection.minObservations,
        case .found(let feature, _, _) = triangulation.solve(views, anchor: 0)
      else { continue }
      problem.tracks[i].landmark = InverseDistancePoint(
        origin: views[0].worldFromCamera.translation, bearing: feature.bearing,
        inverseDistance: feature.inverseDistance)
    }
  }

  // Relinearisation between two rounds.

  /// Preintegrates at the new biases, rejects outliers, updates the pixel noise, triangulates and adds ranges.
  private func relinearise(_ problem: inout BatchProblem) -> Bool {
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
        stated.linearised(frames[observation.keyframe].view(problem.rig.mount), landmark, pixel: observation.pixel)
      }
      guard rows.count == track.observations.count else { continue }
      learner.add(
        TrackNoiseLearner.Sample(
          residual: rows.flatMap { [$0.residual.x, $0.residual.y] },
          point: rows.flatMap { [$0.rows.0.point, $0.rows.1.point] }.flatMap { [$0.x, $0.y, $0.z] },
          times: track.observations.map { frames[$0.keyframe].timestamp.seconds(since: frames[0].timestamp) }))
    }
    let spacing = frames[frames.count - 1].timestamp.seconds(since: frames[0].timestamp) / Double(frames.count - 1)
    return stated.pixelNoise / learner.noise.loneWeight(after: spacing)
  }

  // Links to peers.

  /// Links to peers whose position is observable from the path.
  func links(_ problem: BatchProblem) -> [RangeLink] {
    ranges.links.compactMap { antennas in
      let anchoredRanges = antennas.map { series in
        series.ranges.compactMap { anchored($0, series.antenna, problem) }
      }
      let measured = anchoredRanges.flatMap { $0 }.map {
        (antenna: $0.antenna(problem.keyframes[$0.keyframe].state, gravity: gravity), range: $0.range)
      }
      return PeerSearch(measured).peer().map { RangeLink(ranges: anchoredRanges, peer: $0) }
    }
  }

  /// A range, anchored to the last keyframe before it; nil outside the segment, and without IMU motion in between.
  private func anchored(_ range: RangeMeasurement, _ antenna: Vector3, _ problem: BatchProblem) -> AnchoredRange? {
    let keyframes = problem.keyframes
    let next = keyframes.partitioningIndex { $0.timestamp > range.timestamp }
    guard next > 0, next < keyframes.count || keyframes[next - 1].timestamp == range.timestamp else { return nil }
    let frame = keyframes[next - 1]
    let elapsed = range.timestamp.seconds(since: frame.timestamp)
    guard elapsed <= 2 * KeyframeSelection.maxInterval else { return nil }
    var displacement = antenna
    if elapsed > 0 {
      guard let motion = motion(frame.state, problem.rig.intrinsics, from: frame.timestamp, to: range.timestamp)
      else { return nil }
      displacement = motion.delta.position + motion.delta.rotation * antenna
    }
    return AnchoredRange(keyframe: next - 1, elapsed: elapsed, displacement: displacement, range: range.range)
  }

  // Poses from the solution.

  /// A pose for every frame: that of the keyframes, and `InertialBridge` in between.
  private func smoothedPoses(_ problem: BatchProblem, _ equations: NormalEquations) -> [SmoothedPose]? {
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

/// Selects the frames whose states become unknowns: at most twenty per second, and fewer while the device hardly moves.
private enum KeyframeSelection {
  /// Shortest time between keyframes, seconds: twenty per second, with slack for the camera's jitter. Observations of
  /// the frames in between are not used.
  private static let minInterval = 0.045
  /// Longest, seconds: over more the IMU's drift is too large.
  static let maxInterval = 0.5
  /// Least displacement for a new keyframe, metres.
  private static let minDisplacement = 0.02
  /// Least rotation for a new keyframe, radians.
  private static let minRotation = 0.03

  /// Indices of the selected frames, ascending; the first and the last frame are always selected.
  package static func indices(of frames: [ForwardRecord.Frame]) -> [Int] {
    guard frames.count > 1 else { return Array(frames.indices) }
    var chosen = [0]
    for i in 1..<frames.count - 1 {
      let last = frames[chosen[chosen.count - 1]], frame = frames[i]
      let elapsed = frame.timestamp.seconds(since: last.timestamp)
      let moved = (frame.state.position - last.state.position).norm >= minDisplacement
      let rotated = (last.state.rotation.inverse * frame.state.rotation).log.norm >= minRotation
      // A frame before a gap is selected without motion.
      let gap = frames[i + 1].timestamp.seconds(since: last.timestamp) > maxInterval
      if elapsed >= minInterval, moved || rotated || gap { chosen.append(i) }
    }
    return chosen + [frames.count - 1]
  }
}

/// Collects the keyframes' observations into tracks.
private enum TrackCollection {
  /// Most observations of one point, half a minute at full rate: bounds memory. A longer track is split into
  /// independent points.
  private static let maxObservations = 600
  /// Fewest observations of a point.
  package static let minObservations = 3

  /// The tracks of frames given by their observations, sorted by id; a point missing in a frame has ended.
  package static func tracks(_ frames: [[FeatureObservation]], lens: LensModel) -> [LandmarkTrack] {
    var done: [LandmarkTrack] = []
    var living: [LandmarkTrack] = []
    func finish(_ track: LandmarkTrack) { if track.observations.count >= minObservations { done.append(track) } }
    for (index, features) in frames.enumerated() {
      var alive: [LandmarkTrack] = []
      alive.reserveCapacity(features.count)
      var i = 0
      for feature in features {
        while i < living.count, living[i].featureID < feature.featureID {
          finish(living[i])
          i += 1
        }
        var track = LandmarkTrack(featureID: feature.featureID, observations: [])
        if i < living.count, living[i].featureID == feature.featureID {
          track = living[i]
          i += 1
          if track.observations.count >= maxObservations {
            finish(track)
            track.observations.removeAll()
          }
        }
        let pixel = SIMD2(feature.u, feature.v)
        if let direction = lens.direction(ofPixel: pixel) {
          track.observations.append(.init(keyframe: index, pixel: pixel, direction: direction))
        }
        alive.append(track)
      }
      living[i...].forEach(finish)
      living = alive
    }
    living.forEach(finish)
    return done
  }
}
