import Geometry

/// What is remembered of a peer between two updates, so that they do not chatter.
struct OutputHysteresis {
  var vertical: VerticalJudge
  /// Of the ranges so far.
  var power: SignalPowerMonitor
  /// A direction was given with the last update.
  private var hasDirection = false

  init(_ configuration: FinderConfiguration) {
    vertical = VerticalJudge(decide: configuration.verticalDecision, drop: configuration.verticalDrop)
    power = SignalPowerMonitor(limit: configuration.weakPower)
  }

  /// Lets a direction through that has just replaceFilter narrow enough only once it is narrower by a tenth, so that it does not come and go.
  ///
  /// - Parameters:
  ///   - direction: unit vector in device axes; nil where it is too wide to be given.
  ///   - cone: half-angle about it that holds 90 %, radians.
  ///   - limit: of that, radians.
  mutating func steady(_ direction: Vector3?, cone: Double, limit: Double) -> Vector3? {
    hasDirection = direction != nil && (hasDirection || cone <= 0.9 * limit)
    return hasDirection ? direction : nil
  }
}
