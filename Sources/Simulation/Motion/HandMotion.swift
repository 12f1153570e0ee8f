import Foundation
import Geometry

/// One piece of hand motion: it begins and ends at rest, so that pieces can follow one another in any order.
package enum HandMotion: Equatable, Sendable {
  /// Keeps still.
  case hold(duration: Double)
  /// Swings on straight lines without turning, one sine for each axis: lateral alone is a line, with the vertical one it
  /// is a Lissajous figure.
  case sway(duration: Double, lateral: Swing, vertical: Swing, ahead: Swing)
  /// Turns the stretched arm, `arm` metres, about the shoulder: left and right, up and down.
  case arc(duration: Double, arm: Double, horizontal: Swing, vertical: Swing)
  /// Walks on a straight line that starts `heading` radians (positive left) off the camera's direction.
  case walk(distance: Double, speed: Double, heading: Double, bob: Double, stepRate: Double)
  /// Turns on the spot by `angle` radians (positive left); the phone is `arm` metres before the body's axis.
  case turn(duration: Double, angle: Double, arm: Double)

  /// One sine.
  package struct Swing: Equatable, Sendable {
    /// Metres or radians to either side.
    package var amplitude: Double
    /// Seconds for there and back.
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

  /// Seconds that it takes.
  package var duration: Double {
    switch self {
    case .hold(let duration), .sway(let duration, _, _, _), .arc(let duration, _, _, _), .turn(let duration, _, _):
      duration
    case .walk(let distance, let speed, _, _, _): Travel(distance: distance, speed: speed).duration
    }
  }

  /// The pose `time` seconds (0...duration) after it began at `start`.
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
      let way = HandPose(yaw: start.yaw + heading)
      let window = Easing.window(time, duration: travel.duration, ramp: travel.ramp)
      let phase = 2 * .pi * stepRate * time
      pose.position += way.ahead * travel.travelled(at: time)
      pose.position.z += bob * sin(phase) * window
      // The body sways once for two steps, and the phone nods a little with every step.
      pose.position += way.right * (bob / 2 * sin(phase / 2) * window)
      pose.pitch += bob / 2 * sin(phase + 1) * window
    case .turn(let duration, let angle, let arm):
      let axis = start.position - arm * start.ahead
      pose.yaw += angle * Easing.minimumJerk(time / duration)
      pose.position = axis + arm * pose.ahead
    }
    return pose
  }
}
