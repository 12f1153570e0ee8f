import Geometry

/// State of a peer's outputs between updates: hysteresis against chatter.
struct OutputHysteresis {
  var vertical: VerticalLevelHysteresis
  /// Received power of the ranges so far.
  var power: SignalPowerMonitor
  /// The last update had a direction.
  private var hasDirection = false

  init(_ configuration: FinderConfiguration) {
    vertical = VerticalLevelHysteresis(decide: configuration.verticalDecision, drop: configuration.verticalDrop)
    power = SignalPowerMonitor(limit: configuration.weakPower)
  }

  /// Passes a new direction only once its cone is a tenth narrower than the limit, so that it does not come and go.
  ///
  /// - Parameters:
  ///   - direction: unit vector in device axes; nil where it is too wide.
  ///   - cone: half-angle about it that holds 90 %, radians.
  ///   - limit: of that, radians.
  mutating func steady(_ direction: Vector3?, cone: Double, limit: Double) -> Vector3? {
    hasDirection = direction != nil && (hasDirection || cone <= 0.9 * limit)
    return hasDirection ? direction : nil
  }
}
