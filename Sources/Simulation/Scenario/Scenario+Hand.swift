import Geometry

extension Scenario {
  /// Holding of the phone and involuntary motion of the hand: standard deviations per axis.
  package struct Hand: Equatable, Sendable {
    /// Elevation of the camera at the start, radians.
    package var pitch = Angle.degrees(-5)
    /// Orientation of the phone in the hand at the start.
    package var holding = Holding.portrait
    /// Slow sway below 3 Hz, metres.
    package var swayDeviation = 0.003
    /// Slow sway below 3 Hz, radians.
    package var swayAngleDeviation = Angle.degrees(0.5)
    /// Tremor at 8 to 11 Hz, metres.
    package var tremorDeviation = 0.00002
    /// Tremor at 8 to 11 Hz, radians.
    package var tremorAngleDeviation = Angle.degrees(0.01)

    /// The defaults.
    package init() {}
  }

  /// Orientation of a phone in the hand.
  package enum Holding: String, Equatable, Sendable, CaseIterable {
    /// The top edge is up.
    case portrait
    /// The top edge is on the left, seen from the screen side.
    case landscape

    /// The angle about the device's z axis, which comes out of the screen, radians.
    package var roll: Double { self == .landscape ? .pi / 2 : 0 }
  }
}

extension Scenario.Hand {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var hand = self
    try f.number("pitch_deg", -80...80).map { hand.pitch = Angle.degrees($0) }
    try f.choice("holding", Scenario.Holding.self).map { hand.holding = $0 }
    try f.number("sway_std_m", 0...0.1).map { hand.swayDeviation = $0 }
    try f.number("sway_std_deg", 0...10).map { hand.swayAngleDeviation = Angle.degrees($0) }
    try f.number("tremor_std_m", 0...0.01).map { hand.tremorDeviation = $0 }
    try f.number("tremor_std_deg", 0...2).map { hand.tremorAngleDeviation = Angle.degrees($0) }
    return hand
  }
}
