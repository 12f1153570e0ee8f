/// The settings of a finder. The defaults serve every radio and hand; each says its unit.
public struct FinderConfiguration: Equatable, Sendable {
  /// How long an event may arrive late and still be put in its place, seconds.
  public var reorderWindow = 0.05
  /// Spacing of the regular updates, seconds of event time.
  public var updateInterval = 0.1

  /// The defaults.
  public init() {}
}
