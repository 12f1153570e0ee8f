import Datasets
import Evaluation
import Foundation
import Geometry

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
