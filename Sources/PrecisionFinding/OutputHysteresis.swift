import Geometry

/// State of a peer's outputs between updates: hysteresis against chatter.
struct OutputHysteresis {
  var vertical: VerticalLevelHysteresis
  /// Received power of the ranges so far.
  var power: SignalPowerMonitor
  /// The last update had a direction.
  private var hasDirection = false

  init(_ rules: PublicationRules) {
    vertical = VerticalLevelHysteresis(
      decide: rules.level(isNamed: false).value, drop: rules.level(isNamed: true).value)
    power = SignalPowerMonitor(limit: rules.power.value)
  }

  /// Passes a new direction only once its cone is a tenth narrower than the limit, so that it does not come and go.
  ///
  /// - Parameters:
  ///   - direction: unit vector in device axes; nil where it is too wide.
  ///   - cone: half-angle about it that holds 90 %, radians.
  mutating func steady(_ direction: Vector3?, cone: Double, _ rules: PublicationRules) -> Vector3? {
    hasDirection = direction != nil && (hasDirection || rules.steadyCone.isMet(by: cone))
    return hasDirection ? direction : nil
  }
}
