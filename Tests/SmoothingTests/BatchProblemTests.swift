import Geometry
import Inertial
import LeastSquares
import Simulation
import Smoothing
import SmoothingTestSupport
import Testing

@Suite struct BatchProblemTests {
  /// Without noise the solution is the truth, from an initial error of decimetres and degrees.
  @Test func aNoiseFreeProblemConvergesToTheTruth() throws {
    var source = SeededRandom(seed: 1)
    let motion = SyntheticMotion(seconds: 3, &source)
    var problem = try #require(motion.problem(points: 120, &source))
    let truth = problem.keyframes.map(\.state)
    for k in 1..<problem.keyframes.count {
      problem.keyframes[k].state = truth[k].plus((0..<15).map { ($0 < 9 ? 0.05 : 0.005) * source.gaussian() })
    }
    for i in problem.tracks.indices {
      problem.tracks[i].landmark = problem.tracks[i].landmark!.plus(0.03 * source.gaussian3())
    }
    _ = problem.minimise(steps: 40, tolerance: 0)
    for (frame, actual) in zip(problem.keyframes, truth) {
      let error = frame.state.minus(actual)
      #expect(error.allSatisfy { abs($0) < 1e-6 }, "\(error)")
    }
    #expect(problem.rig.minus(problem.rigPrior.mean).allSatisfy { abs($0) < 1e-6 })
  }

  /// Observations alone do not determine the scale: with its defaults the solver converges to it, also with points
  /// without parallax.
  @Test func theScaleIsFound() throws {
    var source = SeededRandom(seed: 7)
    let motion = SyntheticMotion(seconds: 3, &source)
    var problem = try #require(motion.problem(points: 120, &source))
    let truth = problem.keyframes.map(\.state)
    for k in 1..<problem.keyframes.count {
      problem.keyframes[k].state.position = truth[0].position + 0.9 * (truth[k].position - truth[0].position)
      problem.keyframes[k].state.velocity = 0.9 * truth[k].velocity
    }
    // Points without parallax: their distance is unobservable, and noise has given some of them extreme values.
    for i in problem.tracks.indices where i % 3 == 0 {
      problem.tracks[i].observations = Array(problem.tracks[i].observations.prefix(2))
      problem.tracks[i].landmark?.inverseDistance = i % 2 == 0 ? 60 : -40
    }
    _ = problem.minimise()
    let pathLength = (problem.keyframes.last!.state.position - problem.keyframes[0].state.position).norm
    let truePathLength = (truth.last!.position - truth[0].position).norm
    #expect(abs(pathLength / truePathLength - 1) < 1e-3, "\(pathLength / truePathLength)")
    #expect(problem.tracks.allSatisfy { abs($0.landmark?.inverseDistance ?? 0) < 10 })
  }

  /// The linearised system's gradient is that of the cost: a step lowers the cost as predicted. With short tracks,
  /// whose points are eliminated first, and with long tracks, whose points are unknowns.
  @Test(arguments: [8, 35]) func theStepLowersTheCostAsPredicted(observations: Int) throws {
    var source = SeededRandom(seed: 2)
    let motion = SyntheticMotion(seconds: 4, &source)
    var problem = try #require(motion.problem(points: 60, observations: observations, &source))
    for k in 1..<problem.keyframes.count {
      problem.keyframes[k].state = problem.keyframes[k].state.plus(
        (0..<15).map { ($0 < 9 ? 1e-3 : 1e-4) * source.gaussian() })
    }
    let before = problem.refinePoints() + problem.costWithoutObservations
    let equations = try #require(problem.equations())
    problem.linearise(into: equations)
    let step = try #require(equations.solve(damping: 0))
    var after = problem.moved(by: step)
    let left = after.refinePoints() + after.costWithoutObservations
    #expect(left < 1e-3 * before, "\(before) -> \(left)")
  }

  /// With information about the first keyframe only, the bridge is the prediction from it.
  @Test func aBridgeWithoutInformationIsThePrediction() throws {
    var source = SeededRandom(seed: 3)
    let motion = SyntheticMotion(&source)
    let a = motion.states[0].state
    func whole(_ from: Int, _ to: Int) -> PreintegratedIMU? {
      PreintegratedIMU(
        motion.samples, from: SyntheticMotion.time(from), to: SyntheticMotion.time(to), gyroscopeBias: a.gyroscopeBias,
        accelerometerBias: a.accelerometerBias, noise: InertialNoise(SyntheticMotion.imu))
    }
    let before = try #require(whole(0, 120)), after = try #require(whole(120, 300)), both = try #require(whole(0, 300))
    let b = both.carried(a, gravity: SyntheticMotion.gravity)
    // A random covariance of the first, and the joint covariance after the motion alone.
    let root = SquareMatrix((0..<225).map { _ in 0.01 * source.gaussian() }, size: 15)
    let P = root * root.transpose
    let (F, Q) = InertialBridge.world(both, from: a)
    let joint = (aa: P, ab: P * F.transpose, bb: F * P * F.transpose + Q)
    let bridge = try #require(
      InertialBridge(a, b, before: before, after: after, gravity: SyntheticMotion.gravity, joint: joint))
    let predicted = before.carried(a, gravity: SyntheticMotion.gravity)
    #expect(bridge.state.minus(predicted).allSatisfy { abs($0) < 1e-9 })
    let (F1, Q1) = InertialBridge.world(before, from: a)
    let prediction = F1 * P * F1.transpose + Q1
    for i in 0..<15 {
      for j in 0..<15 {
        let scale = (prediction[i, i] * prediction[j, j]).squareRoot()
        #expect(abs(bridge.covariance[i, j] - prediction[i, j]) < 1e-6 * scale)
      }
    }
  }

  /// An exactly known keyframe determines the state just before it.
  @Test func aBridgeArrivesAtTheSecondKeyframe() throws {
    var source = SeededRandom(seed: 4)
    let motion = SyntheticMotion(&source)
    let (a, b) = (motion.states[0].state, motion.states[1].state)
    func whole(_ from: Int, _ to: Int) -> PreintegratedIMU? {
      PreintegratedIMU(
        motion.samples, from: SyntheticMotion.time(from), to: SyntheticMotion.time(to), gyroscopeBias: a.gyroscopeBias,
        accelerometerBias: a.accelerometerBias, noise: InertialNoise(SyntheticMotion.imu))
    }
    var shifted = b
    shifted.position += Vector3(0.003, -0.002, 0.001)
    let zero = SquareMatrix([Double](repeating: 0, count: 225), size: 15)
    let before = try #require(whole(0, 99)), after = try #require(whole(99, 100))
    let bridge = try #require(
      InertialBridge(
        a, shifted, before: before, after: after, gravity: SyntheticMotion.gravity, joint: (zero, zero, zero)))
    let straight = before.carried(a, gravity: SyntheticMotion.gravity)
    #expect((bridge.state.position - straight.position - Vector3(0.003, -0.002, 0.001)).norm < 2e-4)
  }
}
