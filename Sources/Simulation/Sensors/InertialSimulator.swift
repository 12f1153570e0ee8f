import Foundation
import Geometry
import SensorData

/// Measurements of an IMU along a motion: `w = M_g w_S + b_g + n_g`, `f = M_a R_SW (a_S + g e_z) + b_a + n_a`, with M
/// the triads' scale and misalignment; each axis saturates at its limit.
///
/// White noise of density s sampled at rate r has the standard deviation `s sqrt(r)`. A bias with random walk s changes
/// by `s / sqrt(r)` (1-sigma) per sample. Source: Kalibr's IMU noise model; Crassidis, "Sigma-point Kalman filtering
/// for integrated GPS and inertial navigation", IEEE TAES 42(2), 2006, doi:10.1109/TAES.2006.1642588.
struct InertialSimulator {
  /// The samples, in time order; none in the gaps.
  let samples: [IMUSample]
  /// The true biases at each sample period, gaps included: rad/s and m/s^2, in the IMU's axes.
  let biases: [(gyroscope: Vector3, accelerometer: Vector3)]

  init(_ settings: Scenario.Inertial, along motion: PoseSpline, start: Timestamp, seed: UInt64) {
    var biasRandom = RandomStream.inertialBias.generator(seed: seed)
    var noise = RandomStream.inertialNoise.generator(seed: seed)
    func initialBias(_ largest: Double) -> Vector3 {
      Vector3(biasRandom.uniform(-1...1), biasRandom.uniform(-1...1), biasRandom.uniform(-1...1)) * largest
    }
    var gyroscopeBias = initialBias(settings.gyroscopeBias)
    var accelerometerBias = initialBias(settings.accelerometerBias)
    var triadRandom = RandomStream.triads.generator(seed: seed)
    let gyroscope = TriadSimulator(settings.gyroscopeTriad, &triadRandom)
    let accelerometer = TriadSimulator(settings.accelerometerTriad, &triadRandom)
    var stamps = RandomStream.stamps.generator(seed: seed)
    let root = settings.rate.squareRoot()
    var samples: [IMUSample] = []
    var biases: [(gyroscope: Vector3, accelerometer: Vector3)] = []
    let count = Int(motion.duration * settings.rate) + 1
    for k in 0..<count {
      let time = Double(k) / settings.rate
      let ideal = Self.ideal(motion.kinematics(at: time), settings)
      let error = max(-0.45 / settings.rate, min(0.45 / settings.rate, settings.stampJitter * stamps.gaussian()))
      let sample = IMUSample(
        timestamp: start.advanced(bySeconds: time + error),
        angularVelocity: gyroscope.measure(
          ideal.angularVelocity, bias: gyroscopeBias,
          noise: noise.gaussian3() * (settings.gyroscopeNoiseDensity * root)),
        specificForce: accelerometer.measure(
          ideal.specificForce, bias: accelerometerBias,
          noise: noise.gaussian3() * (settings.accelerometerNoiseDensity * root)))
      if !settings.gaps.contains(where: { $0.contains(time) }) { samples.append(sample) }
      biases.append((gyroscopeBias, accelerometerBias))
      gyroscopeBias += biasRandom.gaussian3() * (settings.gyroscopeRandomWalk / root)
      accelerometerBias += biasRandom.gaussian3() * (settings.accelerometerRandomWalk / root)
    }
    self.samples = samples
    self.biases = biases
  }

  /// Error-free measurement in the IMU's axes: rad/s and m/s^2.
  static func ideal(
    _ body: Kinematics, _ settings: Scenario.Inertial
  ) -> (angularVelocity: Vector3, specificForce: Vector3) {
    let unit = body.moved(to: settings.bodyFromIMU)
    let force = unit.acceleration + Vector3(0, 0, settings.gravity)
    return (unit.angularVelocity, unit.worldFromBody.rotation.inverse * force)
  }
}

/// Three axes with scale and misalignment errors and a limit: `min(max(M x + b + n, -limit), limit)`, `M = I + S`.
private struct TriadSimulator {
  private let matrix: Matrix3
  private let limit: Double

  /// Axes whose errors are drawn from `random`: nine numbers, whatever the settings.
  init(_ settings: Scenario.Triad, _ random: inout SeededRandom) {
    var matrix = Matrix3.identity
    for row in 0..<3 {
      for column in 0..<3 {
        matrix[row, column] += random.uniform(-1...1) * (row == column ? settings.scale : settings.misalignment)
      }
    }
    self.matrix = matrix
    limit = settings.limit ?? .infinity
  }

  /// The measurement of a true vector, in its unit.
  func measure(_ truth: Vector3, bias: Vector3, noise: Vector3) -> Vector3 {
    (matrix * truth + bias + noise).clamped(
      lowerBound: Vector3(repeating: -limit), upperBound: Vector3(repeating: limit))
  }
}

/// External odometry: poses in a world of its own, whose heading and position drift as random walks.
struct OdometrySimulator {
  /// Poses of the body along a motion, in time order.
  static func poses(
    _ settings: Scenario.Odometry, along motion: PoseSpline, start: Timestamp, seed: UInt64
  ) -> [OdometryPose] {
    var random = RandomStream.odometry.generator(seed: seed)
    var worldFromTruth = Rotation.identity
    var last = motion.kinematics(at: 0).worldFromBody.translation
    var position = last
    let count = Int(motion.duration * settings.rate) + 1
    return (0..<count).map { k in
      let time = Double(k) / settings.rate
      let truth = motion.kinematics(at: time).worldFromBody
      let step = truth.translation - last
      last = truth.translation
      // Each step is rotated by the current heading error; its noise is proportional to the root of its length.
      position += worldFromTruth * step + random.gaussian3() * (settings.positionRandomWalk * step.norm.squareRoot())
      let pose = Pose(rotation: worldFromTruth * truth.rotation, translation: position)
      let yawStep = settings.yawRandomWalk / settings.rate.squareRoot() * random.gaussian()
      worldFromTruth = Rotation.yaw(yawStep) * worldFromTruth
      return OdometryPose(timestamp: start.advanced(bySeconds: time), worldFromSensor: pose)
    }
  }
}
