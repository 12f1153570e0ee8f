import Estimator
import Geometry
import Inertial
import SensorData
import Vision

/// Smooths one stretch: builds the problem from the forward run, solves it in rounds, reads poses off it.
struct StretchSmoother {
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
  private let lens: LensModel
  private let noise: InertialNoise
  private let gravity: Vector3
  private let rig: RigEstimate
  private let stated: Reprojection
  private let chosen: [Int]

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
    noise = InertialNoise(imu, wander: AccelerometerWander(imu))
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

// MARK: The steps

extension StretchSmoother {
  /// The problem at the forward run's states.
  private func problem() -> BatchProblem? {
    let keyframes = chosen.compactMap { i -> Keyframe? in
      let frame = stretch.frames[i]
      guard let sample = samples.sample(at: frame.timestamp), frame.state.isFinite else { return nil }
      return Keyframe(
        timestamp: frame.timestamp, state: frame.state, isStill: frame.isStill, measuredRate: sample.angularVelocity)
    }
    let rigWeight = rigWeight
    guard keyframes.count == chosen.count, let motions = motions(keyframes, rig.intrinsics),
      let startWeight = Whitening.matrix(stretch.startCovariance, size: InertialState.errorSize)
    else { return nil }
    var problem = BatchProblem(
      keyframes: keyframes, rig: rig,
      tracks: TrackCollection.tracks(chosen.map { stretch.frames[$0].features }, lens: lens), motions: motions,
      start: .init(mean: keyframes[0].state, weight: startWeight),
      rigPrior: .init(mean: rig, weight: rigWeight),
      reprojection: stated, loss: HuberLoss(threshold: Self.gross))
    triangulate(&problem)
    return problem
  }

  /// What is known of the rig, as weights of its error.
  private var rigWeight: [Double] {
    let axes = [Double](repeating: IMUIntrinsics.sigma(imu), count: IMUIntrinsics.count)
    return ErrorCovariance.diagonal((CameraMount.errorSigmas + axes).map { 1 / $0 })
  }

  private func motions(_ keyframes: [Keyframe], _ intrinsics: IMUIntrinsics) -> [(
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

  private func motion(
    _ state: InertialState, _ intrinsics: IMUIntrinsics, from start: Timestamp, to end: Timestamp
  ) -> PreintegratedIMU? {
    PreintegratedIMU(
      samples, from: start, to: end, gyroscopeBias: state.gyroscopeBias, accelerometerBias: state.accelerometerBias,
      intrinsics: intrinsics, noise: noise)
  }

  /// Finds the points that are not known yet.
  private func triangulate(_ problem: inout BatchProblem) {
    let triangulation = Triangulation(lenses: [lens], pixelNoise: problem.reprojection.pixelNoise)
    let cameras = problem.cameras
    for i in problem.tracks.indices where problem.tracks[i].landmark == nil {
      let views = problem.tracks[i].sights.map {
        CameraView(worldFromCamera: cameras[$0.keyframe], pixel: $0.pixel, direction: $0.direction)
      }
      guard views.count >= TrackCollection.fewest,
        case .found(let feature, _, _) = triangulation.solve(views, anchor: 0)
      else { continue }
      problem.tracks[i].landmark = Landmark(
        origin: views[0].worldFromCamera.translation, bearing: feature.bearing,
        inverseDistance: feature.inverseDistance)
    }
  }

  /// Between two rounds: everything that was taken at the old estimates is taken at the new ones.
  private func renew(_ problem: inout BatchProblem) -> Bool {
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

  /// Links to peers whose place the path tells.
  private func links(_ problem: BatchProblem) -> [RangeLink] {
    ranges.links.compactMap { antennas in
      let tied = antennas.map { series in
        series.ranges.compactMap { anchored($0, series.antenna, problem) }
      }
      let sights = tied.flatMap { $0 }.map {
        (place: $0.antenna(problem.keyframes[$0.keyframe].state, gravity: gravity), range: $0.range)
      }
      return PeerSearch(sights).peer().map { RangeLink(ranges: tied, peer: $0) }
    }
  }

  /// A range, tied to the last keyframe before it; nil outside the stretch, and where the motion in between is not known.
  private func anchored(_ range: RangeMeasurement, _ antenna: Vector3, _ problem: BatchProblem) -> AnchoredRange? {
    let keyframes = problem.keyframes
    var low = 0, high = keyframes.count
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].timestamp <= range.timestamp { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < keyframes.count || keyframes[low - 1].timestamp == range.timestamp else { return nil }
    let frame = keyframes[low - 1]
    let elapsed = range.timestamp.seconds(since: frame.timestamp)
    guard elapsed <= 2 * KeyframeSelection.longest else { return nil }
    var way = antenna
    if elapsed > 0 {
      guard let motion = motion(frame.state, problem.rig.intrinsics, from: frame.timestamp, to: range.timestamp)
      else { return nil }
      way = motion.delta.position + motion.delta.rotation * antenna
    }
    return AnchoredRange(keyframe: low - 1, elapsed: elapsed, way: way, range: range.range)
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

  /// A pose for every frame: the keyframes' own, and in between what the inertial unit says.
  private func read(_ problem: BatchProblem, _ equations: NormalEquations) -> [SmoothedPose]? {
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
        let time = stretch.frames[i].timestamp
        guard let before = motion(a, problem.rig.intrinsics, from: stretch.frames[begin].timestamp, to: time),
          let after = motion(a, problem.rig.intrinsics, from: time, to: stretch.frames[end].timestamp),
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
      timestamp: stretch.frames[index].timestamp, worldFromBody: worldFromBody,
      covariance: own.moved(by: worldFromBody.translation - state.position))
  }
}
