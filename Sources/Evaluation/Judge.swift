import Foundation
import Geometry
import SensorData

/// Evaluates the results of a run against ground truth, whatever estimator made them.
///
/// Keeps all input until the end, about 250 bytes per update or pose: alignment needs the whole trajectory first. Without ground truth it
/// keeps no poses, and of updates those at which status, reasons or the presence of an angle change.
package struct Judge: Sendable {
  /// The errors of a run.
  package struct Errors: Sendable {
    /// Errors of the trajectory; nil where nothing can be compared.
    package var trajectory: TrajectoryErrors?
    /// Per peer.
    package var peers: [String: PeerErrors]
    /// Errors of the ideal observer on the same ranges; empty where it was not run.
    package var ideal: [String: IdealErrors] = [:]
  }

  private let truth: TruthTrajectory
  private let peers: TruthPeers
  private let bodyFromDevice: Pose
  private let sharesWorld: Bool
  private var poses: [EstimatedPose] = []
  private var worlds: [Timestamp] = []
  private var updates: [String: [JudgedUpdate]] = [:]
  /// Ranges of each peer by use.
  private var ranges: [String: [String: Int]] = [:]

  /// A judge for one recording.
  ///
  /// - Parameter sharesWorld: the run was initialised from the ground truth, in its world.
  package init(truth: TruthTrajectory, peers: TruthPeers, bodyFromDevice: Pose, sharesWorld: Bool = false) {
    self.truth = truth
    self.peers = peers
    self.bodyFromDevice = bodyFromDevice
    self.sharesWorld = sharesWorld
  }

  /// Records a pose of the estimated trajectory and, where reported, its covariance.
  package mutating func record(_ timestamp: Timestamp, worldFromBody: Pose, covariance: PoseCovariance? = nil) {
    guard !truth.isEmpty else { return }
    poses.append(EstimatedPose(timestamp: timestamp, worldFromBody: worldFromBody, covariance: covariance))
  }

  /// Records that the trajectory restarted: from this time on its poses are in another world. In time order.
  package mutating func beginWorld(at timestamp: Timestamp) { worlds.append(timestamp) }

  /// Records an update of a peer.
  package mutating func record(_ update: JudgedUpdate, peer: String) {
    if let use = update.rangeUse { ranges[peer, default: [:]][use, default: 0] += 1 }
    updates[peer, default: []].appendJudged(update, keepsAll: !truth.isEmpty)
  }

  /// The judge of another solver's answers on the same path, by the same moments: who says nothing when the recorded
  /// updates begin or end is silent then, and is priced for it.
  package func beside(_ answers: [String: [JudgedUpdate]]) -> Judge {
    var other = self
    other.ranges = [:]
    other.updates = [:]
    for (peer, own) in updates {
      guard let first = own.first?.timestamp, let last = own.last?.timestamp else { continue }
      var theirs = (answers[peer] ?? []).filter { $0.timestamp >= first && $0.timestamp <= last }
      theirs.sort { $0.timestamp < $1.timestamp }
      if theirs.first?.timestamp != first { theirs.insert(JudgedUpdate(timestamp: first, status: "unknown"), at: 0) }
      if theirs.last?.timestamp != last { theirs.append(JudgedUpdate(timestamp: last, status: "unknown")) }
      other.updates[peer] = theirs
    }
    return other
  }

  /// The errors of everything recorded.
  package func errors() -> Errors {
    let trajectory = TrajectoryErrors(poses, truth: truth, sharesWorld: sharesWorld, worlds: worlds)
    var result: [String: PeerErrors] = [:]
    for (peer, updates) in updates {
      result[peer] = PeerErrors(
        peer: peer, updates: updates, truth: truth, peers: peers, bodyFromDevice: bodyFromDevice,
        alignment: trajectory?.alignment)
      result[peer]?.ranges = ranges[peer] ?? [:]
    }
    return Errors(trajectory: trajectory, peers: result)
  }
}

extension [JudgedUpdate] {
  /// Appends an update; where not all are kept it replaces the last one if the two before it say the same.
  fileprivate mutating func appendJudged(_ update: JudgedUpdate, keepsAll: Bool) {
    if !keepsAll, count >= 2, self[count - 1].saysTheSame(as: update), self[count - 2].saysTheSame(as: update) {
      self[count - 1] = update
    } else {
      append(update)
    }
  }
}

extension JudgedUpdate {
  fileprivate func saysTheSame(as other: JudgedUpdate) -> Bool {
    status == other.status && reasons == other.reasons && (horizontalAngle == nil) == (other.horizontalAngle == nil)
  }
}

/// The published values of one update that are evaluated.
package struct JudgedUpdate: Equatable, Sendable {
  /// When.
  package var timestamp: Timestamp
  /// Metres.
  package var distance: Double?
  /// Its 1-sigma, metres.
  package var distanceStandardDeviation: Double?
  /// The published angle, radians.
  package var horizontalAngle: Double?
  /// Its 90 % interval, radians.
  package var horizontalAngleInterval: ClosedRange<Double>?
  /// `unknown`, `same`, `above`, `below`, `aboveOrBelow`.
  package var verticalDirectionEstimate: String
  /// The peer in the estimate's world, metres.
  package var worldPosition: Vector3?
  /// Its covariance, m^2.
  package var positionCovariance: Matrix3?
  /// `unknown`, `notConverged`, `converged`.
  package var status: String
  /// Most important first.
  package var reasons: [String]
  /// Use of the update's range: `used`, `rejected`, `kept`; nil for an update without one.
  package var rangeUse: String?
  /// Whether the status was `converged`.
  package var isConverged: Bool { status == "converged" }

  /// An update from its parts.
  package init(
    timestamp: Timestamp, distance: Double? = nil, distanceStandardDeviation: Double? = nil,
    horizontalAngle: Double? = nil,
    horizontalAngleInterval: ClosedRange<Double>? = nil, verticalDirectionEstimate: String = "unknown",
    worldPosition: Vector3? = nil, positionCovariance: Matrix3? = nil, status: String = "notConverged",
    reasons: [String] = [], rangeUse: String? = nil
  ) {
    self.timestamp = timestamp
    self.distance = distance
    self.distanceStandardDeviation = distanceStandardDeviation
    self.horizontalAngle = horizontalAngle
    self.horizontalAngleInterval = horizontalAngleInterval
    self.verticalDirectionEstimate = verticalDirectionEstimate
    self.worldPosition = worldPosition
    self.positionCovariance = positionCovariance
    self.status = status
    self.reasons = reasons
    self.rangeUse = rangeUse
  }
}

/// What ground truth says about a peer's stated uncertainty.
package struct Honesty: Equatable, Sendable {
  /// The answer.
  package enum Answer: String, Sendable {
    /// The intervals of angle and distance hold the truth as often as they should, or more often.
    case honest
    /// One of them does not, or an update was converged and wrong.
    case overConfident = "over-confident"
    /// Nothing to compare with, or only one of angle and distance.
    case unknown
  }

  /// The answer.
  package var answer: Answer
  /// What is over-confident, each with its figure.
  package var faults: [String] = []

  /// Smallest share of 90 % intervals that hold the truth, of a peer that is honest.
  package static let leastCoverage = 0.85

  /// What a peer's errors say; nil: there is no ground truth.
  package init(_ errors: PeerErrors?) {
    guard let errors, errors.judged > 0 else {
      answer = .unknown
      return
    }
    if let coverage = errors.coverage90, coverage < Self.leastCoverage {
      // The truth of real recordings errs by about a degree: what that could explain is said.
      let tolerant = errors.coverage90Tolerant ?? coverage
      let near = tolerant > coverage + 0.05 ? " (\(Self.percent(tolerant)) within 1.5°)" : ""
      faults.append("\(Self.percent(coverage)) of the angle's 90 % intervals hold the truth\(near)")
    }
    if let coverage = errors.distanceCoverage90, coverage < Self.leastCoverage {
      faults.append("\(Self.percent(coverage)) of the distance's 90 % intervals hold the truth")
    }
    if let nees = errors.positionNEES.mean, nees > NormalizedErrors.band.upperBound {
      faults.append("position NEES \(String(format: "%.1f", nees)), expected 3")
    }
    if errors.falseConverged > 0 {
      faults.append("\(errors.falseConverged) of \(errors.converged) converged updates wrong")
    }
    let isWhole = errors.coverage90 != nil && errors.distanceCoverage90 != nil
    answer = !faults.isEmpty ? .overConfident : isWhole ? .honest : .unknown
  }

  private static func percent(_ share: Double) -> String { String(format: "%.0f %%", 100 * share) }
}
