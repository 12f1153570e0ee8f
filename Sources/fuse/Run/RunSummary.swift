import Datasets
import Estimator
import Evaluation
import Foundation
import Geometry
import Importing
import PrecisionFinding
import Premises
import Report
import RunResults
import SensorData
import Wording

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
      figures.append("\(share) % of \(Words.count(errors.angleCoverage.intervals, "interval")) hold the true angle")
    }
    if let coverage = errors.distanceCoverage90 {
      let share = "\(Words.fixed(100 * coverage, 0)) % of \(errors.distanceCoverage.intervals)"
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

/// Input that a run read and could not use, one line per kind of loss. Damaged rows have their own lines:
/// `DamageWords`.
package struct LossWords {
  /// The finder's summary.
  package var summary: FinderSummary
  /// How many ranges were read.
  package var ranges: Int
  /// The finder's `reorderWindow`, seconds.
  package var window: Double
  /// Unused frames after the trajectory's beginning.
  package var frames: Int
  /// Values left out of the files.
  package var nonFinite: Int

  /// Losses from their parts.
  package init(_ summary: FinderSummary, ranges: Int, window: Double, frames: Int, nonFinite: Int) {
    self.summary = summary
    self.ranges = ranges
    self.window = window
    self.frames = frames
    self.nonFinite = nonFinite
  }

  /// Lines of text.
  package var lines: [String] {
    let others = summary.lateEvents - summary.lateRanges
    var lines = late
    if others > 0 { lines.append("\(Words.count(others, "other event")) came later than the reorder window: not used") }
    if summary.unusableEvents > 0 {
      lines.append("\(Words.count(summary.unusableEvents, "event")) came twice or without numbers: not used")
    }
    if frames > 0 { lines.append("\(Words.count(frames, "frame")) came while the trajectory was lost: not used") }
    if nonFinite > 0 { lines.append("\(Words.count(nonFinite, "result")) not finite: left out") }
    return lines
  }

  private var late: [String] {
    guard summary.lateRanges > 0 else { return [] }
    let text = "\(summary.lateRanges) of \(Words.count(ranges, "range")) came later than the reorder window"
    let (asked, worst) = (Words.fixed(1000 * window, 0), Words.fixed(1000 * summary.latestRange, 0))
    // Rounded up to 0.05 s, so that the advised window suffices.
    let needed = Words.fixed((summary.latestRange * 20).rounded(.up) / 20, 2)
    return [
      "\(text) of \(asked) ms: not used. The latest was late by \(worst) ms;",
      "  'reorderWindow: \(needed)' in a --config file waits for them",
    ]
  }
}

extension EventCounts {
  /// Dropped frames of the first camera after the trajectory's beginning.
  ///
  /// - Parameter offset: time offset of the camera's clock, seconds.
  func lostFrames(_ summary: FinderSummary, offset: Double) -> Int {
    guard let began = summary.trajectoryBegan else { return 0 }
    let early = frameTimes.count { $0.advanced(bySeconds: offset) < began }
    return max(summary.framesDropped - (frames - frameTimes.count) - early, 0)
  }
}

extension Diagnosis {
  /// What was found, on which evidence, and what to do; the same in every command.
  var words: String {
    "\(isHandled ? "note" : "PREMISE") \(code): \(sentence); \(evidence). \(remedy)"
  }
}

extension Recording {
  /// What the sensors' times refute of their common clock.
  func clockDiagnoses() throws(DatasetError) -> [Diagnosis] {
    try spans().findings.filter(\.isFault).map {
      Diagnosis(
        code: "clockOverlap", family: .time, sentence: $0.sentence, evidence: $0.evidence, remedy: $0.remedy)
    }
  }
}

extension MotionCheck {
  /// Diagnoses of a run with their cause in place of what it brings about, where that is inverted rotations or an unstated mount; and as a doubt a device that
  /// travels beside an "ahead" that nothing states.
  func judged(_ diagnoses: [Diagnosis]) -> (diagnoses: [Diagnosis], doubts: [RunVerdict.Finding]) {
    let found = found(beside: diagnoses)
    let causes = found.findings.filter { $0.weight == .fault }.map {
      Diagnosis(code: $0.code, family: .odometry, sentence: $0.sentence, evidence: $0.evidence, remedy: $0.remedy)
    }
    // Axes in a world that is not z up say nothing.
    let isUpright = !diagnoses.contains { $0.code == "odometryConvention" }
    let doubts = found.findings.filter { $0.weight != .fault && !statesDevice && isUpright }.map {
      RunVerdict.Finding(
        state: .doubtful, code: $0.code, family: Diagnosis.Family.odometry.rawValue, sentence: $0.sentence,
        remedy: $0.remedy)
    }
    return (diagnoses.filter { !found.explains($0.code) } + causes, doubts)
  }
}

extension TruthConsistency {
  /// What the data refute about the truth, where other premises are refuted already.
  func diagnoses(after found: [Diagnosis]) -> [Diagnosis] {
    // An inertial unit that is turned against the tracker is no witness of the truth's attitudes.
    let families = found.filter { !$0.isHandled }.map { $0.code == "imuMount" ? Diagnosis.Family.imu : $0.family }
    return diagnoses(refuted: Set(families))
  }
}

extension CalibrationDocument {
  /// A line of text; each ± is 90 %.
  static func words(_ estimate: CalibrationEstimate) -> String {
    let camera = estimate.camera, sigmas = estimate.intrinsics
    func half(_ sigma: Double, _ decimals: Int) -> String {
      "± " + Words.fixed(NinetyPercent.halfWidth(sigma), decimals)
    }
    func pixels(_ value: Double, _ sigma: Double) -> String { "\(Words.fixed(value, 1)) \(half(sigma, 1))" }
    let lens =
      "focal lengths \(pixels(camera.fx, sigmas[0])), \(pixels(camera.fy, sigmas[1])) px, centre "
      + "\(pixels(camera.cx, sigmas[2])), \(pixels(camera.cy, sigmas[3])) px"
    let clock =
      "time offset \(Words.fixed(1000 * camera.timeOffset, 1)) \(half(1000 * estimate.timeOffset, 1)) ms"
    let mount =
      "mount \(half(Angle.inDegrees(estimate.rotation.max() ?? 0), 2))°, "
      + "\(half(1000 * (estimate.translation.max() ?? 0), 0)) mm"
    let learnt = estimate.learnt.isEmpty ? "nothing" : estimate.learnt.map(\.rawValue).joined(separator: ", ")
    return "calibration: \(lens); \(clock); \(mount); learnt: \(learnt)"
  }
}

/// Skipped rows, in words.
enum DamageWords {
  /// A line per file with bad rows.
  static func lines(_ damage: [FileDamage]) -> [String] {
    damage.filter { $0.total > 0 }.map { file in
      let kinds = file.counts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
      return
        "\(file.path): \(file.total) of \(Words.count(file.rows, "row")) skipped (\(kinds.joined(separator: ", ")))"
    }
  }
}
