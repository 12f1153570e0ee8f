import Foundation
import Geometry
import Ranging

/// A candidate motion of the hand and its expected time to the goal: half a metre from end to end, a stroke a second.
package struct CandidateMotion: Equatable, Sendable {
  /// Length from end to end, metres, and frequency, Hz.
  static let stroke = 0.5, frequency = 0.5

  /// The kind of motion.
  package enum Kind: String, Sendable, CaseIterable {
    case sideways, upAndDown, forwardsAndBack, sidewaysAndUp, around

    /// Unit vectors of the motion, world.
    func axes(worldFromDevice: Pose) -> [Vector3] {
      let azimuth = HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation)
      let ahead = Vector3(cos(azimuth), sin(azimuth), 0)
      let (right, up) = (Vector3(ahead.y, -ahead.x, 0), Vector3(0, 0, 1))
      return switch self {
      case .sideways: [right]
      case .upAndDown: [up]
      case .forwardsAndBack: [ahead]
      case .sidewaysAndUp: [right, up]
      case .around: [right, ahead]
      }
    }
  }

  /// The kind.
  package let kind: Kind
  /// Difference in range between the two likeliest modes after a metre of it, metres; nil where one mode is left.
  package let separation: Double?
  /// Expected time to the goal.
  package let timeToGoal: Forecast

  init(_ kind: Kind, _ forecast: ExcitationForecast, worldFromDevice: Pose) {
    self.kind = kind
    let axes = kind.axes(worldFromDevice: worldFromDevice)
    let modes = forecast.modes
    separation =
      modes.count > 1
      ? axes.reduce(0) { sum, axis in
        let along = (modes[0].direction - modes[1].direction).dot(axis)
        return sum + along * along
      }.squareRoot() : nil
    timeToGoal = forecast.timeToGoal(along: axes)
  }

  /// The requested motion, where there is one, and a motion that is expected to reach the goal sooner, where there is
  /// one.
  package static func choices(
    asked reason: Convergence.Reason?, _ forecast: ExcitationForecast, worldFromDevice: Pose
  ) -> (asked: CandidateMotion?, better: CandidateMotion?) {
    let asked = reason.flatMap(Kind.init).map { CandidateMotion($0, forecast, worldFromDevice: worldFromDevice) }
    guard let asked else { return (nil, nil) }
    let all = Kind.allCases.map { CandidateMotion($0, forecast, worldFromDevice: worldFromDevice) }
    // The first of equals: the plainest.
    let best = all.min { $0.timeToGoal.rank < $1.timeToGoal.rank }!
    return (asked, best.timeToGoal.rank < asked.timeToGoal.rank ? best : nil)
  }

  /// Fisher information about a sine of direction that a second of sweeping gathers, 1/s: the power of the sweep over
  /// the noise's density at its frequency, `a^2 / (sigma^2 / f + 2 T s^2 / (1 + (omega T)^2))`. A matched filter in
  /// white noise sigma at f ranges a second and Gauss-Markov noise s with memory T. Signals slower than T would have
  /// 1/(2 T) independent ranges a second; a faster sweep keeps more. Moving shortens the memory: `1/T = 1/tau +
  /// speed/length`.
  ///
  /// Source: Van Trees, "Detection, estimation, and modulation theory" I, 1968, 4.3.
  package static func information(_ noise: RangeNoise?, rate: Double) -> Double? {
    guard let noise, rate > 0 else { return nil }
    let omega = 2 * Double.pi * frequency
    let speed = 2 * stroke * frequency
    let memory = 1 / (1 / noise.correlationTime + speed / noise.correlationLength)
    let density =
      noise.white * noise.white / rate
      + 2 * memory * noise.coloured * noise.coloured / (1 + omega * omega * memory * memory)
    guard density > 0 else { return nil }
    return stroke * stroke / 8 / density
  }
}

extension CandidateMotion.Kind {
  /// The motion that a reason requests; nil where no motion helps.
  init?(_ reason: Convergence.Reason) {
    switch reason {
    case .insufficientMovement: self = .around
    case .insufficientHorizontalSweep: self = .sideways
    case .insufficientVerticalSweep: self = .upAndDown
    case .insufficientLighting, .insufficientSignalStrength: return nil
    }
  }
}
