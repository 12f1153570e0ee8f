import Evaluation
import EvaluationTestSupport
import Foundation
import Geometry
import Simulation
import TestSupport
import Testing

/// The ideal observer over many trials with truths drawn from its own prior: posterior probabilities must equal
/// frequencies.
@Suite struct IdealConsistencyTests {
  /// Counts at one time over the trials of one motion.
  struct Tally {
    var errors: [Double] = []
    var covered = 0
    var published = 0
    var decided = 0
    var decidedWrong = 0
    var sides = 0
    var converged = 0
    var falselyConverged = 0

    mutating func add(_ view: IdealView, _ truth: TrueView) {
      let error = abs(Angle.wrapped(view.angle - truth.horizontalAngle))
      errors.append(error)
      if view.arcContains(truth.horizontalAngle) { covered += 1 }
      if view.publishedAngle != nil { published += 1 }
      if let level = view.decidedLevel {
        decided += 1
        if level != truth.level { decidedWrong += 1 }
        if level != .same { sides += 1 }
      }
      if view.isConverged {
        converged += 1
        if error > .pi / 9 { falselyConverged += 1 }
      }
    }

    /// A row of docs/ideal-observer.md.
    var row: String {
      let sorted = errors.map(Angle.inDegrees).sorted()
      let angles = [sorted[sorted.count / 2], sorted[sorted.count * 9 / 10]]
      let percentages = [covered, published, decided, converged].map { 100 * Double($0) / Double(errors.count) }
      return (angles + percentages).map { String(format: "%.1f", $0) }.joined(separator: " | ")
    }
  }

  @Test func posteriorProbabilitiesAreCalibrated() throws {
    let motions = [RangingTrial.Motion.arc, .arcAndVertical, .lWalk]
    let checkpoints = [10, 20, 30, 60, 120]
    let trials = 500
    var tallies = [[Tally]](repeating: [Tally](repeating: Tally(), count: checkpoints.count), count: motions.count)
    for (m, motion) in motions.enumerated() {
      var random = SeededRandom(seed: 312, stream: UInt64(m))
      for _ in 0..<trials {
        let trial = RangingTrial(motion, seconds: 12, peer: IdealTrialObserver.peer(&random), random: &random)
        var observer = IdealObserver(IdealTrialObserver.model)
        for (k, reading) in trial.readings.enumerated() {
          observer.update(range: reading.range, antenna: reading.device, after: 0.1)
          guard let slot = checkpoints.firstIndex(of: k) else { continue }
          let device = Pose(rotation: HeldPhone.facingEast, translation: reading.device)
          let view = try #require(IdealView(observer, worldFromDevice: device))
          tallies[m][slot].add(view, TrueView(worldFromDevice: device, peer: trial.peer))
        }
      }
      for (slot, tally) in tallies[m].enumerated() {
        print("| \(motion.rawValue) | \(checkpoints[slot] / 10) | \(tally.row) |")
      }
    }
    func fraction(_ tallies: [Tally], _ part: (Tally) -> Int, of whole: (Tally) -> Int) -> Double {
      Double(tallies.reduce(0) { $0 + part($1) }) / Double(max(tallies.reduce(0) { $0 + whole($1) }, 1))
    }
    for (m, motion) in motions.enumerated() {
      let coverage = fraction(tallies[m], \.covered) { $0.errors.count }
      #expect(coverage >= 0.88 && coverage <= 0.92, "\(motion): \(coverage)")
    }
    for slot in checkpoints.indices {
      let coverage = fraction(tallies.map { $0[slot] }, \.covered) { $0.errors.count }
      #expect(coverage >= 0.88 && coverage <= 0.92, "after \(checkpoints[slot]) ranges: \(coverage)")
    }
    // Errors of decided levels and of converged views at most as frequent as their thresholds.
    let all = Array(tallies.joined())
    let wrong = fraction(all, \.decidedWrong, of: \.decided)
    let falsely = fraction(all, \.falselyConverged, of: \.converged)
    print("levels wrong: \(wrong), falsely converged: \(falsely)")
    #expect(wrong > 0 && wrong <= 0.05 && falsely <= 0.001)
    // After level motion above and below are equally likely: neither is ever decided. Vertical motion decides them.
    #expect(tallies[0].allSatisfy { $0.sides == 0 } && tallies[2].allSatisfy { $0.sides == 0 })
    #expect(tallies[1][4].sides > 0 && tallies[1][4].converged > 0)
  }
}
