import CameraGeometry
import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation

/// A device that moves in a room from the first moment on, with its sensor data: every seed draws another motion, other
/// points and other biases from the prior. A phone's IMU axes, camera mount and camera clock have errors too, and its
/// accelerometer's bias is unstable.
package struct StartWorld {
  /// The grade of the IMU.
  package enum Grade: String, CaseIterable { case industrial, phone }

  package static let begin = Timestamp(nanoseconds: 5_000_000_000)
  package static let camera = CameraCalibration(
    bodyFromCamera: Pose(
      rotation: Rotation(matrix: Matrix3(rows: Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, -1, 0))),
      translation: Vector3(0.03, 0.01, -0.02)),
    fx: 458, fy: 458, cx: 376, cy: 240, width: 752, height: 480)

  package let imu: IMUCalibration
  /// Pose of the body, seconds after `begin`.
  package var worldFromBody: (Double) -> Pose
  package var gyroscopeBias: Vector3
  package var accelerometerBias: Vector3
  package var pixelNoise = 1.0
  /// Correlation time of a track's error, seconds; 0: white noise.
  package var trackCorrelationTime = 0.0
  /// Image velocity of moving points, pixels per second.
  package var slides: [Int: SIMD2<Double>] = [:]
  private var trackErrors: [Int: (seconds: Double, error: SIMD2<Double>)] = [:]
  /// True IMU axes and mount, unknown to the estimator.
  private var axes = IMUIntrinsics()
  private var mount: CameraMount
  /// Deviations of the accelerometer's bias, 200 Hz; empty where it is constant.
  private var biasDeviations: [Vector3] = []
  package var isNoisy = true
  package var points: [Vector3] = []
  private var source: SeededRandom

  package init(seed: UInt64, grade: Grade = .industrial) {
    source = SeededRandom(seed: seed)
    imu =
      grade == .industrial
      ? IMUCalibration(
        bodyFromIMU: Pose(rotation: source.rotation(), translation: Vector3(0.05, -0.03, 0.02)),
        gyroscopeNoiseDensity: 1.7e-4, gyroscopeRandomWalk: 2e-5, accelerometerNoiseDensity: 2e-3,
        accelerometerRandomWalk: 3e-3)
      : IMUCalibration(
        bodyFromIMU: Pose(rotation: source.rotation(), translation: Vector3(0.05, -0.03, 0.02)),
        gyroscopeNoiseDensity: 7e-4, gyroscopeRandomWalk: 1e-3, accelerometerNoiseDensity: 1.9e-2,
        accelerometerRandomWalk: 8e-3)
    mount = CameraMount(imuFromCamera: imu.bodyFromIMU.inverse * Self.camera.bodyFromCamera)
    let prior = SensorGrade(imu)
    gyroscopeBias = prior.gyroscopeBias * source.gaussian3()
    // Of units with low noise every other one is calibrated axis by axis.
    let isNarrow = prior.narrowBiasProbability > 0 && seed.isMultiple(of: 2)
    accelerometerBias = (isNarrow ? prior.narrowAccelerometerBias : prior.accelerometerBias) * source.gaussian3()
    worldFromBody = Self.motion(&source)
    if let instability = AccelerometerInstability(imu) {
      axes.add((0..<IMUIntrinsics.count).map { _ in IMUIntrinsics.sigma(imu) * source.gaussian() }[...])
      mount = mount.plus(CameraMount.errorSigmas.map { $0 * source.gaussian() }[...])
      biasDeviations = [instability.sigma * source.gaussian3()]
      for _ in 0..<600 {
        let next = instability.bias(biasDeviations[biasDeviations.count - 1], mean: .zero, after: 0.005)
        biasDeviations.append(next + instability.variance(after: 0.005).squareRoot() * source.gaussian3())
      }
    }
    for _ in 0..<700 {
      points.append(Vector3(source.uniform(2.5...7), source.uniform(-5...5), source.uniform(-2.5...2.5)))
    }
  }

  /// Six sinusoids without a stationary moment.
  private static func motion(_ source: inout SeededRandom) -> (Double) -> Pose {
    let amplitudes = (0..<6).map { _ in source.uniform(0.15...0.6) }
    let rates = (0..<6).map { _ in source.uniform(1...2.8) }
    let phases = (0..<6).map { _ in source.uniform(-3...3) }
    return { t in
      func wave(_ i: Int) -> Double { amplitudes[i] * sin(rates[i] * t + phases[i]) }
      return Pose(
        rotation: Rotation.exp(Vector3(0.4 * wave(0), 0.4 * wave(1), 0.6 * wave(2))),
        translation: Vector3(wave(3), wave(4), 0.5 * wave(5)))
    }
  }

  package func time(_ seconds: Double) -> Timestamp { Self.begin.advanced(bySeconds: seconds) }

  package func worldFromIMU(_ t: Double) -> Pose { worldFromBody(t) * imu.bodyFromIMU }

  package func velocity(_ t: Double) -> Vector3 {
    (worldFromIMU(t + 1e-4).translation - worldFromIMU(t - 1e-4).translation) / 2e-4
  }

  /// The accelerometer's bias, m/s^2.
  package func bias(_ seconds: Double) -> Vector3 {
    guard !biasDeviations.isEmpty else { return accelerometerBias }
    return accelerometerBias + biasDeviations[min(Int((seconds * 200).rounded()), biasDeviations.count - 1)]
  }

  /// IMU reading for the true values, biases included.
  private func read(rate: Vector3, force: Vector3) -> (rate: Vector3, force: Vector3) {
    let units = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
    let columns = units.map { axes.corrected(angularVelocity: $0, specificForce: $0) }
    let byRate = Matrix3(columns: columns[0].rate, columns[1].rate, columns[2].rate)
    let byForce = Matrix3(columns: columns[0].force, columns[1].force, columns[2].force)
    return (byRate.inverse! * rate, byForce.inverse! * force)
  }

  /// Samples at 200 Hz over some seconds.
  package mutating func samples(_ seconds: Double) -> IMUBuffer {
    var buffer = IMUBuffer()
    let white = isNoisy ? 200.0.squareRoot() : 0
    for i in 0...Int((seconds * 200).rounded()) {
      let t = Double(i) * 0.005, h = 1e-4
      let (before, now, after) = (worldFromIMU(t - h), worldFromIMU(t), worldFromIMU(t + h))
      let acceleration = (before.translation + after.translation - 2 * now.translation) / (h * h)
      let rate = (before.rotation.inverse * after.rotation).log / (2 * h)
      let force = now.rotation.inverse * (acceleration + Vector3(0, 0, imu.gravityMagnitude))
      let reading = read(rate: rate + gyroscopeBias, force: force + bias(t))
      _ = buffer.add(
        IMUSample(
          timestamp: time(t),
          angularVelocity: reading.rate + imu.gyroscopeNoiseDensity * white * source.gaussian3(),
          specificForce: reading.force + imu.accelerometerNoiseDensity * white * source.gaussian3()))
    }
    return buffer
  }

  /// A frame with at most `most` points, 1 sigma of noise.
  package mutating func frame(_ seconds: Double, most: Int = 90) -> CameraFrame {
    let lens = LensModel(Self.camera)
    let cameraFromWorld = (worldFromIMU(seconds + mount.delay) * mount.imuFromCamera).inverse
    var features: [FeatureObservation] = []
    for (id, point) in points.enumerated() where features.count < most {
      guard let pixel = lens.project(cameraFromWorld * point)?.pixel, pixel.x > 0, pixel.x < 752, pixel.y > 0,
        pixel.y < 480
      else { continue }
      let error = (isNoisy ? trackError(id, seconds) : .zero) + seconds * (slides[id] ?? .zero)
      features.append(FeatureObservation(featureID: Int64(id), u: pixel.x + error.x, v: pixel.y + error.y))
    }
    return CameraFrame(timestamp: time(seconds), features: features)
  }

  /// A track's error in a frame, pixels.
  private mutating func trackError(_ id: Int, _ seconds: Double) -> SIMD2<Double> {
    let fresh = pixelNoise * SIMD2(source.gaussian(), source.gaussian())
    guard trackCorrelationTime > 0 else { return fresh }
    let old = trackErrors[id].flatMap { $0.seconds < seconds ? $0 : nil }
    let left = old.map { exp(-(seconds - $0.seconds) / trackCorrelationTime) } ?? 0
    let error = left * (old?.error ?? .zero) + (1 - left * left).squareRoot() * fresh
    trackErrors[id] = (seconds, error)
    return error
  }

  /// Frames at 20 Hz over some seconds.
  package mutating func window(_ seconds: Double, most: Int = 90) -> InitializationWindow {
    var window = InitializationWindow()
    for i in 0...Int((seconds * 20).rounded()) {
      let frame = frame(Double(i) * 0.05, most: most)
      window.add(frame, at: frame.timestamp)
    }
    return window
  }

  package var initializer: DynamicInitializer {
    DynamicInitializer(calibration: imu, camera: FilterCamera(Self.camera, imu: imu))
  }

  /// Growing windows, as while a filter waits; the first estimate.
  package mutating func start() -> (InitialEstimate?, DynamicInitializer.Refusal?) {
    let samples = samples(2.05)
    var refusal: DynamicInitializer.Refusal?
    for seconds in [0.8, 1.2, 1.6, 2] {
      switch initializer.attempt(window(seconds), samples) {
      case .success(let estimate): return (estimate, nil)
      case .failure(let reason): refusal = reason
      }
    }
    return (nil, refusal)
  }

  /// The error of an estimate in (theta_x, theta_y, v, b_g, b_a), position and heading being free, and its NEES with
  /// eleven degrees of freedom.
  package func error(_ estimate: InitialEstimate) -> (error: [Double], nees: Double?) {
    let t = estimate.time.seconds(since: Self.begin)
    let actual = worldFromIMU(t).rotation, state = estimate.state
    let yaw = Rotation.yaw((state.rotation * actual.inverse).twistAboutZ)
    let theta = (yaw * actual * state.rotation.inverse).log
    let parts = [
      yaw * velocity(t) - state.velocity, gyroscopeBias - state.gyroscopeBias,
      bias(t) - state.accelerometerBias,
    ]
    let error = [theta.x, theta.y] + parts.flatMap { [$0.x, $0.y, $0.z] }
    let rows = [0, 1] + Array(6..<15)
    let covariance = ErrorCovariance()
    let marginal = rows.flatMap { i in rows.map { estimate.covariance[15 * i + $0] } }
    guard let block = covariance.augment(size: 11, independent: marginal) else { return (error, nil) }
    let identity = (0..<121).map { $0 % 12 == 0 ? 1.0 : 0 }
    let nees = covariance.normalizedInnovation(
      jacobian: [(block, identity)], residual: error, noise: [Double](repeating: 1e-12, count: 11))
    return (error, nees)
  }
}
