import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import RunResults
import Wording

/// The outcome of a peer, in one sentence.
package enum Headline {
  /// The sentence of one peer: its final position, time of convergence and error.
  ///
  /// - Parameters:
  ///   - last: its last update.
  ///   - convergedAt: when its status first was `converged`, seconds from the start; nil when it never was.
  ///   - errors: its errors against ground truth.
  ///   - setUp: the verdict on it; of a broken set-up the cause is the outcome.
  package static func of(
    last: UpdateRecord, convergedAt: Double?, errors: PeerErrors?, setUp: RunVerdict = RunVerdict([])
  ) -> String {
    if setUp.state == .broken, let cause = setUp.cause {
      let said = "\(cause.sentence): \(cause.remedy)"
      if cause.family == "truth" { return "\(position(last)); \(convergence(last, convergedAt)); but \(said)" }
      return said + (last.distance.map { "; the radio says \(Words.fixed($0, 1)) m" } ?? "")
    }
    return [position(last), convergence(last, convergedAt), truth(last, errors)].compactMap { $0 }.joined(
      separator: "; ")
  }

  private static func position(_ update: UpdateRecord) -> String {
    guard let distance = update.distance else { return "ranges received, but no distance" }
    var parts = ["\(Words.fixed(distance, 1)) m away"]
    parts.append(update.horizontalAngle.map { side($0.value) } ?? "direction not known")
    switch update.verticalDirectionEstimate {
    case "same": parts.append("on our level")
    case "above": parts.append("above us")
    case "below": parts.append("below us")
    case "aboveOrBelow": parts.append("above or below us")
    default: break
    }
    return parts.joined(separator: ", ")
  }

  private static func side(_ angle: Double) -> String {
    let degrees = Int(abs(Angle.inDegrees(angle)).rounded())
    let words = Words.side(angle)
    return degrees == 0 || degrees == 180
      ? words : "\(Words.count(degrees, "degree")) \(angle < 0 ? "left" : "right")"
  }

  private static func convergence(_ last: UpdateRecord, _ convergedAt: Double?) -> String {
    if let convergedAt {
      let lost = last.status == "converged" ? "" : ", but not at the end"
      return "converged after \(Words.fixed(convergedAt, 1)) s\(lost)"
    }
    return last.guidance.map { "not converged: \($0.prefix(1).lowercased())\($0.dropFirst().trimmedStop)" }
      ?? "not converged"
  }

  private static func truth(_ last: UpdateRecord, _ errors: PeerErrors?) -> String? {
    if last.horizontalAngle != nil, let angle = errors?.angle {
      return "the angle was \(Words.fixed(Angle.inDegrees(angle.final), 1)) degrees off"
    }
    guard last.distance != nil else { return nil }
    return errors?.distance.map { "the distance was \(Words.fixed($0.final, 2)) m off" }
  }
}

extension Substring {
  /// Without a full stop at the end.
  fileprivate var trimmedStop: Substring { hasSuffix(".") ? dropLast() : self }
}

/// The headline figures of a run, each with an explanation.
enum Facts {
  /// Figures of the trajectory and of one peer; unknown ones are left out.
  ///
  /// - Parameter last: the peer's last update: only what it publishes has an error at the end.
  static func json(_ trajectory: TrajectoryErrors?, _ peer: PeerErrors?, last: UpdateRecord) -> JSONValue {
    .array(
      [
        peer.flatMap(coverage), peer.flatMap(distanceCoverage), peer.flatMap(falseConverged), peer.flatMap(angle),
        peer.flatMap { position($0, last) },
        trajectory.map(path), trajectory.flatMap { nees("trajectory NEES", $0.positionNEES, $0.attitudeNEES) },
      ].compactMap { $0 })
  }

  private static func fact(
    _ name: String, _ value: String, _ note: String, _ help: String, bad: Bool = false, isDevices: Bool = false
  ) -> JSONValue {
    [
      "name": .string(name), "value": .string(value), "note": .string(note), "help": .string(help), "bad": .bool(bad),
      "isDevices": .bool(isDevices),
    ]
  }

  private static func coverage(_ errors: PeerErrors) -> JSONValue? {
    errors.coverage90.map {
      fact(
        "angle coverage", "\(Words.fixed(100 * $0, 0)) %",
        "of \(Words.count(errors.angleCoverage.intervals, "interval"))",
        "Fraction of the published 90 % intervals of the angle that contain the true angle. " + consistent,
        bad: $0 < Honesty.leastCoverage)
    }
  }

  private static func distanceCoverage(_ errors: PeerErrors) -> JSONValue? {
    errors.distanceCoverage90.map {
      fact(
        "distance coverage", "\(Words.fixed(100 * $0, 0)) %",
        "of \(Words.count(errors.distanceCoverage.intervals, "interval"))",
        "Fraction of the published distances that are within half of their 90 % interval of the true distance. "
          + consistent, bad: $0 < Honesty.leastCoverage)
    }
  }

  private static let consistent = "85 to 95 % is consistent; more is conservative, less is over-confident."

  private static func falseConverged(_ errors: PeerErrors) -> JSONValue? {
    guard errors.judged > 0 else { return nil }
    return fact(
      "false converged", errors.converged > 0 ? "\(errors.falseConverged)" : "none",
      errors.converged > 0 ? "of \(Words.count(errors.converged, "converged update"))" : "never converged",
      "Updates with status 'converged' and an angle error over 20 degrees (peer at least 1 m away "
        + "horizontally) or a position error over 1.5 m.", bad: errors.falseConverged > 0)
  }

  private static func angle(_ errors: PeerErrors) -> JSONValue? {
    errors.angle.map {
      fact(
        "angle error", "\(Words.fixed(Angle.inDegrees($0.median), 1))°",
        "median, \(Words.fixed(Angle.inDegrees($0.percentile90), 1))° in nine of ten",
        "Error of the published horizontal angle, over all updates with an angle.")
    }
  }

  private static func position(_ errors: PeerErrors, _ last: UpdateRecord) -> JSONValue? {
    errors.position.map {
      let nees = errors.positionNEES.mean.map { ", NEES \(Words.fixed($0, 1))" } ?? ""
      let isAtEnd = last.worldPosition != nil
      return fact(
        "position error", "\(Words.fixed(isAtEnd ? $0.final : $0.median, 2)) m",
        (isAtEnd ? "at the end" : "median; none at the end") + nees,
        "Distance of the published position of the peer from the true one, after alignment of the worlds in yaw and "
          + "translation. NEES: squared error normalised by its covariance, mean 3 when consistent.",
        bad: (errors.positionNEES.mean ?? 0) > NormalizedErrors.band.upperBound)
    }
  }

  private static func path(_ errors: TrajectoryErrors) -> JSONValue {
    fact(
      "ATE", "\(Words.fixed(errors.ateYawAligned, 3)) m", "over \(Words.fixed(errors.pathLength, 1)) m",
      "Absolute trajectory error: root mean square distance of the device's estimated trajectory from the true one, "
        + "after alignment in yaw and translation.", isDevices: true)
  }

  private static func nees(_ name: String, _ position: NormalizedErrors, _ attitude: NormalizedErrors) -> JSONValue? {
    guard let p = position.mean, let a = attitude.mean else { return nil }
    return fact(
      name, Words.fixed(p, 1), "position; attitude \(Words.fixed(a, 1))",
      "Normalised estimation error squared, mean over the run: squared error normalised by the reported covariance, "
        + "worlds aligned at the first pose. 3 when consistent, less is conservative, more is over-confident.",
      bad: max(p, a) > NormalizedErrors.band.upperBound, isDevices: true)
  }
}

/// Nested values as rows of name and text, for the tables at the end of the page.
enum FoldOut {
  /// Rows `[name, text]`, names joined by dots; none for nil.
  static func rows(_ value: JSONValue?) -> JSONValue { .array(value.map { rows($0, name: "") } ?? []) }

  private static func rows(_ value: JSONValue, name: String) -> [JSONValue] {
    switch value {
    case .object(let members):
      members.flatMap { rows($0.value, name: name.isEmpty ? $0.key : "\(name).\($0.key)") }
    default: [.array([.string(name), .string(text(value))])]
    }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text
    case .array(let values): values.map(text).joined(separator: ", ")
    default: value.line
    }
  }
}
