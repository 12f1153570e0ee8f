import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

@Suite struct StaticInitializerTests {
  static func samples(
    _ calibration: IMUCalibration, _ rotation: Rotation, bias: Vector3, rate: Vector3, shake: Double,
    _ source: inout SeededRandom
  ) -> ArraySlice<IMUSample> {
    ArraySlice(
      (0..<100).map { i in
        IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 5_000_000), angularVelocity: rate,
          specificForce: rotation.inverse * Vector3(0, 0, 9.81) + bias + shake * source.gaussian3())
      })
  }

  static func initializer(_ calibration: IMUCalibration) -> StaticInitializer {
    StaticInitializer(calibration: calibration)
  }

  static let phone = IMUCalibration(
    gyroscopeNoiseDensity: 7e-4, gyroscopeRandomWalk: 1e-3, accelerometerNoiseDensity: 2e-2,
    accelerometerRandomWalk: 8e-3)

  /// Biases drawn from the prior, many times: tilt, bias and their correlation match the covariance.
  @Test func tiltAndBiasCovarianceIsConsistent() throws {
    var source = SeededRandom(seed: 3)
    var sum = 0.0
    let runs = 400
    for _ in 0..<runs {
      let rotation = source.rotation()
      let bias = SensorGrade(Self.phone).accelerometerBias * source.gaussian3()
      let window = Self.samples(Self.phone, rotation, bias: bias, rate: .zero, shake: 0.1, &source)
      guard
        case .ready(let estimate) = Self.initializer(Self.phone).attempt(
          window, at: window.last!.timestamp, isMakeshift: false, flow: 0, unseenRate: nil)
      else { Issue.record("not ready"); return }
      // Heading is arbitrary: compare after rotating the truth to the estimate's heading.
      let up = estimate.state.rotation * (rotation.inverse * Vector3(0, 0, 1))
      let theta = Rotation.carrying(Vector3(0, 0, 1), into: up).inverse.log
      let error = [theta.x, theta.y] + (0..<3).map { bias[$0] - estimate.state.accelerometerBias[$0] }
      let rows = [0, 1, 12, 13, 14]
      let covariance = ErrorCovariance()
      let block = try #require(
        covariance.augment(size: 5, independent: rows.flatMap { i in rows.map { estimate.covariance[15 * i + $0] } }))
      let identity = (0..<25).map { $0 % 6 == 0 ? 1.0 : 0 }
      sum += try #require(
        covariance.normalizedInnovation(
          jacobian: [(block, identity)], residual: error, noise: [Double](repeating: 1e-6, count: 5)))
    }
    // Five degrees of freedom. The allowance for motion (0.07 m/s^2 here) exceeds the shake's mean, so the covariance
    // is conservative; a missing correlation would give a multiple.
    let mean = sum / Double(runs)
    #expect(mean > 2 && mean < 5.6)
  }

  /// A stationary IMU with offsets drawn from the prior: on a straight walk the tilt error stays as here.
  @Test func tiltCovarianceWithOffsetsIsConsistent() throws {
    let unit = IMUCalibration(
      gyroscopeNoiseDensity: 2e-4, gyroscopeRandomWalk: 2e-5, accelerometerNoiseDensity: 2e-3,
      accelerometerRandomWalk: 5e-4)
    var source = SeededRandom(seed: 6)
    var sum = 0.0
    let runs = 2000, grade = SensorGrade(unit)
    for _ in 0..<runs {
      let isNarrow = source.uniform(0...1) < grade.narrowBiasProbability
      let bias =
        (isNarrow ? grade.narrowAccelerometerBias : grade.accelerometerBias) * source.gaussian3()
      let rotation = source.rotation()
      let window = Self.samples(unit, rotation, bias: bias, rate: .zero, shake: 0.03, &source)
      guard
        case .ready(let estimate) = Self.initializer(unit).attempt(
          window, at: window.last!.timestamp, isMakeshift: false, flow: 0, unseenRate: 0)
      else { Issue.record("not ready"); return }
      let up = estimate.state.rotation * (rotation.inverse * Vector3(0, 0, 1))
      let theta = Rotation.carrying(Vector3(0, 0, 1), into: up).inverse.log
      sum += theta.x * theta.x / estimate.covariance[0] + theta.y * theta.y / estimate.covariance[16]
    }
    // Squares of the mixture's draws by its variance scatter by 2.6, so that the mean of twice 2000 is known to 0.05. The
    // allowance for motion lowers it by a tenth at most.
    let mean = sum / Double(2 * runs)
    #expect(mean > 0.75 && mean < 1.15)
  }

  /// A swing: no net rotation, and a steady acceleration at its reversal, which resembles a tilt.
  @Test func aSwingIsNotStill() {
    let swing = ArraySlice(
      (0...200).map { i in
        let t = Double(i) * 0.005 - 0.5, rate = 1.37 * sin(.pi / 2 * t)
        let rotation = Rotation.exp(Vector3(0, 0, 0.87 * (1 - cos(.pi / 2 * t))))
        return IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 5_000_000), angularVelocity: Vector3(0, 0, rate),
          specificForce: rotation.inverse * Vector3(1.2, 0, 9.81))
      })
    guard
      case .waiting("stillness") = Self.initializer(Self.phone).attempt(
        swing, at: swing.last!.timestamp, isMakeshift: false, flow: 0.08, unseenRate: nil)
    else { Issue.record("did not wait"); return }
  }

  @Test func aSlowRotationIsNotABias() {
    var source = SeededRandom(seed: 4)
    let window = Self.samples(Self.phone, .identity, bias: .zero, rate: Vector3(0, 0, 0.08), shake: 0.2, &source)
    guard
      case .ready(let estimate) = Self.initializer(Self.phone).attempt(
        window, at: window.last!.timestamp, isMakeshift: false, flow: 0.08, unseenRate: nil)
    else { Issue.record("not ready"); return }
    #expect(estimate.state.gyroscopeBias.norm < 0.03)
    #expect(estimate.covariance[16 * 11].squareRoot() > 0.02)
  }

  @Test func waitsForStillnessUnlessUrgent() {
    var source = SeededRandom(seed: 5)
    let window = Self.samples(Self.phone, .identity, bias: .zero, rate: .zero, shake: 3, &source)
    guard
      case .waiting("stillness") = Self.initializer(Self.phone).attempt(
        window, at: window.last!.timestamp, isMakeshift: false, flow: nil, unseenRate: nil)
    else { Issue.record("did not wait"); return }
    guard
      case .ready(let estimate) = Self.initializer(Self.phone).attempt(
        window, at: window.last!.timestamp, isMakeshift: true, flow: nil, unseenRate: nil)
    else { Issue.record("not ready"); return }
    #expect(estimate.covariance[16 * 6].squareRoot() >= 1)
  }
}
