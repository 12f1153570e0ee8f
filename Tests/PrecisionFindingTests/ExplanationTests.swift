import Foundation
import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct ExplanationTests {
  /// The two sides of an ambiguity are two modes with their probabilities; neighbours are one.
  @Test func modesAreClustersOfDirections() {
    let view = SampleViews.balls(
      [(0.5, Vector3(3, 4, 0)), (0.2, Vector3(3.3, 3.8, 0.2)), (0.3, Vector3(-3, 4, 0))], sigma: 0.2)
    let modes = PosteriorMode.modes(of: view)
    #expect(modes.count == 2)
    #expect(abs(modes[0].probability - 0.7) < 1e-12 && abs(modes[1].probability - 0.3) < 1e-12)
    #expect(abs(modes[1].horizontalAngle + atan2(3, 4)) < 1e-9 && abs(modes[1].elevation) < 1e-12)
    #expect(abs(modes[1].distance - 5) < 1e-12)
    // A ball of 0.2 m at 5 m, in whichever direction.
    #expect(abs(modes[1].sideways - 0.04) < 1e-9 && abs(modes[1].upwards - 0.04) < 1e-9)
  }

  /// Information of a sweep in coloured noise, against the exact `s^T C^-1 s` of a long sweep.
  @Test(arguments: [(0.06, 0.08, 10.0), (0.1, 0.0, 10.0), (0.04, 0.1, 20.0)])
  func informationIsThatOfTheExactCovariance(white: Double, coloured: Double, rate: Double) throws {
    let noise = RangeNoise(white: white, coloured: coloured, correlationTime: 2, correlationLength: 1e9)
    let seconds = 20.0
    let n = Int(seconds * rate)
    let signal = (0..<n).map { 0.25 * sin(.pi * Double($0) / rate) }
    var c = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
    for i in 0..<n {
      for j in 0..<n {
        c[i][j] = coloured * coloured * exp(-abs(Double(i - j)) / rate / 2) + (i == j ? white * white : 0)
      }
    }
    // Cholesky, then a forward substitution: |L^-1 s|^2.
    var y = signal
    for i in 0..<n {
      for j in 0...i {
        var sum = c[i][j]
        for k in 0..<j { sum -= c[i][k] * c[j][k] }
        c[i][j] = i == j ? sum.squareRoot() : sum / c[j][j]
      }
      for k in 0..<i { y[i] -= c[i][k] * y[k] }
      y[i] /= c[i][i]
    }
    let exact = y.reduce(0) { $0 + $1 * $1 }
    let claimed = try #require(CandidateMotion.information(noise, rate: rate)) * seconds
    #expect(abs(claimed / exact - 1) < 0.1, "\(claimed) against \(exact)")
  }

  /// Every explanation of a walk with given poses, from its first range on.
  private static let explanations: [Explanation] = {
    let all = Explanations()
    let finder = OdometryWorld.finder()
    finder.attach(all)
    for event in OdometryWorld.events(seconds: 8, peers: ["a"]) { _ = finder.process(event) }
    return all.taken
  }()

  /// A gate that was not evaluated has no figure, and fails nothing by itself.
  @Test func whatWasNotAskedHasNoFigure() throws {
    let early = try #require(Self.explanations.first { !$0.modes.isEmpty })
    let gate = try #require(early.gates.first { $0.name.hasSuffix("m off") })
    #expect(gate.outcome == .notAsked && gate.value == nil && gate.note?.contains("spread is too wide") == true)
    let late = try #require(Self.explanations.last?.gates.first { $0.name.hasSuffix("m off") })
    #expect(late.outcome != .notAsked && late.value != nil)
  }

  /// A truncated list states the probability it holds.
  @Test func unlistedModesAreCounted() throws {
    let early = try #require(Self.explanations.first { !$0.modes.isEmpty })
    #expect(early.modes.count == 8 && early.more > 0)
    #expect(
      abs(early.listedProbability - early.modes.reduce(0) { $0 + $1.probability }) < 1e-12
        && early.listedProbability < 0.999)
    #expect(Self.explanations.allSatisfy { $0.more == 0 || $0.modes.count == 8 })
  }

  /// The motion named first is the one that the update requests; another is named only if it is expected to be done
  /// sooner.
  @Test func theRunsOwnGuidanceComesFirst() {
    let kinds: [String: CandidateMotion.Kind] = [
      "Move around a little.": .around, "Move your phone from side to side.": .sideways,
      "Move your phone up and down.": .upAndDown,
    ]
    let missing = Self.explanations.filter { !$0.modes.isEmpty && $0.update.convergence.status != .converged }
    #expect(!missing.isEmpty)
    for explanation in missing {
      #expect(explanation.requestedMotion?.kind == explanation.update.guidance.flatMap { kinds[$0] })
      guard case .seconds(let sooner)? = explanation.better?.timeToGoal else { continue }
      if case .seconds(let asked)? = explanation.requestedMotion?.timeToGoal { #expect(sooner < asked) }
    }
    #expect(Self.explanations.allSatisfy { $0.update.convergence.status != .converged || $0.requestedMotion == nil })
  }

  /// Frames without features: the gate has its figures, and no motion is requested.
  @Test func darknessHasItsGate() throws {
    let received = try Self.atRest(isGiven: true)
    #expect(received.blindness != nil && received.update.object.horizontalAngle == nil)
    let gate = try #require(received.gates.first { $0.name == "features in the image" })
    #expect(gate.outcome == .failed && gate.value == 0 && gate.limit == 8 && gate.withholds.contains("angle"))
    #expect(received.requestedMotion == nil && received.better == nil)
    #expect(received.update.guidance == PublicationObstacle.fewFeatures.guidance)
    // The same frame before it has lasted.
    let health = CameraHealth(CameraFrame(timestamp: InertialFinderTests.time(1), features: [], meanLuma: 0.01))
    let early = health.gates(at: InertialFinderTests.time(1.1), blindness: nil, PublicationRules(FinderConfiguration()))
    #expect(early[0].outcome == .notAsked && early[0].value == 1 && early[0].limit == 6)
    let late = health.gates(
      at: InertialFinderTests.time(1.6), blindness: "dark", PublicationRules(FinderConfiguration()))
    #expect(late.map(\.outcome) == [.failed, .failed, .failed])
  }

  /// Which of the two is missing, trajectory or ranges, and what is waited for.
  @Test func missingInputIsNamed() throws {
    let unbegun = try Self.atRest(isGiven: false)
    #expect(!unbegun.hasTrajectory && unbegun.waitingFor != nil && unbegun.ranges >= 15 && unbegun.modes.isEmpty)
    let first = try #require(Self.explanations.first)
    #expect(first.hasTrajectory && first.ranges == 1 && first.modes.isEmpty && first.waitingFor == nil)
  }

  /// A moving peer: where it has no angle, the gate states so with its figure.
  @Test func movingHasItsGate() throws {
    let simulator = try Simulator(scenario: Scenario.named("moving").withExternalOdometry, seed: 1)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
    let all = Explanations()
    finder.attach(all)
    for event in simulator.events() { _ = finder.process(event) }
    func gate(_ explanation: Explanation) -> PublicationGate? {
      explanation.gates.first { $0.name == "probability that it moves" }
    }
    let moving = all.taken.filter {
      $0.movingProbability > 0.5 && $0.update.object.horizontalAngle == nil && !$0.modes.isEmpty
    }
    #expect(!moving.isEmpty)
    #expect(moving.allSatisfy { gate($0)?.outcome == .failed && gate($0)!.value! > 50 })
    // Where there is an angle, motion does not withhold it.
    #expect(all.taken.allSatisfy { $0.update.object.horizontalAngle == nil || gate($0)?.outcome != .failed })
  }

  /// A stationary device whose camera sees nothing, two seconds on; with an initial state, or without a trajectory.
  private static func atRest(isGiven: Bool) throws -> Explanation {
    let rig = RigCalibration(
      imu: IMUCalibration(
        gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5, accelerometerNoiseDensity: 1e-2,
        accelerometerRandomWalk: 1e-4),
      cameras: [CameraCalibration(fx: 400, fy: 400, cx: 320, cy: 240, width: 640, height: 480)],
      radio: RadioCalibration())
    let state = GroundTruthState(timestamp: InertialFinderTests.time(0), worldFromBody: .identity, velocity: .zero)
    let finder = PrecisionFinder(rig: rig, useOdometry: false, initialState: isGiven ? state : nil)
    let received = LastExplanation(of: "a", at: InertialFinderTests.time(2), in: finder)
    for event in InertialFinderTests.events(seconds: 3) {
      // Without inertial data no trajectory starts.
      if case .imu = event.event, !isGiven { continue }
      _ = finder.process(event)
    }
    return try #require(received.explanation)
  }
}

/// Keeps all explanations.
final class Explanations: ExplanationObserver {
  private(set) var taken: [Explanation] = []
  func wants(_ peer: String, at time: Timestamp) -> Bool { true }
  func observe(_ explanation: Explanation) { taken.append(explanation) }
}
