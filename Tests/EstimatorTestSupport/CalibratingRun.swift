import CameraGeometry
import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

/// Runs in a small room with a calibration that is off by one sigma in every component.
package enum CalibratingRun {
  private typealias World = SmallRoom
  private static let online = CalibrationConfiguration.allOnline

  /// A calibration that is off by one sigma in every component, with signs drawn from a seed.
  package static func wrong(_ seed: UInt64, _ online: CalibrationConfiguration = online) -> CameraCalibration {
    var source = SeededRandom(seed: seed, stream: 77)
    func sign() -> Double { source.chance(0.5) ? 1 : -1 }
    var camera = World.camera
    func three(_ sigma: Double) -> Vector3 { sigma * Vector3(sign(), sign(), sign()) }
    camera.bodyFromCamera.rotation = camera.bodyFromCamera.rotation * Rotation.exp(three(online.rotation))
    camera.bodyFromCamera.translation += three(online.translation)
    camera.timeOffset += sign() * online.timeOffset
    camera.fx *= 1 + sign() * online.focalLength
    camera.fy *= 1 + sign() * online.focalLength
    camera.cx += sign() * online.principalPoint * World.camera.fx
    camera.cy += sign() * online.principalPoint * World.camera.fy
    return camera
  }

  package struct Outcome {
    /// Largest error of each component over all frames, in its sigmas at that frame.
    package var largest = [Double](repeating: 0, count: 11)
    /// Sigmas at the first frame and at the last.
    package var first: [Double] = [], last: [Double] = []
    /// Root mean square error of the position, metres.
    package var position = 0.0
    package var learnt: [CalibrationPart] = []
    /// Errors at the last frame.
    package var lastErrors: [Double] = []
  }

  /// A run initialised from the truth with the filter's usual covariance, and a calibration off by one sigma.
  package static func run(
    _ motion: @escaping (Double) -> Pose, seconds: Double, seed: UInt64, isOnline: Bool,
    _ online: CalibrationConfiguration = online
  ) throws -> Outcome {
    var world = World(motion, seed: seed)
    let stated = wrong(seed, online)
    var configuration = VisualInertialConfiguration()
    configuration.calibration = isOnline ? online : CalibrationConfiguration()
    let estimator = VisualInertialEstimator(imu: World.imu, camera: stated, configuration: configuration)
    let t = 0.05, h = 1e-4
    let (before, now, after) = (world.worldFromIMU(t - h), world.worldFromIMU(t), world.worldFromIMU(t + h))
    var start = InitialEstimate(
      truth: GroundTruthState(timestamp: World.start, worldFromBody: .identity), calibration: World.imu,
      angularVelocity: .zero)
    start.time = World.start.advanced(byNanoseconds: 50_000_000)
    var error: [Double] = []
    var source = SeededRandom(seed: 500 + seed)
    start.covariance = [Double](repeating: 0, count: 225)
    for (k, sigma) in [0.005, 0.001, 0.02, 0.002, 0.02].enumerated() {
      for i in 3 * k..<3 * k + 3 {
        error.append(sigma * source.gaussian())
        start.covariance[16 * i] = sigma * sigma
      }
    }
    start.state = InertialState(
      rotation: now.rotation, position: now.translation, velocity: (after.translation - before.translation) / (2 * h),
      gyroscopeBias: World.gyroscopeBias
    ).plus(error)
    for i in 0...10 { estimator.add(world.sample(i)) }
    #expect(estimator.start(from: start))

    var outcome = Outcome(), frames = 0
    for i in 11...Int(200 * seconds) {
      estimator.add(world.sample(i))
      // The newest sample is 25 ms after the frame: the camera's clock may be late by that much.
      guard i % 10 == 5, i > 20 else { continue }
      var frame = world.frame(i - 5)
      frame.timestamp = frame.timestamp.advanced(bySeconds: -World.camera.timeOffset)
      _ = estimator.process(frame)
      // A wrong calibration that is not estimated may end a world: that error is not counted.
      guard let navigation = estimator.navigation else { continue }
      let truth = world.worldFromIMU(navigation.time.seconds(since: World.start))
      outcome.position += (truth.translation - navigation.worldFromNavigation.translation).squaredNorm
      frames += 1
      guard isOnline else { continue }
      let errors = try #require(CalibrationErrors(navigation, truth: World.camera, stated: stated))
      for (k, error) in errors.inSigmas.enumerated() { outcome.largest[k] = max(outcome.largest[k], error) }
      if outcome.first.isEmpty { outcome.first = errors.sigmas }
      (outcome.last, outcome.lastErrors) = (errors.sigmas, errors.errors)
      outcome.learnt = navigation.estimate(of: stated)!.learnt
    }
    outcome.position = (outcome.position / Double(frames)).squareRoot()
    #expect(!isOnline || estimator.restarts == 0)
    return outcome
  }

  /// A rotation about the IMU.
  package static func rotated(_ rotation: Rotation) -> Pose {
    let p = World.imu.bodyFromIMU.translation
    return Pose(rotation: rotation, translation: p - rotation * p)
  }

  /// Rotates and sways for eight seconds, then stops and rotates about the IMU.
  package static func stopping(_ t: Double) -> Pose {
    let going = t < 8 ? pow(sin(.pi * t / 8), 2) : 0, s = max(t - 8, 0)
    let turning = s * s * s / (s * s * s + 1)
    let waved =
      Rotation.yaw(0.4 * going * sin(2 * t)) * .exp(Vector3(0.3 * going * sin(1.7 * t), 0.3 * going * cos(t), 0))
    let swayed = going * Vector3(0.3 * sin(2.3 * t), 0.5 * sin(1.5 * t), 0.2 * sin(1.9 * t))
    let rotated = rotated(.yaw(0.3 * turning * sin(0.8 * s)) * .exp(Vector3(0, 0.2 * turning * sin(1.1 * s), 0)))
    return Pose(translation: swayed) * rotated * Pose(rotation: waved)
  }
}
