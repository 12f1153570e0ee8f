import Geometry
import Simulation

/// A device that is put down and picked up again.
package enum PutDownDevice {
  /// IMU grades, by their noise.
  package enum Grade: String, CaseIterable {
    case phone, cheap, industrial

    package func set(_ imu: inout Scenario.Inertial) {
      switch self {
      case .phone: break
      case .cheap:
        (imu.gyroscopeNoiseDensity, imu.gyroscopeRandomWalk) = (1e-3, 1e-4)
        (imu.accelerometerNoiseDensity, imu.accelerometerRandomWalk) = (1e-2, 1e-3)
      case .industrial:
        (imu.gyroscopeNoiseDensity, imu.gyroscopeRandomWalk, imu.gyroscopeBias) = (1.2e-4, 4e-6, 0.003)
        (imu.accelerometerNoiseDensity, imu.accelerometerRandomWalk, imu.accelerometerBias) = (1e-3, 1e-4, 0.03)
      }
    }
  }

  /// Motion before the stationary minute, and the camera's view during it.
  package enum Rest: String, CaseIterable {
    case fromTheBeginning, afterAMove, onItsLens
  }

  /// - Parameter seconds: how long it lies.
  package static func scenario(_ rest: Rest, _ grade: Grade, seconds: Double = 60) -> Scenario {
    let arc = HandMotion.arc(
      duration: 8, arm: 0.6, horizontal: .init(amplitude: 0.8), vertical: .init(amplitude: 0.3, period: 3))
    func down(_ lowering: Double, pitch: Double) -> HandMotion {
      .putDown(
        lowering: lowering, down: lowering > 1 ? 0.35 : 0, ahead: lowering > 1 ? 0.15 : 0, pitch: pitch, rest: seconds,
        raising: 1.5)
    }
    let before: [HandMotion] =
      switch rest {
      case .fromTheBeginning: [down(0.04, pitch: Angle.degrees(-5))]
      case .afterAMove: [.hold(duration: 1), arc, down(1.5, pitch: Angle.degrees(10))]
      case .onItsLens: [.hold(duration: 1), arc, down(1.5, pitch: -.pi / 2)]
      }
    var scenario = Scenario(
      name: rest.rawValue, summary: "-", peers: [], motion: (before + [arc]).map { .motion($0) })
    if rest == .fromTheBeginning {
      scenario.hand.swayDeviation = 0
      scenario.hand.swayAngleDeviation = 0
      scenario.hand.tremorDeviation = 0
      scenario.hand.tremorAngleDeviation = 0
    }
    grade.set(&scenario.imu)
    return scenario
  }
}
