import Foundation
import Geometry

/// Which of several peers the phone points at: the one nearest to its axis. Hysteresis prevents alternating between
/// neighbours; a peer whose angle is missing, or beyond the cone, for a moment is kept. A pure state machine.
public struct PointingQuery: Equatable, Sendable {
  /// A peer, seen from the phone.
  public struct Candidate: Equatable, Sendable {
    /// Its name.
    public var peer: String
    /// Angle off the axis that points, radians; the sign does not matter.
    public var angle: Double
    /// Metres; the nearer of two at one angle wins.
    public var distance: Double?

    /// A candidate from its parts.
    public init(peer: String, angle: Double, distance: Double? = nil) {
      self.peer = peer
      self.angle = angle
      self.distance = distance
    }

    /// A peer from its measured directions: off the back camera's axis by its direction (unit vector, device axes),
    /// else by its horizontal angle, radians; nil when neither is known.
    public init?(peer: String, direction: Vector3?, horizontalAngle: Double?, distance: Double?) {
      let off = direction.map { acos(max(-1, min(1, -$0.z))) }
      guard let angle = off ?? horizontalAngle else { return nil }
      self.init(peer: peer, angle: angle, distance: distance)
    }

    /// A peer as an update shows it; nil when neither its direction nor its horizontal angle is known.
    public init?(_ object: NearbyObject) {
      self.init(
        peer: object.peer, direction: object.direction, horizontalAngle: object.horizontalAngle?.value,
        distance: object.distance)
    }
  }

  /// Largest angle off the axis of a peer that is pointed at, radians.
  public var cone: Double
  /// Another peer must be nearer to the axis by this much, radians.
  public var margin: Double
  /// How long a peer whose angle is no longer known, or beyond the cone with nobody else in it, stays pointed at, seconds.
  public var patience: Double
  /// Who is pointed at; nil for nobody.
  public private(set) var selected: String?
  /// When its angle was last known, seconds.
  private var lastSeen = -Double.infinity

  /// Nobody yet; 20 degrees of cone, 5 of margin, half a second of patience.
  public init(cone: Double = .pi / 9, margin: Double = .pi / 36, patience: Double = 0.5) {
    self.cone = cone
    self.margin = margin
    self.patience = patience
  }

  /// The candidates inside the cone, best first: by angle, then distance, then name.
  public func ranking(_ candidates: [Candidate]) -> [Candidate] {
    candidates.filter { $0.angle.isFinite && abs($0.angle) <= cone }.sorted {
      (abs($0.angle), $0.distance ?? .infinity, $0.peer) < (abs($1.angle), $1.distance ?? .infinity, $1.peer)
    }
  }

  /// Updates with the candidates at `time`, seconds, and returns the peer that is pointed at.
  public mutating func update(_ candidates: [Candidate], at time: Double) -> String? {
    let held = candidates.first { $0.peer == selected && $0.angle.isFinite }
    let isPatient = selected != nil && time - lastSeen <= patience
    if held == nil, isPatient { return selected }
    let choice = choice(candidates, held)
    // A range may move an estimate out of the cone and the next one back.
    if choice == nil, isPatient { return selected }
    selected = choice
    lastSeen = time
    return selected
  }

  private func choice(_ candidates: [Candidate], _ held: Candidate?) -> String? {
    let best = ranking(candidates).first
    if let held, abs(held.angle) <= margin + (best.map { abs($0.angle) } ?? cone) { return held.peer }
    return best?.peer
  }
}
