import Geometry

/// Tells a jump from motion in one quantity that moves on: nothing leaves its present speed by more than an acceleration allows.
struct JumpDetector {
  /// In units of the quantity (metres or radians): the largest acceleration, 1/s^2, and what rounding of values and stamps, or a glitch of motion capture, makes.
  private let largestAcceleration, slack: Double
  /// The speed is a mean over about this long, seconds.
  private let memory: Double
  /// Unknown for as long as the mean takes: a recording may begin at speed.
  private var speed: Vector3?
  private var first = (way: Vector3.zero, seconds: 0.0)
  /// What the speed would be if the last jump had been motion: a second step like it says that it was.
  private var rival: Vector3?

  init(largestAcceleration: Double, slack: Double, memory: Double) {
    (self.largestAcceleration, self.slack, self.memory) = (largestAcceleration, slack, memory)
  }

  /// What of a step motion does not explain, in the step's units; nil for motion.
  ///
  /// - Parameters:
  ///   - step: metres along the axes of the world, or a rotation vector in radians.
  ///   - seconds: how long it took, above 0.
  mutating func excess(of step: Vector3, in seconds: Double) -> Vector3? {
    let limit = slack + 0.5 * largestAcceleration * seconds * seconds
    func unexplained(_ speed: Vector3) -> Vector3 { step - seconds * speed }
    guard let present = speed else {
      first = (first.way + step, first.seconds + seconds)
      if first.seconds >= memory { speed = (1 / first.seconds) * first.way }
      return nil
    }
    if unexplained(present).norm <= limit {
      speed = present + min(seconds / memory, 1) * ((1 / seconds) * step - present)
      rival = nil
      return nil
    }
    if let other = rival, unexplained(other).norm <= limit {
      speed = (1 / seconds) * step
      rival = nil
      return nil
    }
    rival = (1 / seconds) * step
    return unexplained(present)
  }
}
