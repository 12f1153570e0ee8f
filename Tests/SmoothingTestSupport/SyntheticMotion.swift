import CameraGeometry
import Geometry
import Inertial
import LeastSquares
import SensorData
import Simulation
import Smoothing

import struct Estimator.RigEstimate

/// A device whose motion is the exact propagation of its IMU samples, with its observations: a problem with known
/// solution.
package struct SyntheticMotion {
  package static let imu = IMUCalibration(
    gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: 1e-2,
    accelerometerRandomWalk: 1e-3)
  package static let camera = CameraCalibration(
    bodyFromCamera: Pose(
      rotation: Rotation(matrix: Matrix3(rows: Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, -1, 0))),
      translation: Vector3(0.05, -0.02, 0.1)),
    fx: 258, fy: 262, cx: 328, cy: 229, distortion: .fieldOfView(w: 0.93), width: 640, height: 480, pixelNoise: 0.7)
  package static let gravity = Vector3(0, 0, -9.81)

  package var samples = IMUBuffer()
  /// True states, ten per second, at the times of the keyframes.
  package var states: [(time: Timestamp, state: InertialState)] = []

  package static func time(_ milliseconds: Int) -> Timestamp { Timestamp(nanoseconds: Int64(milliseconds) * 1_000_000) }

  package static func state(_ source: inout SeededRandom) -> InertialState {
    InertialState(
      rotation: source.rotation(), position: 3 * source.gaussian3(), velocity: source.gaussian3(),
      gyroscopeBias: 0.02 * source.gaussian3(), accelerometerBias: 0.3 * source.gaussian3())
  }

  /// A hand in fast motion; the states are the propagation of the samples.
  package init(seconds: Int = 2, _ source: inout SeededRandom) {
    var state = Self.state(&source)
    state.rotation = Rotation.exp(0.2 * source.gaussian3())
    state.velocity = .zero
    let phases = source.gaussian3()
    func wave(_ t: Double, _ rate: Double, _ size: Double) -> Vector3 {
      size * Vector3(sine(rate * t + phases.x), sine(1.3 * rate * t + phases.y), sine(0.7 * rate * t + phases.z))
    }
    self.init(from: state, seconds: seconds, rate: { wave($0, 4, 0.6) }, push: { wave($0, 5, 2) })
  }

  /// A level walk of 1 m/s round a curve, with the device upright.
  package init(walking seconds: Int) {
    let start = InertialState(rotation: .identity, position: .zero, velocity: Vector3(1, 0, 0))
    self.init(
      from: start, seconds: seconds, rate: { _ in .zero },
      push: { t in 0.25 * Vector3(-sine(0.25 * t), sine(0.25 * t + .pi / 2), 0) })
  }

  /// `rate`: angular velocity, rad/s; `push`: acceleration without gravity, m/s^2; both in the IMU's axes, by time in
  /// seconds.
  private init(
    from start: InertialState, seconds: Int, rate: (Double) -> Vector3, push: (Double) -> Vector3
  ) {
    var state = start
    for k in 0...(200 * seconds + 2) {
      let t = 0.005 * Double(k)
      _ = samples.add(
        IMUSample(
          timestamp: Self.time(5 * k), angularVelocity: rate(t) + state.gyroscopeBias,
          specificForce: Vector3(0, 0, 9.81) + push(t) + state.accelerometerBias))
    }
    let propagation = InertialPropagation(gravityMagnitude: 9.81)
    states.append((Self.time(0), state))
    for k in 0..<200 * seconds {
      let a = samples.samples[k], b = samples.samples[k + 1]
      state = propagation.propagated(
        state, angularVelocity: 0.5 * (a.angularVelocity + b.angularVelocity),
        specificForce: 0.5 * (a.specificForce + b.specificForce), dt: 0.005)
      if (k + 1) % 20 == 0 { states.append((Self.time(5 * (k + 1)), state)) }
    }
  }

  /// The problem whose solution is the true states: noise-free observations of random points, `length` keyframes each.
  package func problem(points: Int, observations length: Int = 8, _ source: inout SeededRandom) -> BatchProblem? {
    let noise = InertialNoise(Self.imu)
    let rig = RigEstimate(mount: CameraMount(imuFromCamera: Self.camera.bodyFromCamera))
    let keyframes = states.map { moment, state in
      Keyframe(
        timestamp: moment, state: state, measuredRate: samples.sample(at: moment)!.angularVelocity)
    }
    var motions: [(factor: InertialFactor, weight: [Double])] = []
    for (a, b) in zip(states, states.dropFirst()) {
      guard
        let motion = PreintegratedIMU(
          samples, from: a.time, to: b.time, gyroscopeBias: a.state.gyroscopeBias,
          accelerometerBias: a.state.accelerometerBias, noise: noise),
        let weight = SmallCholesky.inverseRoot(motion.covariance, size: 15)
      else { return nil }
      motions.append((InertialFactor(motion: motion, gravity: Self.gravity), weight))
    }
    let lens = LensModel(Self.camera)
    let cameras = keyframes.map { $0.state.worldFromIMU * rig.mount.imuFromCamera }
    var tracks: [LandmarkTrack] = []
    for id in 0..<points {
      let first = id % max(keyframes.count - length, 1), anchor = cameras[first]
      let direction = (anchor.rotation * Vector3(source.gaussian(), source.gaussian(), 2)).normalized
      let landmark = InverseDistancePoint(
        origin: anchor.translation, bearing: direction, inverseDistance: source.uniform(0.05...0.8))
      let observations = (first..<min(first + length, keyframes.count)).compactMap { k -> LandmarkTrack.Observation? in
        let seen = cameras[k].rotation.inverse * landmark.scaled(from: cameras[k].translation)
        guard let pixel = lens.project(seen)?.pixel else { return nil }
        return .init(keyframe: k, pixel: pixel, direction: seen.normalized)
      }
      tracks.append(LandmarkTrack(featureID: Int64(id), observations: observations, landmark: landmark))
    }
    func diagonal(_ n: Int, _ value: Double) -> [Double] { (0..<n * n).map { $0 % (n + 1) == 0 ? value : 0 } }
    var start = diagonal(15, 10)
    for i in [2, 3, 4, 5] { start[16 * i] = 1e4 }
    return BatchProblem(
      keyframes: keyframes, rig: rig, tracks: tracks, motions: motions,
      start: .init(mean: keyframes[0].state, weight: start),
      rigPrior: .init(mean: rig, weight: diagonal(RigEstimate.errorSize, 1000)),
      reprojection: Reprojection(lens: lens, pixelNoise: Self.camera.pixelNoise))
  }
}

private func sine(_ x: Double) -> Double { Rotation.exp(Vector3(0, 0, x)).matrix[1, 0] }
