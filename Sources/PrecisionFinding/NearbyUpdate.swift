import SensorData

/// One update for one peer: where it is and how far that can be relied on.
public struct NearbyUpdate: Equatable, Sendable {
  /// The moment it speaks of; it uses data up to this moment and the reorder window only.
  public var timestamp: Timestamp
  /// Where the peer is.
  public var object: NearbyObject
  /// How far that can be relied on.
  public var convergence: Convergence
  /// What the user should do now; nil when converged.
  public var guidance: String?
  /// Richer words than Nearby Interaction's, by name, sorted when written: probabilities, progress, causes.
  public var details: [String: Detail]

  /// A detail's value.
  public enum Detail: Equatable, Sendable {
    /// A number, SI units.
    case number(Double)
    /// A word.
    case text(String)
    /// Several words.
    case list([String])
    /// JudgeInput, most important first, each with how far it is overcome, 0...1; nil where that has no measure.
    case findings([ObstacleProgress])
  }

  /// A finding and how far it is overcome.
  public struct ObstacleProgress: Equatable, Sendable {
    /// What was found.
    public var finding: PublicationObstacle
    /// 0...1; nil where that has no measure.
    public var progress: Double?

    /// A finding from its parts.
    public init(_ finding: PublicationObstacle, progress: Double? = nil) {
      self.finding = finding
      self.progress = progress
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
