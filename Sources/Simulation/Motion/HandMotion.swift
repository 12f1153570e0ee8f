import Foundation
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

  /// The pose `time` seconds (0...duration) after the motion began at `start`.
  package func pose(at time: Double, from start: HandPose) -> HandPose {
    var pose = start
    switch self {
    case .hold: break
    case .sway(let duration, let lateral, let vertical, let ahead):
      pose.position += start.right * lateral.value(at: time, of: duration)
      pose.position.z += vertical.value(at: time, of: duration)
      pose.position += start.ahead * ahead.value(at: time, of: duration)
    case .arc(let duration, let arm, let horizontal, let vertical):
      let shoulder = start.position - arm * start.ahead
      pose.yaw -= horizontal.value(at: time, of: duration)
      let lift = vertical.value(at: time, of: duration)
      pose.pitch += lift
      pose.position = shoulder + arm * cos(lift) * pose.ahead + Vector3(0, 0, arm * sin(lift))
    case .walk(let distance, let speed, let heading, let bob, let stepRate):
      let travel = Travel(distance: distance, speed: speed)
      let course = HandPose(yaw: start.yaw + heading)
      let window = Easing.window(time, duration: travel.duration, ramp: travel.ramp)
      let phase = 2 * .pi * stepRate * time
      pose.position += course.ahead * travel.travelled(at: time)
      pose.position.z += bob * sin(phase) * window
      // Lateral sway has half the step rate; the phone pitches with every step.
      pose.position += course.right * (bob / 2 * sin(phase / 2) * window)
      pose.pitch += bob / 2 * sin(phase + 1) * window
    case .turn(let duration, let angle, let arm):
      let axis = start.position - arm * start.ahead
      pose.yaw += angle * Easing.minimumJerk(time / duration)
      pose.position = axis + arm * pose.ahead
    case .stairs(let height, let steps, let tread, let stepRate, let heading):
      let travelled = Travel(distance: steps * tread, speed: tread * stepRate).travelled(at: time)
      let course = HandPose(yaw: start.yaw + heading)
      pose.position += course.ahead * travelled
      // The body rises most between two steps and least on them; the climb stays monotonic.
      let step = travelled / tread
      pose.position.z += height / steps * (step - 0.7 / (2 * .pi) * sin(2 * .pi * step))
    case .rotate(let duration, let roll):
      pose.roll += (roll - start.roll) * Easing.minimumJerk(time / duration)
    case .putDown(let lowering, let down, let ahead, let pitch, let rest, let raising):
      let raised = raising.map { Easing.minimumJerk((time - lowering - rest) / $0) } ?? 0
      let lowered = Easing.minimumJerk(time / lowering) * (1 - raised)
      pose.position += (start.ahead * ahead - Vector3(0, 0, down)) * lowered
      pose.pitch += (pitch - start.pitch) * lowered
      pose.grip = 1 - lowered
      pose.isOnItsLens = pose.grip < 0.5 && pitch < -Angle.degrees(80)
    }
    return pose
  }
}

/// Pieces of hand motion, one after the other.
package struct MotionPlan: Sendable {
  private var pieces: [(start: Double, from: HandPose, motion: HandMotion)] = []
  /// Total, seconds.
  package private(set) var duration = 0.0
  /// Pose at the end.
  package private(set) var end: HandPose

  /// An empty plan that begins at `start`.
  package init(from start: HandPose) { end = start }

  /// Appends a piece.
  package mutating func append(_ motion: HandMotion) {
    guard motion.duration > 0 else { return }
    pieces.append((duration, end, motion))
    duration += motion.duration
    end = motion.pose(at: motion.duration, from: end)
  }

  /// The intended pose at `time` seconds; constant before the beginning and after the end.
  package func pose(at time: Double) -> HandPose {
    guard let first = pieces.first else { return end }
    let piece = pieces.last { $0.start <= time } ?? first
    return piece.motion.pose(at: min(max(time - piece.start, 0), piece.motion.duration), from: piece.from)
  }
}

/// Hand motions of a user who follows an instruction, with the phone in the outstretched hand; two seconds each.
package enum Gesture: String, Sendable, CaseIterable {
  /// Keeps still.
  case stay
  /// Moves a little sideways and up and down.
  case around
  /// Sweeps from side to side.
  case aside
  /// Sweeps up and down.
  case upAndDown
  /// Pushes the phone forwards and pulls it back.
  case toAndFro

  private static let duration = 2.0

  /// The motion, ending at its start, followed by a short hold.
  package var motion: [HandMotion] {
    func arc(_ horizontal: Double, _ vertical: Double) -> HandMotion {
      .arc(
        duration: Self.duration, arm: 0.6, horizontal: .init(amplitude: horizontal * .pi / 180, period: 2),
        vertical: .init(amplitude: vertical * .pi / 180, period: 1.6))
    }
    let pause = HandMotion.hold(duration: 0.2)
    switch self {
    case .stay: return [.hold(duration: Self.duration), pause]
    case .around: return [arc(25, 15), pause]
    case .aside: return [arc(50, 0), pause]
    case .upAndDown: return [arc(0, 40), pause]
    case .toAndFro:
      return [
        .sway(duration: Self.duration, lateral: .init(), vertical: .init(), ahead: .init(amplitude: 0.3, period: 2)),
        pause,
      ]
    }
  }
}

/// Distance walked as a function of time: acceleration, constant speed, deceleration.
private struct Travel {
  /// Total, metres.
  let distance: Double
  /// The constant speed, m/s.
  let speed: Double
  /// Seconds of acceleration, and of deceleration.
  let ramp: Double

  /// A path of `distance` metres at `speed`; a path too short for the ramps is walked more slowly.
  init(distance: Double, speed: Double, ramp: Double = 0.8) {
    self.distance = distance
    self.ramp = ramp
    self.speed = min(speed, distance / ramp)
  }

  /// Total, seconds.
  var duration: Double { distance > 0 ? distance / speed + ramp : 0 }

  /// Metres after `time` seconds. The speed follows a smoothstep, `3 x^2 - 2 x^3`, whose integral is `x^3 - x^4 / 2`.
  func travelled(at time: Double) -> Double {
    if time <= 0 || distance <= 0 { return 0 }
    if time >= duration { return distance }
    if time > duration / 2 { return distance - travelled(at: duration - time) }
    if time >= ramp { return speed * (time - ramp / 2) }
    let x = time / ramp
    return speed * ramp * (x * x * x - x * x * x * x / 2)
  }
}

/// Time laws that begin and end with zero velocity.
private enum Easing {
  /// From 0 to 1 with zero velocity and acceleration at both ends: `10 x^3 - 15 x^4 + 6 x^5`, the minimum-jerk law of
  /// human reaching. Source: Flash and Hogan, J. Neurosci. 5(7), 1985, doi:10.1523/JNEUROSCI.05-07-01688.1985.
  static func minimumJerk(_ x: Double) -> Double {
    let x = min(max(x, 0), 1)
    return x * x * x * (10 + x * (6 * x - 15))
  }

  /// A window over [0, duration]: rises from 0 to 1 within `ramp` seconds and falls back likewise.
  static func window(_ time: Double, duration: Double, ramp: Double) -> Double {
    let ramp = min(ramp, duration / 2)
    return minimumJerk(time / ramp) * minimumJerk((duration - time) / ramp)
  }

  /// `amplitude * sin(2 pi t / period)` times that window.
  static func swing(_ time: Double, duration: Double, amplitude: Double, period: Double) -> Double {
    amplitude * sin(2 * .pi * time / period) * window(time, duration: duration, ramp: period / 4)
  }
}
