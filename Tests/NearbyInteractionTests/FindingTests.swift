import Foundation
import NearbyInteraction
import PrecisionFinding
import RecordedDevices
import Simulation
import Testing

/// The state machines on top of sessions.
@Suite struct FindingTests {
  @Test func qualityNeedsEightFreshDistinctValues() {
    var estimator = MeasurementQualityEstimator()
    for k in 0..<7 { estimator.add(20 + Double(k), at: 0.2 * Double(k)) }
    for _ in 0..<20 { estimator.add(26, at: 1.3) }
    estimator.add(nil, at: 1.3)
    estimator.add(.nan, at: 1.3)
    #expect(estimator.quality(at: 1.4) == .unknown, "repeated values do not count")
    estimator.add(27, at: 1.4)
    #expect(estimator.quality(at: 1.4) == .good)
    #expect(estimator.quality(at: 2.1) == .unknown, "the first is two seconds old")
    for (distance, quality) in [
      (9.9, MeasurementQualityEstimator.Quality.close), (10, .close), (10.1, .good), (49.9, .good), (50, .unknown),
    ] {
      var estimator = MeasurementQualityEstimator()
      for k in 0..<7 { estimator.add(5 + Double(k), at: 0.1 * Double(k)) }
      estimator.add(distance, at: 0.7)
      #expect(estimator.quality(at: 0.7) == quality, "\(distance)")
    }
  }

  @Test func theMarkersWidthIsApplesFormula() throws {
    let rule = MarkerRule()
    #expect(abs(try #require(rule.halfWidth(at: 10)) - .pi / 4) < 1e-12)
    #expect(abs(try #require(rule.halfWidth(at: 0)) - .pi / 5) < 1e-12)
    #expect(rule.halfWidth(at: 10.01) == nil && rule.halfWidth(at: -1) == nil && rule.halfWidth(at: .nan) == nil)
    #expect(rule.isInView(distance: 5, horizontalAngle: -0.69) && !rule.isInView(distance: 5, horizontalAngle: 0.7))
    #expect(rule.shows(distance: 5, horizontalAngle: 0, isConverged: true, isPlaced: true))
    for (converged, placed) in [(false, true), (true, false)] {
      #expect(!rule.shows(distance: 5, horizontalAngle: 0, isConverged: converged, isPlaced: placed))
    }
    #expect(!rule.shows(distance: nil, horizontalAngle: 0, isConverged: true, isPlaced: true))
  }

  /// Hysteresis: a shown marker disappears only when the peer is out of view by the margins, or lost.
  @Test func shownMarkerHasHysteresis() {
    func shown(_ steps: [(distance: Double?, angle: Double?, converged: Bool, placed: Bool)]) -> [Bool] {
      var rule = MarkerRule()
      return steps.map {
        rule.update(
          distance: $0.distance, horizontalAngle: $0.angle, isConverged: $0.converged, isPlaced: $0.placed)
      }
    }
    #expect(
      shown([(10.2, 0, true, true), (9.9, 0, true, true), (10.4, 0, true, true), (10.6, 0, true, true)]) == [
        false, true, true, false,
      ])
    // pi / 4.5 is 40 degrees at 5 m; 5 more while it is shown.
    let degrees = Double.pi / 180
    #expect(
      shown([41, -39, 41, -44.9, 45.1, 41].map { (5, $0 * degrees, true, true) })
        == [false, true, true, true, false, false])
    #expect(
      shown([(5, 0, true, true), (5, 0, false, true), (5, 0, false, false), (5, 0, false, true)]) == [
        true, true, false, false,
      ])
    #expect(shown([(5, 0, true, true), (nil, 0, true, true)]) == [true, false])
    #expect(shown([(5, 0, true, true), (5, nil, true, true)]) == [true, false])
    // Tremor about the border: one appearance.
    var random = SeededRandom(seed: 12)
    var rule = MarkerRule()
    var changes = 0
    for k in 0..<500 {
      let before = rule.isShown
      let tremor = max(-2, min(2, random.gaussian()))
      let angle = (k == 0 ? 50 : 40 + tremor) * degrees
      let now = rule.update(distance: 5, horizontalAngle: angle, isConverged: true, isPlaced: true)
      if now != before { changes += 1 }
    }
    #expect(changes == 1)
  }

  static func situation(
    _ distance: Double?, _ angle: Double?, _ reasons: [NIAlgorithmConvergenceStatus.Reason] = [], placed: Bool = false
  ) -> CoachingLadder.Situation {
    .init(
      distance: distance, horizontalAngle: angle,
      convergence: distance == nil ? .unknown : reasons.isEmpty ? .converged : .notConverged(reasons),
      isPlaced: placed)
  }

  /// Each request by itself.
  @Test func theLadderAsksForOneThing() {
    for (situation, request) in [
      (Self.situation(nil, nil), CoachingLadder.Request.search),
      (Self.situation(5, nil, [.insufficientMovement, .insufficientLighting]), .moreLight),
      (Self.situation(5, nil, [.insufficientMovement, .insufficientSignalStrength]), .moveCloser),
      (Self.situation(5, nil, [.insufficientMovement]), .moveAround),
      (Self.situation(5, nil, [.insufficientHorizontalSweep]), .sweepSideways),
      (Self.situation(5, 2, [.insufficientVerticalSweep]), .go),
      (Self.situation(20, 0, []), .go),
      (Self.situation(5, 0.2, [.insufficientVerticalSweep]), .sweepUpAndDown),
      (Self.situation(5, 0.2, []), .sweepUpAndDown),
      (Self.situation(5, 0.2, [], placed: true), .found),
    ] {
      var ladder = CoachingLadder()
      #expect(ladder.request(for: situation, at: 0) == request, "\(situation)")
    }
  }

  /// On a broken set-up no sweep is asked for: the remedy is, at once, and the ladder goes on once it is mended.
  @Test func theLadderAsksForTheRemedyOfABrokenSetUp() throws {
    let broken = NIAlgorithmConvergenceStatus(
      Convergence(status: .unknown), details: ["findings": .obstacles([.init(code: "rangeUnit")])]
    ) { _ in "ranges look to be in feet: write ranges in metres." }
    let doubtful = NIAlgorithmConvergenceStatus(
      Convergence(status: .notConverged, reasons: [.insufficientMovement]),
      details: ["findings": .obstacles([.init(.premiseOpen)]), "premise": .text("radioClock")])
    var ladder = CoachingLadder()
    #expect(ladder.sentence == nil)
    let around = Self.situation(5, nil, [.insufficientMovement])
    #expect(ladder.request(for: around, at: 0) == .moveAround && ladder.sentence == around.firstDescription)
    for distance in [5.0, nil] {
      let situation = CoachingLadder.Situation(
        distance: distance, horizontalAngle: nil, convergence: broken, isPlaced: false)
      #expect(ladder.request(for: situation, at: 0.1) == .mendSetUp)
      #expect(ladder.sentence == "The set-up is broken: ranges look to be in feet: write ranges in metres.")
    }
    #expect(ladder.request(for: around, at: 2) == .moveAround && ladder.sentence == around.firstDescription)
    // What is only open waits for more motion.
    let open = CoachingLadder.Situation(distance: 5, horizontalAngle: nil, convergence: doubtful, isPlaced: false)
    #expect(ladder.request(for: open, at: 4) == .moveAround)
  }

  @Test func theLadderDoesNotFlickerAndLosesPatience() {
    var ladder = CoachingLadder()
    let (around, sideways) = (
      Self.situation(5, nil, [.insufficientMovement]), Self.situation(5, nil, [.insufficientHorizontalSweep])
    )
    #expect(ladder.request(for: around, at: 0) == .moveAround)
    #expect(ladder.request(for: sideways, at: 0.5) == .moveAround)
    #expect(ladder.request(for: sideways, at: 1.1) == .sweepSideways)
    #expect(ladder.request(for: Self.situation(5, 0, [], placed: true), at: 1.2) == .found, "`found` is immediate")
    let tooFarLeft = Self.situation(5, -0.75, [.insufficientVerticalSweep], placed: true)
    #expect(ladder.request(for: tooFarLeft, at: 2.5) == .found, "the marker is shown a little beyond the view")
    #expect(ladder.request(for: sideways, at: 3) == .sweepSideways)
    #expect(ladder.request(for: sideways, at: 10.9) == .sweepSideways)
    #expect(ladder.request(for: sideways, at: 11.1) == .moveElsewhere, "eight seconds after the angle was lost")
  }

  /// From a session's outputs to the ladder and the pointing query, without the finder's own types.
  @Test func aSessionsObjectIsASituation() throws {
    let token = NIDiscoveryToken(capabilities: .preciseDistance)
    let object = NINearbyObject(discoveryToken: token, distance: 5, horizontalAngle: 0.5)
    #expect(
      CoachingLadder.Situation(
        object: object, convergence: .notConverged([.insufficientVerticalSweep]), isPlaced: false)
        == Self.situation(5, 0.5, [.insufficientVerticalSweep]))
    #expect(
      CoachingLadder.Situation(object: nil, convergence: .unknown, isPlaced: false) == Self.situation(nil, nil))
    #expect(Set(CoachingLadder.Request.allCases.map(\.sentence)).count == CoachingLadder.Request.allCases.count)
    #expect(PointingQuery.Candidate(object, named: "a") == .init(peer: "a", angle: 0.5, distance: 5))
    let beside = NINearbyObject(
      discoveryToken: token, direction: simd_float3(0, 0.6, -0.8), horizontalAngle: 0)
    #expect(abs(try #require(PointingQuery.Candidate(beside, named: "b")).angle - acos(0.8)) < 1e-6)
    #expect(PointingQuery.Candidate(NINearbyObject(discoveryToken: token, distance: 5), named: "c") == nil)
  }
}

extension CoachingLadder.Situation {
  /// What the first reason says.
  fileprivate var firstDescription: String? {
    if case .notConverged(let reasons) = convergence { reasons.first?.localizedDescription } else { nil }
  }
}
