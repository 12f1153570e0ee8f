import Geometry

/// One piece of hand motion. It begins and ends with zero velocity, so pieces can follow one another in any order.
package enum HandMotion: Equatable, Sendable {
  /// Keeps still.
  case hold(duration: Double)
  /// Translates without rotation, one sine for each axis: lateral alone is a line, with the vertical one a Lissajous
  /// figure.
  case sway(duration: Double, lateral: Swing, vertical: Swing, ahead: Swing)
  /// Rotates the stretched arm, `arm` metres, about the shoulder: left and right, up and down.
  case arc(duration: Double, arm: Double, horizontal: Swing, vertical: Swing)
  /// Walks on a straight line, `heading` radians (positive left) off the camera's direction.
  case walk(distance: Double, speed: Double, heading: Double, bob: Double, stepRate: Double)
  /// Climbs `steps` steps (a whole number) of `tread` metres, in total `height` metres (negative: down); `heading` as
  /// for `walk`.
  case stairs(height: Double, steps: Double, tread: Double, stepRate: Double, heading: Double)
  /// Rotates on the spot by `angle` radians (positive left); the phone is `arm` metres before the body's axis.
  case turn(duration: Double, angle: Double, arm: Double)
  /// Rotates the phone in the hand to this `roll`, radians.
  case rotate(duration: Double, roll: Double)
  /// Puts the phone down within `lowering` seconds, `down` and `ahead` metres from here, its camera pitched up by
  /// `pitch` radians: flat on a table, screen up, or leant against something. It is stationary for `rest` seconds.
  /// Unless `raising` is nil, it is then picked up within that time.
  case putDown(
    lowering: Double, down: Double, ahead: Double, pitch: Double = -.pi / 2, rest: Double, raising: Double?)

  /// One sine.
  package struct Swing: Equatable, Sendable {
    /// Metres or radians.
    package var amplitude: Double
    /// Seconds.
    package var period: Double

    /// A sine from its parts.
    package init(amplitude: Double = 0, period: Double = 4) {
      self.amplitude = amplitude
      self.period = period
    }

    func value(at time: Double, of duration: Double) -> Double {
      Easing.swing(time, duration: duration, amplitude: amplitude, period: period)
    }
  }

  /// Seconds.
  package var duration: Double {
    switch self {
    case .hold(let duration), .sway(let duration, _, _, _), .arc(let duration, _, _, _), .turn(let duration, _, _),
      .rotate(let duration, _):
      duration
    case .walk(let distance, let speed, _, _, _): Travel(distance: distance, speed: speed).duration
    case .stairs(_, let steps, let tread, let stepRate, _):
      Travel(distance: steps * tread, speed: tread * stepRate).duration
    case .putDown(let lowering, _, _, _, let rest, let raising): lowering + rest + (raising ?? 0)
    }
  }
}
