/// Distance walked as a function of time: acceleration, constant speed, deceleration.
struct Travel {
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
