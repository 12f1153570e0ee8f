import Foundation
import Geometry
import SensorData

extension Scenario {
  /// Error of the calibration in the recording; every seed draws its direction or sign.
  package struct Miscalibration: Equatable, Sendable {
    /// Of both focal lengths, relative.
    package var focalLength = 0.0
    /// Of the principal point, pixels.
    package var principalPoint = 0.0
    /// Of the camera's rotation, radians.
    package var rotation = 0.0
    /// Of the camera's position, metres.
    package var position = 0.0
    /// Of the time offset, seconds.
    package var timeOffset = 0.0

    /// A calibration without error.
    package init() {}

    /// The calibration `truth` with this error.
    func stated(_ truth: CameraCalibration, _ random: inout SeededRandom) -> CameraCalibration {
      var stated = truth
      let fraction = random.chance(0.5) ? focalLength : -focalLength
      (stated.fx, stated.fy) = (truth.fx * (1 + fraction), truth.fy * (1 + fraction))
      let angle = random.uniform(0...(2 * .pi))
      stated.cx += principalPoint * cos(angle)
      stated.cy += principalPoint * sin(angle)
      stated.bodyFromCamera.rotation = truth.bodyFromCamera.rotation * .exp(rotation * random.direction())
      stated.bodyFromCamera.translation += position * random.direction()
      stated.timeOffset += random.chance(0.5) ? timeOffset : -timeOffset
      return stated
    }

    func read(_ f: inout Fields) throws(ScenarioError) -> Self {
      var result = self
      try f.number("focal_length_percent", 0...10).map { result.focalLength = $0 / 100 }
      try f.number("principal_point_px", 0...100).map { result.principalPoint = $0 }
      try f.number("rotation_deg", 0...10).map { result.rotation = Angle.degrees($0) }
      try f.number("position_m", 0...0.5).map { result.position = $0 }
      try f.number("time_offset_s", 0...0.5).map { result.timeOffset = $0 }
      return result
    }
  }
}
