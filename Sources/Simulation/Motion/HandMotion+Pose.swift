import Foundation
import Geometry

extension HandMotion {
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
