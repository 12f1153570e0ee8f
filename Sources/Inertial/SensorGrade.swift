import SensorData

/// Prior 1-sigma of the biases by grade of the inertial unit.
///
/// The accelerometer's noise density separates phone grade from industrial grade at 5 mm/s^2/sqrt(Hz): the BMI055 and
/// its like have 9 to 20, the ADIS16448 of the EuRoC data sets has 2. By judgement, offsets of industrial units are
/// uniform within 20 mg: 20 mg / sqrt(3) = 0.113 m/s^2. This prior matters: without rotation, tilt and bias are not
/// separately observable, and on a straight walk the whole prior goes into the vertical.
package struct SensorGrade: Equatable, Sendable {
  /// Phone grade: not calibrated axis by axis.
  package var isPhone: Bool
  /// 1-sigma of the gyroscope bias, rad/s.
  package var gyroscopeBias: Double
  /// 1-sigma of the accelerometer bias, m/s^2.
  package var accelerometerBias: Double

  /// From the calibration.
  package init(_ calibration: IMUCalibration) {
    let phone = calibration.accelerometerNoiseDensity > 0.005
    isPhone = phone
    gyroscopeBias = phone ? 0.03 : 0.02
    accelerometerBias = phone ? 0.5 : 0.113
  }
}
