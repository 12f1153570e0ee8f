import CameraGeometry
import Foundation
import Geometry
import Inertial
import SensorData

/// Static initialisation: finds a first state from gravity while the device is nearly still, or provisionally while it
/// moves.
///
/// A hand is never stationary; "nearly still" means that its motion averages out. The specific force is rotated by the
/// gyroscope into the axes of the window's end and averaged. Its direction is up, except for the accelerometer bias:
/// the component along gravity changes the length; the components across it tilt the estimate and are correlated with
/// that tilt.
package struct StaticInitializer {
  /// Shortest window, seconds. A longer one averages over more of a hand's sway: a given change of speed then means
  /// less acceleration.
  static let window = 0.5
  /// Largest scatter of the specific force about its mean of a nearly still device, m/s^2.
  private static let largestForceScatter = 0.5
  /// Largest root-mean-square angular rate of a nearly still device, rad/s. Not the mean: it cancels in a swing to and
  /// fro.
  private static let largestRate = 0.25
  /// Largest rotation-compensated flow of a nearly still device, rad/s. A tremor is below; a slow sway, whose steady
  /// acceleration would be taken for a tilt, is above.
  static let largestFlow = 0.1

  let calibration: IMUCalibration
  let gauge: GaugeChoice

  /// - Parameter origin: pose of the body when a previous filter was restarted.
  package init(calibration: IMUCalibration, origin: Pose = .identity) {
    self.calibration = calibration
    gauge = GaugeChoice(origin: origin)
  }

  /// Attempts to find a first state.
  ///
  /// - Parameters:
  ///   - samples: the window up to `time`.
  ///   - isMakeshift: accept a moving device, with a large covariance, rather than no state.
  ///   - flow: median rotation-compensated flow of the features, rad/s, if known: bounds the speed, since inertial
  ///     samples do not show a constant velocity.
  ///   - unseenRate: 1-sigma of an undetected rotation rate, rad/s, if both inertial unit and image show a stationary
  ///     device. Nil without the image: a constant rotation rate would be taken for a bias.
  package func attempt(
    _ samples: ArraySlice<IMUSample>, at time: Timestamp, isMakeshift: Bool, flow: Double?, unseenRate: Double?
  )
    -> InitializationOutcome
  {
    guard let first = samples.first, let last = samples.last, samples.count >= 10,
      last.timestamp.seconds(since: first.timestamp) >= 0.8 * Self.window
    else { return .waiting("imu") }
    let summary = MotionSummary(samples)
    let isNearlyStill =
      summary.forceScatter < Self.largestForceScatter && summary.rate < Self.largestRate
      && (flow ?? 0) < Self.largestFlow
    guard isNearlyStill || isMakeshift else { return .waiting("stillness") }
    guard summary.force.norm > 1 else { return .waiting("gravity") }  // in free fall there is no up
    return .ready(estimate(summary, at: time, isNearlyStill: isNearlyStill, unseenRate: unseenRate, flow: flow))
  }

  private func estimate(
    _ summary: MotionSummary, at time: Timestamp, isNearlyStill: Bool, unseenRate: Double?, flow: Double?
  ) -> InitialEstimate {
    let isStill = unseenRate != nil
    let g = calibration.gravityMagnitude
    let up = summary.force.normalized
    let normDifference = summary.force.norm - g
    let grade = SensorGrade(calibration)
    let velocity = isNearlyStill ? velocitySigma(summary, flow: isStill ? 0 : flow) : 1
    // Difference of the mean force from gravity plus bias: acceleration due to a change of speed over the window.
    let gained = 2.0.squareRoot() * velocity / max(summary.seconds, Self.window)
    let motion = isStill ? 0.02 + 0.3 * summary.forceScatter : gained
    // A length inconsistent with an industrial unit's bias indicates phone grade.
    let isInconsistent =
      abs(normDifference)
      > 3 * (grade.accelerometerBias * grade.accelerometerBias + motion * motion).squareRoot()
    let biasSigma = isInconsistent ? max(0.5, abs(normDifference)) : grade.accelerometerBias

    // The length of the mean force observes the bias along gravity, limited by the motion (product of two Gaussians).
    let biasGain = biasSigma * biasSigma / (biasSigma * biasSigma + motion * motion)
    // A slow constant rotation rate looks like a bias: the mean rate has an uncertainty of its own size.
    let rateVariance = summary.rateMean.squaredNorm / 3 + summary.rateScatter * summary.rateScatter
    let rateSigma =
      unseenRate.map { max($0, 0.1 * grade.gyroscopeBias) } ?? (isNearlyStill ? rateVariance.squareRoot() : 1)
    let prior = grade.gyroscopeBias * grade.gyroscopeBias
    let gyroscopeGain = prior / (prior + rateSigma * rateSigma)

    let worldFromIMU = gauge.worldFromIMU(up: up, bodyFromIMU: calibration.bodyFromIMU)
    let state = InertialState(
      rotation: worldFromIMU.rotation, position: worldFromIMU.translation,
      gyroscopeBias: gyroscopeGain * summary.rateMean,
      accelerometerBias: biasGain * normDifference * up)
    var result = InitialEstimate(
      time: time, state: state, theta: Vector3(0, 0, 1e-4), position: 1e-4,
      velocity: velocity,
      gyroscopeBias: (1 - gyroscopeGain).squareRoot() * grade.gyroscopeBias,
      accelerometerBias: 0)
    if isNearlyStill { result.nearlyStillSince = time.advanced(bySeconds: -summary.seconds) }
    // The length is |g + b|: bias across gravity lengthens it by |b|^2 / 2g, of second moment 2 sigma^4 / g^2.
    let curvature = 2 * pow(biasSigma, 4) / (g * g)
    coupleTilt(
      &result.covariance, rotation: worldFromIMU.rotation, bias: biasSigma, motion: motion,
      alongVariance: (1 - biasGain) * biasSigma * biasSigma + curvature)
    if !isInconsistent, let weighed = AccelerometerBiasPrior(grade).posterior(result.state, result.covariance) {
      (result.state, result.covariance) = (weighed.state, weighed.covariance)
    }
    return result
  }

  /// 1-sigma of the velocity of a nearly still hand, m/s: adds the variances of the flow, of the tremor and of
  /// undetected motion.
  private func velocitySigma(_ summary: MotionSummary, flow: Double?) -> Double {
    // Speed corresponding to the flow of objects at three metres. Flow is a mean: after a reversal the present speed is
    // twice that.
    let seen = flow.map { min(2 * $0 / InverseDistancePrior.handHeld.mean, 1) } ?? 1
    // Sway of a hand at 0.4 Hz; higher frequencies give less speed.
    let tremor = 0.4 * summary.forceScatter
    let unseen = 0.05
    return (seen * seen + tremor * tremor + unseen * unseen).squareRoot()
  }

  /// Sets tilt, accelerometer bias and their correlation.
  ///
  /// With w = R (db_a + n) in the world, `theta x (0, 0, g) = w` across gravity: `theta_x = -w_y / g`, `theta_y = w_x /
  /// g`.
  private func coupleTilt(
    _ covariance: inout [Double], rotation: Rotation, bias: Double, motion: Double, alongVariance: Double
  ) {
    let g = calibration.gravityMagnitude
    let across = bias * bias
    let worldBias = Matrix3(diagonal: Vector3(across, across, alongVariance))
    let r = rotation.matrix
    let biasCovariance = r.transpose * worldBias * r
    let tilt = Matrix3(rows: Vector3(0, -1 / g, 0), Vector3(1 / g, 0, 0), .zero)
    let cross = tilt * worldBias * r  // E[theta db_a^T], db_a = R^T (world bias)
    let tiltVariance = (across + motion * motion) / (g * g)
    for i in 0..<3 {
      for j in 0..<3 {
        covariance[15 * (12 + i) + 12 + j] = biasCovariance[i, j]
        covariance[15 * i + 12 + j] = cross[i, j]
        covariance[15 * (12 + j) + i] = cross[i, j]
      }
    }
    for i in 0..<2 { covariance[16 * i] = tiltVariance }
  }
}

/// Means over a window of inertial samples.
private struct MotionSummary {
  /// Mean specific force, m/s^2, in the axes of the window's end.
  private(set) var force = Vector3.zero
  /// Root mean squared distance of the specific force from its mean, m/s^2, both in the axes of the window's end.
  private(set) var forceScatter = 0.0
  /// Mean angular rate, rad/s.
  private(set) var rateMean = Vector3.zero
  /// Root mean squared distance of the angular rate from its mean, rad/s.
  private(set) var rateScatter = 0.0
  /// Root mean square of the angular rate, rad/s.
  var rate: Double { (rateMean.squaredNorm + rateScatter * rateScatter).squareRoot() }
  /// From the first sample to the last.
  private(set) var seconds = 0.0

  /// Over at least one sample.
  init(_ samples: ArraySlice<IMUSample>) {
    let count = Double(samples.count)
    seconds = samples.last!.timestamp.seconds(since: samples.first!.timestamp)
    rateMean = samples.reduce(.zero) { $0 + $1.angularVelocity } / count
    rateScatter = (samples.reduce(0) { $0 + ($1.angularVelocity - rateMean).squaredNorm } / count).squareRoot()
    var endFromSample = Rotation.identity
    var later = samples.last!.timestamp
    var rotated: [Vector3] = []
    for sample in samples.reversed() {
      endFromSample = endFromSample * Rotation.exp(-later.seconds(since: sample.timestamp) * sample.angularVelocity)
      later = sample.timestamp
      rotated.append(endFromSample * sample.specificForce)
    }
    let mean = rotated.reduce(.zero, +) / count
    force = mean
    forceScatter = (rotated.reduce(0) { $0 + ($1 - mean).squaredNorm } / count).squareRoot()
  }
}
