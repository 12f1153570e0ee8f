import Geometry

/// Separates jumps from motion in one quantity: motion deviates from its present speed only by a bounded acceleration.
struct JumpDetector {
  /// In units of the quantity (metres or radians): the largest acceleration, 1/s^2, and a tolerance for rounding of
  /// values and stamps and for glitches of motion capture.
  private let largestAcceleration, slack: Double
  /// Time constant of the mean speed, seconds.
  private let memory: Double
  /// Nil during the first `memory` seconds: a recording may begin in motion.
  private var speed: Vector3?
  private var first = (displacement: Vector3.zero, seconds: 0.0)
  /// Speed under the alternative that the last jump was motion; a second such step confirms it.
  private var alternative: Vector3?

  init(largestAcceleration: Double, slack: Double, memory: Double) {
    (self.largestAcceleration, self.slack, self.memory) = (largestAcceleration, slack, memory)
  }

  /// The part of a step not explained by motion, in the step's units; nil for motion.
  ///
  /// - Parameters:
  ///   - step: metres along the axes of the world, or a rotation vector in radians.
  ///   - seconds: duration of the step, above 0.
  mutating func unexplainedPart(of step: Vector3, in seconds: Double) -> Vector3? {
    let limit = slack + 0.5 * largestAcceleration * seconds * seconds
    func unexplained(_ speed: Vector3) -> Vector3 { step - seconds * speed }
    guard let present = speed else {
      first = (first.displacement + step, first.seconds + seconds)
      if first.seconds >= memory { speed = (1 / first.seconds) * first.displacement }
      return nil
    }
    if unexplained(present).norm <= limit {
      speed = present + min(seconds / memory, 1) * ((1 / seconds) * step - present)
      alternative = nil
      return nil
    }
    if let other = alternative, unexplained(other).norm <= limit {
      speed = (1 / seconds) * step
      alternative = nil
      return nil
    }
    alternative = (1 / seconds) * step
    return unexplained(present)
  }
}
