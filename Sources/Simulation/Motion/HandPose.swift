import Foundation
import Geometry

/// Pose of a hand-held phone, parametrised by position, yaw, pitch and roll; the back camera looks ahead.
package struct HandPose: Equatable, Sendable {
  /// Position of the phone in the world, metres; the world's x is ahead at the start, y left, z up.
  package var position: Vector3
  /// Azimuth of the back camera, radians from the world's x, counter-clockwise.
  package var yaw: Double
  /// Elevation of the back camera, radians.
  package var pitch: Double
  /// Rotation about the device's z axis, which comes out of the screen, radians: 0 portrait, pi/2 landscape.
  package var roll: Double
  /// Scale of the hand's tremor: 1 in the hand, 0 when put down.
  package var grip: Double
  /// Whether it lies, or is about to lie, flat on its back camera, which is then covered.
  package var isOnItsLens = false

  /// A pose from its parts.
  package init(position: Vector3 = .zero, yaw: Double = 0, pitch: Double = 0, roll: Double = 0, grip: Double = 1) {
    self.position = position
    self.yaw = yaw
    self.pitch = pitch
    self.roll = roll
    self.grip = grip
  }

  /// The pose of a device of any attitude, without roll. Straight up or down the yaw is undefined and set to 0.
  init(worldFromDevice: Pose) {
    let look = worldFromDevice.rotation * Vector3(0, 0, -1)
    self.init(
      position: worldFromDevice.translation, yaw: atan2(look.y, look.x), pitch: asin(min(max(look.z, -1), 1)))
  }

  /// Horizontal unit vector that points ahead.
  var ahead: Vector3 { Vector3(cos(yaw), sin(yaw), 0) }
  /// Horizontal unit vector to the right.
  var right: Vector3 { Vector3(sin(yaw), -cos(yaw), 0) }

  /// The pose of Apple's device axes (x right, y up, -z out of the back camera).
  package var worldFromDevice: Pose {
    let upright = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))
    let portrait = Rotation.yaw(yaw) * Rotation.exp(Vector3(0, -pitch, 0)) * upright
    // The product would round again: portrait stays bit-identical.
    let rotation = roll == 0 ? portrait : portrait * .exp(Vector3(0, 0, roll))
    return Pose(rotation: rotation, translation: position)
  }
}

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
