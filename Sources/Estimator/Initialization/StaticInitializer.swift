import Foundation
import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Finds a first state from the pull of gravity while the device is quiet, or after some patience while it is not.
///
/// A hand never quite rests, so quiet means that the motion averages out: the specific force, turned into the axes of the
/// window's last moment by the gyroscope, is averaged. Its direction is up, but for the accelerometer's bias: the part of
/// the bias along gravity shows in the length, the part across tilts the estimate and is correlated with that tilt.
package struct StaticInitializer {
  /// Shortest window, seconds. A longer one averages more of a hand's sway: what the hand gained in speed, it gained more slowly.
  static let window = 0.5
  /// Largest scatter of the specific force about its mean that counts as quiet, m/s^2.
  static let quietForce = 0.5
  /// Largest angular rate that counts as quiet, rad/s, root mean square: in the mean, a swing to and fro does not turn at all.
  static let quietRate = 0.25
  /// Largest flow of the picture that counts as quiet, rad/s: a tremor stays below, a slow sway, whose steady acceleration
  /// passes for a tilt, does not.
  static let quietFlow = 0.1

  let calibration: IMUCalibration
  let place: GaugeChoice

  /// - Parameter origin: where the body was when an earlier filter was given up.
  package init(calibration: IMUCalibration, origin: Pose = .identity) {
    self.calibration = calibration
    place = GaugeChoice(origin: origin)
  }

  /// Tries to find a first state.
  ///
  /// - Parameters:
  ///   - samples: the window up to `time`.
  ///   - isMakeshift: take a state in motion, widely uncertain, rather than none.
  ///   - flow: median angle that the features moved per second beyond turning, rad/s, where known: a bound on the speed, for no inertial
  ///     unit sees a steady walk.
  ///   - unseenRate: no hand holds it, says the inertial unit, and the picture does not move: it may turn at this rate, 1-sigma, rad/s.
  ///     Nil without that second witness; a steady turn would pass for a bias.
  package func attempt(
    _ samples: ArraySlice<IMUSample>, at time: Timestamp, isMakeshift: Bool, flow: Double?, unseenRate: Double?
  )
    -> InitializationOutcome
  {
    guard let first = samples.first, let last = samples.last, samples.count >= 10,
      last.timestamp.seconds(since: first.timestamp) >= 0.8 * Self.window
    else { return .waiting("imu") }
    let summary = MotionSummary(samples)
    let quiet =
      summary.forceScatter < Self.quietForce && summary.rate < Self.quietRate
      && (flow ?? 0) < Self.quietFlow
    guard quiet || isMakeshift else { return .waiting("stillness") }
    guard summary.force.norm > 1 else { return .waiting("gravity") }  // in free fall there is no up
    return .ready(estimate(summary, at: time, quiet: quiet, unseenRate: unseenRate, flow: flow))
  }

  private func estimate(
    _ summary: MotionSummary, at time: Timestamp, quiet: Bool, unseenRate: Double?, flow: Double?
  ) -> InitialEstimate {
    let isStill = unseenRate != nil
    let g = calibration.gravityMagnitude
    let up = summary.force.normalized
    let excess = summary.force.norm - g
    let grade = SensorGrade(calibration)
    let velocity = quiet ? quietSpeed(summary, flow: isStill ? 0 : flow) : 1
    // How far the mean force is from gravity plus bias: what the hand may have gained in speed over the window.
    let gained = 2.0.squareRoot() * velocity / max(summary.seconds, Self.window)
    let motion = isStill ? 0.02 + 0.3 * summary.forceScatter : gained
    // A length that contradicts a good unit's bias speaks of a phone's.
    let surprise = abs(excess) > 3 * (grade.accelerometerBias * grade.accelerometerBias + motion * motion).squareRoot()
    let biasSigma = surprise ? max(0.5, abs(excess)) : grade.accelerometerBias

    // Along gravity the length tells the bias as well as the motion lets it (product of two Gaussians).
    let trust = biasSigma * biasSigma / (biasSigma * biasSigma + motion * motion)
    // A slow steady turn looks like a bias: the mean rate is believed only as far as it is small itself.
    let wander = summary.rateMean.squaredNorm / 3 + summary.rateScatter * summary.rateScatter
    let rateSigma = unseenRate.map { max($0, 0.1 * grade.gyroscopeBias) } ?? (quiet ? wander.squareRoot() : 1)
    let prior = grade.gyroscopeBias * grade.gyroscopeBias
    let shrink = prior / (prior + rateSigma * rateSigma)

    let worldFromIMU = place.worldFromIMU(up: up, bodyFromIMU: calibration.bodyFromIMU)
    let state = InertialState(
      rotation: worldFromIMU.rotation, position: worldFromIMU.translation, gyroscopeBias: shrink * summary.rateMean,
      accelerometerBias: trust * excess * up)
    var result = InitialEstimate(
      time: time, state: state, theta: Vector3(0, 0, 1e-4), position: 1e-4,
      velocity: velocity,
      gyroscopeBias: (1 - shrink).squareRoot() * grade.gyroscopeBias,
      accelerometerBias: 0)
    if quiet { result.quietSince = time.advanced(bySeconds: -summary.seconds) }
    coupleTilt(
      &result.covariance, rotation: worldFromIMU.rotation, bias: biasSigma, motion: motion,
      alongVariance: (1 - trust) * biasSigma * biasSigma)
    return result
  }

  /// 1-sigma of the velocity of a quiet hand, m/s: the variances of what is seen, of the tremor and of what neither tells add up.
  private func quietSpeed(_ summary: MotionSummary, flow: Double?) -> Double {
    // What moves across the picture of things three metres away; flow is a mean, and who has just turned round is twice as fast by now.
    let seen = flow.map { min(2 * $0 / InverseDistancePrior.handHeld.mean, 1) } ?? 1
    // At 0.4 Hz, where a hand sways slowly, and less above.
    let tremor = 0.4 * summary.forceScatter
    let unseen = 0.05
    return (seen * seen + tremor * tremor + unseen * unseen).squareRoot()
  }

  /// Fills in tilt, accelerometer bias and their correlation.
  ///
  /// With w = R (db_a + n) in the world, `theta x (0, 0, g) = w` across gravity: `theta_x = -w_y / g`, `theta_y = w_x / g`.
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

/// Averages over a window of inertial samples.
struct MotionSummary {
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
    var turned: [Vector3] = []
    for sample in samples.reversed() {
      endFromSample = endFromSample * Rotation.exp(-later.seconds(since: sample.timestamp) * sample.angularVelocity)
      later = sample.timestamp
      turned.append(endFromSample * sample.specificForce)
    }
    let mean = turned.reduce(.zero, +) / count
    force = mean
    forceScatter = (turned.reduce(0) { $0 + ($1 - mean).squaredNorm } / count).squareRoot()
  }
}
