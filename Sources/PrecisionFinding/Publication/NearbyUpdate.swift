import Geometry
import SensorData

/// One update for one peer: its position and how far that can be relied on.
public struct NearbyUpdate: Equatable, Sendable {
  /// Time of the estimate; it uses data up to this time and the reorder window only.
  public var timestamp: Timestamp
  /// Where the peer is.
  public var object: NearbyObject
  /// How far that can be relied on.
  public var convergence: Convergence
  /// What the user should do now; nil when converged.
  public var guidance: String?
  /// Details beyond Nearby Interaction's, by name, sorted when written: probabilities, progress, causes.
  public var details: [String: Detail]

  /// A detail's value.
  public enum Detail: Equatable, Sendable {
    /// A number, SI units.
    case number(Double)
    /// A word.
    case text(String)
    /// Several words.
    case list([String])
    /// Obstacles, most important first.
    case obstacles([ObstacleProgress])
  }

  /// An obstacle and how far it is overcome.
  public struct ObstacleProgress: Equatable, Sendable {
    /// Its machine-readable name: an obstacle's, or the code of a diagnosis.
    public var code: String
    /// 0...1; nil where it has no measure.
    public var progress: Double?

    /// The obstacle; nil for a diagnosis.
    public var obstacle: PublicationObstacle? { PublicationObstacle(rawValue: code) }

    /// An obstacle from its parts.
    public init(_ obstacle: PublicationObstacle, progress: Double? = nil) {
      code = obstacle.rawValue
      self.progress = progress
    }

    /// A refuted premise, by the code of its diagnosis.
    public init(code: String) {
      self.code = code
      progress = nil
    }
  }

  /// An update from its parts.
  public init(
    timestamp: Timestamp, object: NearbyObject, convergence: Convergence, guidance: String? = nil,
    details: [String: Detail] = [:]
  ) {
    self.timestamp = timestamp
    self.object = object
    self.convergence = convergence
    self.guidance = guidance
    self.details = details
  }
}

/// Where one peer is, seen from the device, at one moment. Every value that is not known is nil.
public struct NearbyObject: Equatable, Sendable {
  /// An angle with the 90 % credible interval around it, radians; `low <= high`, and `high` may pass pi.
  public struct AngleEstimate: Equatable, Sendable {
    /// The estimate: 0 straight ahead, positive right, (-pi, pi].
    public var value: Double
    /// 1-sigma.
    public var standardDeviation: Double
    /// Lower end of the 90 % interval.
    public var low: Double
    /// Upper end of the 90 % interval.
    public var high: Double

    /// An angle from its parts.
    public init(value: Double, standardDeviation: Double, low: Double, high: Double) {
      self.value = value
      self.standardDeviation = standardDeviation
      self.low = low
      self.high = high
    }
  }

  /// A peer's position in the estimate's world (z up), metres, and its covariance, m^2.
  public struct WorldPosition: Equatable, Sendable {
    /// Its position.
    public var position: Vector3
    /// The covariance.
    public var covariance: Matrix3

    /// A position from its parts.
    public init(position: Vector3, covariance: Matrix3) {
      self.position = position
      self.covariance = covariance
    }
  }

  /// Which peer.
  public var peer: String
  /// Metres from the device's origin, estimated bias removed.
  public var distance: Double?
  /// 1-sigma of the distance, metres.
  public var distanceStandardDeviation: Double?
  /// Unit vector in device axes: x right, y up, -z out of the back camera.
  public var direction: Vector3?
  /// Azimuth in the horizontal plane, from straight ahead.
  public var horizontalAngle: AngleEstimate?
  /// Whether the peer is on our level.
  public var verticalDirectionEstimate: VerticalDirectionEstimate
  /// The position in the estimate's world; nil until it is known well enough.
  public var worldPosition: WorldPosition?
  /// Which data the estimate rests on.
  public var quality: TrackingQuality

  /// An object without an estimate yet.
  public init(peer: String, quality: TrackingQuality = .imprecise) {
    self.peer = peer
    self.verticalDirectionEstimate = .unknown
    self.quality = quality
  }
}

/// Whether the outputs for a peer (or the session itself) can be relied on, and if not, why.
public struct Convergence: Equatable, Sendable {
  /// Why it is not converged: Nearby Interaction's five reasons. Each names what a user can do about it.
  public enum Reason: String, Sendable, CaseIterable {
    /// No direction is observed yet: move around. Nulls the horizontal angle and the vertical estimate.
    case insufficientMovement
    /// The motion so far leaves an ambiguity: sweep sideways. Nulls the horizontal angle and the vertical estimate.
    case insufficientHorizontalSweep
    /// The vertical position is not resolved: move up and down. Nulls only the vertical estimate and the world
    /// transform.
    case insufficientVerticalSweep
    /// The camera contributes too little. Nulls the horizontal angle and the vertical estimate.
    case insufficientLighting
    /// Too few usable ranges.
    case insufficientSignalStrength

    /// Whether a motion of the user helps.
    package var isMotion: Bool {
      switch self {
      case .insufficientMovement, .insufficientHorizontalSweep, .insufficientVerticalSweep: true
      case .insufficientLighting, .insufficientSignalStrength: false
      }
    }

    /// What the user should do, one plain sentence.
    public var guidance: String {
      switch self {
      case .insufficientMovement: "Move around a little."
      case .insufficientHorizontalSweep: "Move your phone from side to side."
      case .insufficientVerticalSweep: "Move your phone up and down."
      case .insufficientLighting: "More light is needed: turn on a light or uncover the camera."
      case .insufficientSignalStrength: "The signal is weak: move closer, with nothing in between."
      }
    }
  }

  /// The state of convergence.
  public enum Status: String, Sendable {
    /// There is nothing to evaluate yet.
    case unknown
    /// Something is missing; `reasons` says what.
    case notConverged
    /// Horizontal angle, vertical class and world transform are published and no competing mode is left.
    case converged
  }

  /// The status.
  public var status: Status
  /// What is missing, most important first; empty unless the status is `notConverged`.
  public var reasons: [Reason]
  /// The reason to ask for instead of the first. Beside an angle only a vertical sweep may be missing, yet moving
  /// sideways may narrow the position more. No motion helps while no ranges come. Nil: the first reason.
  public var asked: Reason?

  /// A convergence from its parts.
  public init(status: Status, reasons: [Reason] = [], asked: Reason? = nil) {
    self.status = status
    self.reasons = reasons
    self.asked = asked
  }

  /// What the user should do now; nil when there is nothing to ask for.
  public var guidance: String? { request?.guidance }

  /// The guidance of the first obstacle with the requested reason, where it has one of its own; else `guidance`.
  package func guidance(found: [PublicationObstacle]) -> String? {
    request.flatMap { request in found.first { $0.reason == request }?.guidance } ?? guidance
  }

  /// The reason whose remedy the guidance names; nil when there is nothing to ask for.
  package var request: Reason? { status == .converged ? nil : asked ?? reasons.first }
}

/// Whether a peer is on the same level. Raw values are Apple's (`NINearbyObject.VerticalDirectionEstimate`).
public enum VerticalDirectionEstimate: Int, Sendable, CaseIterable {
  /// Not known, or not known yet.
  case unknown = 0
  /// Within 1.2 m of the device's vertical position, or within 10 degrees of its horizon.
  case same = 1
  /// Higher than that.
  case above = 2
  /// Lower than that.
  case below = 3
  /// Not on the same level, but the motion so far cannot resolve the side.
  case aboveOrBelow = 4

  /// The name as output files spell it.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .same: "same"
    case .above: "above"
    case .below: "below"
    case .aboveOrBelow: "aboveOrBelow"
    }
  }
}

/// Which data an update rests on.
public enum TrackingQuality: String, Sendable {
  /// Trajectory and ranges are fresh.
  case precise
  /// The trajectory continues, but no usable range came for a second.
  case drifting
  /// Ranges without a trajectory: only a distance.
  case imprecise
}
