import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct ExplanationTests {
  /// Mirror images are two places with their shares; neighbours are one.
  @Test func placesAreWhatIsOnOneSide() {
    let belief = Beliefs.balls(
      [(0.5, Vector3(3, 4, 0)), (0.2, Vector3(3.3, 3.8, 0.2)), (0.3, Vector3(-3, 4, 0))], sigma: 0.2)
    let places = Place.places(of: belief)
    #expect(places.count == 2)
    #expect(abs(places[0].share - 0.7) < 1e-12 && abs(places[1].share - 0.3) < 1e-12)
    #expect(abs(places[1].horizontalAngle + atan2(3, 4)) < 1e-9 && abs(places[1].elevation) < 1e-12)
    #expect(abs(places[1].distance - 5) < 1e-12)
    // A ball of 0.2 m at 5 m, whichever way one looks.
    #expect(abs(places[1].sideways - 0.04) < 1e-9 && abs(places[1].upwards - 0.04) < 1e-9)
  }

  /// What a sweep tells in coloured noise, against the exact `s^T C^-1 s` of a long sweep.
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
  private static let walk: [Explanation] = {
    let all = Explanations()
    let finder = OdometryWorld.finder()
    finder.attach(all)
    for event in OdometryWorld.events(seconds: 8, peers: ["a"]) { _ = finder.process(event) }
    return all.taken
  }()

  /// What was never computed is not told as a figure, and fails nothing by itself.
  @Test func whatWasNotAskedHasNoFigure() throws {
    let early = try #require(Self.walk.first { !$0.places.isEmpty })
    let gate = try #require(early.gates.first { $0.name.hasSuffix("m off") })
    #expect(gate.verdict == .notAsked && gate.value == nil && gate.note?.contains("spread is too wide") == true)
    let late = try #require(Self.walk.last?.gates.first { $0.name.hasSuffix("m off") })
    #expect(late.verdict != .notAsked && late.value != nil)
  }

  /// A list that stops says how much it holds.
  @Test func placesThatAreNotListedAreCounted() throws {
    let early = try #require(Self.walk.first { !$0.places.isEmpty })
    #expect(early.places.count == 8 && early.more > 0)
    #expect(abs(early.listedShare - early.places.reduce(0) { $0 + $1.share }) < 1e-12 && early.listedShare < 0.999)
    #expect(Self.walk.allSatisfy { $0.more == 0 || $0.places.count == 8 })
  }

  /// The motion that is named first is the one that the update asks for; another is named only if it is expected to be done sooner.
  @Test func theRunsOwnGuidanceComesFirst() {
    let kinds: [String: CandidateMotion.Kind] = [
      "Move around a little.": .around, "Move your phone from side to side.": .sideways,
      "Move your phone up and down.": .upAndDown,
    ]
    let missing = Self.walk.filter { !$0.places.isEmpty && $0.update.convergence.status != .converged }
    #expect(!missing.isEmpty)
    for explanation in missing {
      #expect(explanation.manoeuvre?.kind == explanation.update.guidance.flatMap { kinds[$0] })
      guard case .seconds(let sooner)? = explanation.better?.prospect else { continue }
      if case .seconds(let asked)? = explanation.manoeuvre?.prospect { #expect(sooner < asked) }
    }
    #expect(Self.walk.allSatisfy { $0.update.convergence.status != .converged || $0.manoeuvre == nil })
  }

  /// Frames without features: what lacks has a gate with its figures, and no motion is asked for.
  @Test func theDarkHasItsGate() throws {
    let heard = try Self.atRest(isGiven: true)
    #expect(heard.blindness != nil && heard.update.object.horizontalAngle == nil)
    let gate = try #require(heard.gates.first { $0.name == "features in the image" })
    #expect(gate.verdict == .failed && gate.value == 0 && gate.limit == 8 && gate.withholds.contains("angle"))
    #expect(heard.manoeuvre == nil && heard.better == nil)
    #expect(heard.update.guidance == PublicationObstacle.fewFeatures.guidance)
    // The same frame before it has lasted.
    let sight = CameraHealth(CameraFrame(timestamp: InertialFinderTests.time(1), features: [], meanLuma: 0.01))
    let early = sight.gates(at: InertialFinderTests.time(1.1), blindness: nil, FinderConfiguration())
    #expect(early[0].verdict == .notAsked && early[0].value == 1 && early[0].limit == 6)
    let late = sight.gates(at: InertialFinderTests.time(1.6), blindness: "dark", FinderConfiguration())
    #expect(late.map(\.verdict) == [.failed, .failed, .failed])
  }

  /// Which of the two is missing, trajectory or ranges, and what is waited for.
  @Test func whyThereIsNothingToJudgeByIsTold() throws {
    let unbegun = try Self.atRest(isGiven: false)
    #expect(!unbegun.hasTrajectory && unbegun.waitingFor != nil && unbegun.ranges >= 15 && unbegun.places.isEmpty)
    let first = try #require(Self.walk.first)
    #expect(first.hasTrajectory && first.ranges == 1 && first.places.isEmpty && first.waitingFor == nil)
  }

  /// A peer that isMoving off: where there is no angle for it, the gate says so with its figure.
  @Test func walkingHasItsGate() throws {
    let simulator = try Simulator(scenario: Scenario.named("moving").followedByOdometry, seed: 1)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: true)
    let all = Explanations()
    finder.attach(all)
    for event in simulator.events() { _ = finder.process(event) }
    func gate(_ explanation: Explanation) -> Explanation.Gate? {
      explanation.gates.first { $0.name == "chance that it walks" }
    }
    let moving = all.taken.filter { $0.moving > 0.5 && $0.update.object.horizontalAngle == nil && !$0.places.isEmpty }
    #expect(!moving.isEmpty)
    #expect(moving.allSatisfy { gate($0)?.verdict == .failed && gate($0)!.value! > 50 })
    // Who has an angle is not told that moving withholds it.
    #expect(all.taken.allSatisfy { $0.update.object.horizontalAngle == nil || gate($0)?.verdict != .failed })
  }

  /// A device at rest whose camera sees nothing, two seconds on; with a first state, or without a trajectory.
  private static func atRest(isGiven: Bool) throws -> Explanation {
    let rig = RigCalibration(
      imu: IMUCalibration(
        gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5, accelerometerNoiseDensity: 1e-2,
        accelerometerRandomWalk: 1e-4),
      cameras: [CameraCalibration(fx: 400, fy: 400, cx: 320, cy: 240, width: 640, height: 480)],
      radio: RadioCalibration())
    let state = GroundTruthState(timestamp: InertialFinderTests.time(0), worldFromBody: .identity, velocity: .zero)
    let finder = PrecisionFinder(rig: rig, useOdometry: false, initialState: isGiven ? state : nil)
    let heard = LastExplanation(of: "a", at: InertialFinderTests.time(2), in: finder)
    for event in InertialFinderTests.events(seconds: 3) {
      // Without inertial data no trajectory begins.
      if case .imu = event.event, !isGiven { continue }
      _ = finder.process(event)
    }
    return try #require(heard.explanation)
  }
}

/// Keeps all explanations.
private final class Explanations: ExplanationObserver {
  private(set) var taken: [Explanation] = []
  func wants(_ peer: String, at time: Timestamp) -> Bool { true }
  func take(_ explanation: Explanation) { taken.append(explanation) }
}
