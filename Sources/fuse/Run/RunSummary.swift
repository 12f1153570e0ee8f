import Evaluation
import Foundation
import Geometry
import PrecisionFinding
import Premises
import Report
import RunResults
import SensorData

/// The final lines of a run: results, and their errors where there is ground truth.
enum RunSummary {
  /// Lines of text.
  ///
  /// - Parameters:
  ///   - besides: what is refuted beside the finder's premises: clocks that share no time, ground truth.
  ///   - losses: input that could not be used.
  static func lines(
    peers: [String: PeerOutcome], errors: Judge.Errors?, start: Timestamp, summary: FinderSummary,
    besides: [Diagnosis], losses: [String]
  ) -> [String] {
    var lines: [String] = [""]
    if let waitingFor = summary.waitingFor { lines.append("no trajectory: still waiting for \(waitingFor)") }
    if peers.isEmpty { lines.append(summary.lateRanges > 0 ? "no ranges arrived in time" : "no ranges received") }
    for (peer, outcome) in peers.sorted(by: { $0.key < $1.key }) {
      guard let last = outcome.last else { continue }
      lines.append("\(peer): \(found(last.object))")
      let next = last.convergence.status == .converged ? nil : last.guidance
      lines.append("  " + ([convergence(outcome, start: start)] + [next].compactMap { $0 }).joined(separator: " · "))
      if let refused = summary.peers[peer].flatMap(Self.refused) { lines.append("  " + refused) }
      if let time = outcome.aoaInconsistent {
        lines.append(
          "  AoA ignored from \(Words.fixed(time.seconds(since: start), 1)) s on, inconsistent with the ranges:"
            + " check the array's mounting and sign convention")
      }
      if let peerErrors = errors?.peers[peer], peerErrors.judged > 0 {
        lines += truth(peerErrors, last.object).map { "  " + $0 }
        let faults = Honesty(peerErrors).faults
        if !faults.isEmpty { lines.append("  OVER-CONFIDENT: " + faults.joined(separator: "; ")) }
      }
    }
    if let errors = errors?.trajectory {
      lines.append(
        "trajectory: \(Words.fixed(errors.ateYawAligned, 3)) m RMS error over \(Words.fixed(errors.pathLength, 1)) m "
          + "(\(Words.fixed(errors.ateSE3, 3)) m all aligned, attitude \(Words.fixed(Angle.inDegrees(errors.attitude), 1))°)"
      )
    }
    return (lines + besides.map(\.words) + losses).flatMap(wrapped)
  }

  /// A line broken at the story's width; what follows is indented by two more.
  static func wrapped(_ line: String) -> [String] {
    guard line.count > Story.width else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    let pieces = WrappedText.lines(line, width: Story.width - indent.count - 2)
    return pieces.enumerated().map { indent + ($0.offset == 0 ? "" : "  ") + $0.element }
  }

  private static func found(_ object: NearbyObject) -> String {
    var parts: [String] = []
    if object.distance != nil { parts.append(Story.distance(object)) }
    if object.horizontalAngle != nil { parts.append(Story.angle(object)) }
    switch object.verticalDirectionEstimate {
    case .same: parts.append("on our level")
    case .above: parts.append("above us")
    case .below: parts.append("below us")
    case .aboveOrBelow: parts.append("above or below us")
    case .unknown: break
    }
    if let world = object.worldPosition {
      let p = world.position
      let radius = NinetyPercent.radius(world.covariance)
      parts.append(
        "at (\(Words.fixed(p.x, 2)), \(Words.fixed(p.y, 2)), \(Words.fixed(p.z, 2))) ± \(Words.fixed(radius, 2)) m")
    }
    return parts.isEmpty ? "nothing known" : parts.joined(separator: ", ")
  }

  /// The share of ranges that were refused, where it is over a twentieth.
  private static func refused(_ peer: FinderSummary.Peer) -> String? {
    let count = peer.rangesUsed + peer.rangesRejected
    guard 20 * peer.rangesRejected > count else { return nil }
    let share = Words.fixed(100 * Double(peer.rangesRejected) / Double(count), 0)
    return
      "\(share) % of \(Words.count(count, "range")) refused: NLOS, outliers, or not where the posterior expects them"
  }

  private static func convergence(_ outcome: PeerOutcome, start: Timestamp) -> String {
    func seconds(_ time: Timestamp) -> String { "\(Words.fixed(time.seconds(since: start), 1)) s" }
    if let time = outcome.firstConverged {
      let lost = outcome.last?.convergence.status == .converged ? "" : ", not at the end"
      return "converged after \(seconds(time))\(lost)"
    }
    if let time = outcome.firstAngle { return "not converged; first angle after \(seconds(time))" }
    return "not converged"
  }

  /// Errors at the end, of what was published there, and figures of the whole run.
  private static func truth(_ errors: PeerErrors, _ last: NearbyObject) -> [String] {
    var parts: [String] = []
    if last.distance != nil, let distance = errors.distance {
      parts.append("distance \(Words.fixed(distance.final, 2)) m")
    }
    if last.horizontalAngle != nil, let angle = errors.angle {
      parts.append("angle \(Words.fixed(Angle.inDegrees(angle.final), 1))°")
    }
    if last.worldPosition != nil, let position = errors.position {
      parts.append("position \(Words.fixed(position.final, 2)) m")
    }
    var figures: [String] = []
    if let coverage = errors.coverage90 {
      let share = Words.fixed(100 * coverage, 0)
      figures.append("\(share) % of \(Words.count(errors.intervals, "interval")) hold the true angle")
    }
    if let coverage = errors.distanceCoverage90 {
      let share = "\(Words.fixed(100 * coverage, 0)) % of \(errors.distanceIntervals)"
      figures.append(figures.isEmpty ? "\(share) intervals hold the true distance" : "\(share) the true distance")
    }
    if errors.converged > 0 {
      figures.append("\(errors.falseConverged) of \(errors.converged) converged updates false")
    }
    return [
      "against truth, at the end: " + (parts.isEmpty ? "nothing to compare" : parts.joined(separator: ", ") + " off")
    ]
      + (figures.isEmpty ? [] : [figures.joined(separator: "; ")])
  }
}
