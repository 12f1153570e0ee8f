import SensorData

/// Grade of an inertial unit, and the prior 1-sigma of its biases.
///
/// The accelerometer's noise density separates units calibrated axis by axis from others at 5 mm/s^2/sqrt(Hz): the BMI055 and its like
/// have 9 to 20, the ADIS16448 of the EuRoC data sets has 2. It says nothing about the bias: modern phones have 2 to 5 and biases of 0.6 to
/// 0.8 m/s^2 (docs/experiments/wide-bias-priors.md), so that the prior is that of a phone for all. Without rotation, tilt and bias are not
/// separately observable, and on a straight walk the whole prior goes into the vertical.
package struct SensorGrade: Equatable, Sendable {
  /// Phone grade: axes and scale factors are not calibrated.
  package var isPhone: Bool
  /// 1-sigma of the gyroscope bias, rad/s.
  package var gyroscopeBias: Double
  /// 1-sigma of the accelerometer bias, m/s^2.
  package var accelerometerBias: Double

  /// From the calibration.
  package init(_ calibration: IMUCalibration) {
    let phone = calibration.accelerometerNoiseDensity > 0.005
    isPhone = phone
    gyroscopeBias = 0.03
    accelerometerBias = 0.5
  }
}
