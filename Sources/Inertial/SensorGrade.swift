import SensorData

/// What biases to expect before anything is known, 1-sigma.
///
/// Phone-grade units are told from industrial ones by their accelerometer noise density (5 mm/s^2/sqrt(Hz)): BMI055 and its
/// like have 9 to 20, the ADIS16448 of the EuRoC sets has 2. Offsets of the better ones lie, by our judgement, within 20 mg: uniform,
/// that is 20 mg / sqrt(3) = 0.113 m/s^2. It matters: without turns nothing else tells a tilt from a bias, and on a straight walk all of the
/// prior ends up in the height.
package struct SensorGrade: Equatable, Sendable {
  /// A phone's, not calibrated axis by axis.
  package var isPhone: Bool
  /// rad/s.
  package var gyroscopeBias: Double
  /// m/s^2.
  package var accelerometerBias: Double

  /// From the calibration.
  package init(_ calibration: IMUCalibration) {
    let phone = calibration.accelerometerNoiseDensity > 0.005
    isPhone = phone
    gyroscopeBias = phone ? 0.03 : 0.02
    accelerometerBias = phone ? 0.5 : 0.113
  }
}
