import Foundation
import Geometry

/// Involuntary motion of a hand: slow sway and fast physiological tremor, each a sum of sines at random frequencies.
///
/// A hand-held load sways below 3 Hz and trembles at 8 to 12 Hz. Source: Elble and Koller, "Tremor", Johns Hopkins
/// University Press, 1990; McAuley and Marsden, Brain 123(8), 2000, doi:10.1093/brain/123.8.1545.
struct HandTremor: Sendable {
  private struct Wave {
    let amplitude: Double
    let angularRate: Double
    let phase: Vector3
  }

  private var position: [Wave] = []
  private var rotation: [Wave] = []

  /// - Parameter spacing: seconds between the control poses of the spline that it is added to. A cubic B-spline
  ///   attenuates a sine of frequency f by `sinc(f spacing)^4`, which is compensated here.
  init(_ settings: Scenario.Hand, spacing: Double, random: inout SeededRandom) {
    func waves(_ count: Int, from low: Double, to high: Double, deviation: Double) -> [Wave] {
      let frequencies = (0..<count).map { low * pow(high / low, (Double($0) + random.uniform()) / Double(count)) }
      // Amplitudes are proportional to 1 / f.
      let power = frequencies.map { 1 / ($0 * $0) }.reduce(0, +)
      return frequencies.map { frequency in
        let x = Double.pi * frequency * spacing
        let amplitude = deviation * (2 / power).squareRoot() / frequency / pow(sin(x) / x, 4)
        let phase = Vector3(random.uniform(), random.uniform(), random.uniform()) * (2 * Double.pi)
        return Wave(amplitude: amplitude, angularRate: 2 * .pi * frequency, phase: phase)
      }
    }
    position =
      waves(8, from: 0.2, to: 3, deviation: settings.swayDeviation)
      + waves(4, from: 8, to: 11, deviation: settings.tremorDeviation)
    rotation =
      waves(8, from: 0.2, to: 3, deviation: settings.swayAngleDeviation)
      + waves(4, from: 8, to: 11, deviation: settings.tremorAngleDeviation)
  }

  /// The involuntary motion at `time` seconds, scaled by `grip` (0...1), in the device's axes: metres, and a rotation
  /// vector in radians.
  func pose(at time: Double, grip: Double) -> Pose {
    Pose(rotation: .exp(grip * Self.sum(rotation, at: time)), translation: grip * Self.sum(position, at: time))
  }

  private static func sum(_ waves: [Wave], at time: Double) -> Vector3 {
    waves.reduce(.zero) { sum, wave in
      let angle = wave.phase + wave.angularRate * time
      return sum + wave.amplitude * Vector3(sin(angle.x), sin(angle.y), sin(angle.z))
    }
  }
}
