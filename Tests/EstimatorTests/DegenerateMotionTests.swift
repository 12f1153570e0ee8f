import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing
import CameraGeometry

/// Motions that leave parts of a calibration open: what they do not tell must neither drift nor be believed.
@Suite struct DegenerateMotionTests {
  typealias World = VisualInertialEstimatorTests.World
  static let online = OnlineCalibrationTests.online

  /// A calibration that is off by one sigma in every number, which way a seed says.
  static func wrong(_ seed: UInt64, _ online: CalibrationConfiguration = online) -> CameraCalibration {
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

  struct Outcome {
    /// Largest error of every number at any frame, in its sigmas then.
    var largest = [Double](repeating: 0, count: 11)
    /// Sigmas at the first frame and at the last.
    var first: [Double] = [], last: [Double] = []
    /// Root mean square error of the position, metres.
    var position = 0.0
    var learnt: [CalibrationPart] = []
    /// Errors at the last frame.
    var lastErrors: [Double] = []
  }

  /// A run from the truth, known to a filter's usual start, with a calibration off by one sigma.
  static func run(
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
      // The newest sample is 25 ms ahead of the frame: a camera's clock may be late by that much.
      guard i % 10 == 5, i > 20 else { continue }
      var frame = world.frame(i - 5)
      frame.timestamp = frame.timestamp.advanced(bySeconds: -World.camera.timeOffset)
      _ = estimator.process(frame)
      // Believed to be right, a wrong calibration may end a world: that error is not counted.
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

  /// A motion, how long it lasts, and the numbers that it leaves as they were.
  struct Motion: CustomTestStringConvertible, Sendable {
    var name: String
    var seconds: Double
    var untold: [Int]
    var pose: @Sendable (Double) -> Pose
    var testDescription: String { name }
  }

  /// A turn about the inertial unit.
  static func turned(_ rotation: Rotation) -> Pose {
    let p = World.imu.bodyFromIMU.translation
    return Pose(rotation: rotation, translation: p - rotation * p)
  }

  /// Waves and sways for eight seconds, then stops and turns about the inertial unit.
  static func stopping(_ t: Double) -> Pose {
    let going = t < 8 ? pow(sin(.pi * t / 8), 2) : 0, s = max(t - 8, 0)
    let turning = s * s * s / (s * s * s + 1)
    let waved =
      Rotation.yaw(0.4 * going * sin(2 * t)) * .exp(Vector3(0.3 * going * sin(1.7 * t), 0.3 * going * cos(t), 0))
    let swayed = going * Vector3(0.3 * sin(2.3 * t), 0.5 * sin(1.5 * t), 0.2 * sin(1.9 * t))
    let turned = turned(.yaw(0.3 * turning * sin(0.8 * s)) * .exp(Vector3(0, 0.2 * turning * sin(1.1 * s), 0)))
    return Pose(translation: swayed) * turned * Pose(rotation: waved)
  }

  static let motions: [Motion] = [
    Motion(name: "standing", seconds: 20, untold: Array(0..<11)) { _ in .identity },
    Motion(name: "even acceleration", seconds: 14, untold: Array(0..<11)) { t in
      Pose(translation: Vector3(0, -2 + 0.02 * t * t, 0))
    },
    // About the inertial unit, so that it feels no acceleration: what is told of the lens, 20 sigmas off when it was believed, is as
    // well told of the way.
    Motion(name: "turning about one axis", seconds: 20, untold: Array(0..<11)) { t in
      turned(.yaw(0.3 * sin(0.8 * t)))
    },
    Motion(name: "turning", seconds: 20, untold: Array(0..<11)) { t in
      turned(.yaw(0.3 * sin(0.8 * t)) * .exp(Vector3(0.1 * sin(1.3 * t), 0.2 * sin(1.1 * t), 0)))
    },
  ]

  /// What was learnt while the motion told it stays: turning for half a minute afterwards neither moves it nor makes it look better known.
  @Test func whatWasLearntStays() throws {
    for seed in UInt64(1)...4 {
      let before = try Self.run(Self.stopping, seconds: 18, seed: seed, isOnline: true)
      let after = try Self.run(Self.stopping, seconds: 40, seed: seed, isOnline: true)
      print(
        "stopping, seed \(seed): largest", after.largest, "sigmas left", zip(after.last, before.last).map { $0 / $1 })
      #expect(before.learnt.contains(.lens) && before.learnt.contains(.rotation))
      #expect(zip(before.last, before.first).allSatisfy { $0 < 0.8 * $1 })
      #expect(zip(after.last, before.last).allSatisfy { abs($0 / $1 - 1) < 0.05 })
      #expect(zip(after.lastErrors, after.last).allSatisfy { abs($0) < 3.5 * $1 })
    }
  }

  /// Errors stay within three honest sigmas, sigmas do not shrink where nothing is told, and the path is no worse than with the
  /// wrong calibration believed.
  @Test(arguments: motions) func whatIsNotToldDoesNotDrift(_ motion: Motion) throws {
    var position = (online: 0.0, off: 0.0)
    for seed in UInt64(1)...8 {
      let online = try Self.run(motion.pose, seconds: motion.seconds, seed: seed, isOnline: true)
      let off = try Self.run(motion.pose, seconds: motion.seconds, seed: seed, isOnline: false)
      position.online += online.position * online.position
      position.off += off.position * off.position
      print(
        "\(motion.name), seed \(seed): learnt", online.learnt.map(\.rawValue), "largest",
        online.largest.map { ($0 * 100).rounded() / 100 }, "sigmas left",
        zip(online.last, online.first).map { (100 * $0 / $1).rounded() / 100 }, "position", online.position,
        off.position)
      #expect(online.largest.allSatisfy { $0 < 3 })
      for k in motion.untold { #expect(online.last[k] >= 0.95 * online.first[k]) }
    }
    #expect(position.online.squareRoot() <= 1.05 * position.off.squareRoot() + 0.001)
  }
}
