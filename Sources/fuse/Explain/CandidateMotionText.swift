import Geometry
import PrecisionFinding

/// The requested motion and a faster one, in words.
struct CandidateMotionText {
  private let explanation: Explanation

  init(_ explanation: Explanation) { self.explanation = explanation }

  /// Lines of text; none without guidance.
  var lines: [String] {
    guard let guidance = explanation.update.guidance else { return [] }
    var lines = ["What the run asked for: \(guidance)"]
    if let asked = explanation.requestedMotion { lines.append("  That \(outcome(of: asked)).") }
    if let better = explanation.better {
      lines.append("  Better: \(Self.words(better.kind)). That \(outcome(of: better)).")
    }
    return lines
  }

  private func outcome(of motion: CandidateMotion) -> String {
    let separation = motion.separation.map {
      "separates the two likeliest modes by \(Words.fixed($0, 2)) m of range per metre, and "
    }
    return (separation ?? "") + words(motion.timeToGoal)
  }

  private func words(_ forecast: Forecast) -> String {
    let end = explanation.goal == .angle ? "an angle" : "convergence"
    let last = Words.fixed(Forecast.steps.last!, 0)
    return switch forecast {
    case .seconds(let seconds):
      "takes about \(Words.fixed(seconds, 0)) s of sweeping half a metre until there is \(end)"
    case .tooLong:
      "takes more than \(last) s until there is \(end): ranges of this noise and rate carry little information"
    case .notReached(let obstacle): "alone does not bring \(end): \(Self.words(obstacle))"
    case .unknown: "takes an unknown time: the ranges' noise or rate is not known"
    }
  }

  private static func words(_ obstacle: Forecast.Obstacle) -> String {
    func known(_ side: String, _ sigma: Double, _ limit: Double) -> String {
      let (found, asked) = (Words.fixed(Angle.inDegrees(sigma), 1), Words.fixed(Angle.inDegrees(limit), 1))
      return "\(side) it stays known to \(found) deg, \(asked) deg is needed"
    }
    return switch obstacle {
    case .competingMode: "another mode stays as likely"
    case .sideways(let sigma, let limit): known("sideways", sigma, limit)
    case .upwards(let sigma, let limit): known("upwards", sigma, limit)
    case .distance: "distance and path are not known well enough for a position"
    case .contradiction: "the ranges contradict the posterior, so there is no forecast"
    }
  }

  private static func words(_ kind: CandidateMotion.Kind) -> String {
    switch kind {
    case .sideways: "move from side to side"
    case .upAndDown: "move up and down"
    case .forwardsAndBack: "move forwards and back"
    case .sidewaysAndUp: "move both from side to side and up and down"
    case .around: "move around, sideways and forwards"
    }
  }
}
