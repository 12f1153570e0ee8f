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
