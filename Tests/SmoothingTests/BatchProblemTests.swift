import Geometry
import Inertial
import Simulation
import Smoothing
import Testing

@Suite struct BatchProblemTests {
  /// Without noise the solution is the truth, from a start that is off by decimetres and degrees.
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
    var solver = LevenbergMarquardt()
    solver.mostSteps = 40
    solver.tolerance = 0
    _ = solver.solve(&problem)
    for (frame, actual) in zip(problem.keyframes, truth) {
      let error = frame.state.minus(actual)
      #expect(error.allSatisfy { abs($0) < 1e-6 }, "\(error)")
    }
    #expect(problem.rig.minus(problem.rigPrior.mean).allSatisfy { abs($0) < 1e-6 })
  }

  /// The scale is the direction that the sights leave open: the solver gets there as it is set, points without parallax or not.
  @Test func theScaleIsFound() throws {
    var source = SeededRandom(seed: 7)
    let motion = SyntheticMotion(seconds: 3, &source)
    var problem = try #require(motion.problem(points: 120, &source))
    let truth = problem.keyframes.map(\.state)
    for k in 1..<problem.keyframes.count {
      problem.keyframes[k].state.position = truth[0].position + 0.9 * (truth[k].position - truth[0].position)
      problem.keyframes[k].state.velocity = 0.9 * truth[k].velocity
    }
    // Points seen from one place only: any distance does for them, and noise has thrown some of them far off.
    for i in problem.tracks.indices where i % 3 == 0 {
      problem.tracks[i].sights = Array(problem.tracks[i].sights.prefix(2))
      problem.tracks[i].landmark?.inverseDistance = i % 2 == 0 ? 60 : -40
    }
    _ = LevenbergMarquardt().solve(&problem)
    let way = (problem.keyframes.last!.state.position - problem.keyframes[0].state.position).norm
    let trueWay = (truth.last!.position - truth[0].position).norm
    #expect(abs(way / trueWay - 1) < 1e-3, "\(way / trueWay)")
    #expect(problem.tracks.allSatisfy { abs($0.landmark?.inverseDistance ?? 0) < 10 })
  }

  /// The linearised system's gradient is that of the cost: a step down it lowers the cost as foretold.
  /// With points that live short and are eliminated first, and with such as live long and are unknowns.
  @Test(arguments: [8, 35]) func theStepLowersTheCostAsForetold(sights: Int) throws {
    var source = SeededRandom(seed: 2)
    let motion = SyntheticMotion(seconds: 4, &source)
    var problem = try #require(motion.problem(points: 60, sights: sights, &source))
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

  /// Between two keyframes of which nothing but the first is known, the bridge is the prediction from it.
  @Test func aBridgeWithoutNewsIsThePrediction() throws {
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
    // A random covariance of the first, and the joint one that the motion alone makes of it.
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

  /// A keyframe that is known exactly pulls the moment just before it along.
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
