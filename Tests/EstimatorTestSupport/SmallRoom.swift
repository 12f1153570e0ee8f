import CameraGeometry
import Estimator
import Foundation
import Geometry
import SensorData
import Simulation

/// A device at 200 Hz and 20 Hz whose motion is a given function of time.
package struct SmallRoom {
  package static let imu = IMUCalibration(
    bodyFromIMU: Pose(rotation: Rotation.exp(Vector3(0.3, -0.2, 3)), translation: Vector3(0.1, -0.05, 0.02)),
    gyroscopeNoiseDensity: 2e-4, gyroscopeRandomWalk: 2e-5, accelerometerNoiseDensity: 2e-3,
    accelerometerRandomWalk: 3e-3)
  package static let camera = CameraCalibration(
    bodyFromCamera: Pose(
      rotation: Rotation(matrix: Matrix3(rows: Vector3(0, 0, 1), Vector3(-1, 0, 0), Vector3(0, -1, 0)))),
    fx: 458, fy: 458, cx: 376, cy: 240, width: 752, height: 480)
  package static let gyroscopeBias = Vector3(0.01, -0.02, 0.005)
  package static let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000)

  package var source: SeededRandom
  package var points: [Vector3] = []
  package var worldFromBody: (Double) -> Pose
  package var isDark: (Double) -> Bool = { _ in false }

  package init(_ worldFromBody: @escaping (Double) -> Pose, seed: UInt64 = 5) {
    source = SeededRandom(seed: seed)
    self.worldFromBody = worldFromBody
    for _ in 0..<600 {
      points.append(Vector3(source.uniform(3...6), source.uniform(-4...4), source.uniform(-2...2)))
    }
  }

  package func worldFromIMU(_ t: Double) -> Pose { worldFromBody(t) * Self.imu.bodyFromIMU }

  package mutating func sample(_ i: Int) -> IMUSample {
    let t = Double(i) * 0.005, h = 1e-4
    let (before, now, after) = (worldFromIMU(t - h), worldFromIMU(t), worldFromIMU(t + h))
    let acceleration = (before.translation + after.translation - 2 * now.translation) / (h * h)
    let rate = (before.rotation.inverse * after.rotation).log / (2 * h)
    let white = 200.0.squareRoot()
    return IMUSample(
      timestamp: Self.start.advanced(byNanoseconds: Int64(i) * 5_000_000),
      angularVelocity: rate + Self.gyroscopeBias + 2e-4 * white * source.gaussian3(),
      specificForce: now.rotation.inverse * (acceleration + Vector3(0, 0, 9.81)) + 2e-3 * white * source.gaussian3())
  }

  package mutating func frame(_ i: Int) -> CameraFrame {
    let t = Double(i) * 0.005
    let lens = LensModel(Self.camera)
    let cameraFromWorld = (worldFromBody(t) * Self.camera.bodyFromCamera).inverse
    var features: [FeatureObservation] = []
    for (id, point) in points.enumerated() where !isDark(t) && features.count < 80 {
      guard let pixel = lens.project(cameraFromWorld * point)?.pixel, pixel.x > 0, pixel.x < 752, pixel.y > 0,
        pixel.y < 480
      else { continue }
      features.append(
        FeatureObservation(featureID: Int64(id), u: pixel.x + source.gaussian(), v: pixel.y + source.gaussian()))
    }
    return CameraFrame(
      timestamp: Self.start.advanced(byNanoseconds: Int64(i) * 5_000_000), features: features,
      meanLuma: isDark(t) ? 0.01 : 0.5)
  }

  /// Runs for some seconds; `disturb` may change or drop sensor events.
  package mutating func run(
    _ seconds: Double, _ estimator: VisualInertialEstimator, disturb: (Double, SensorEvent) -> SensorEvent? = { $1 }
  ) -> [(report: FrameReport, pose: Pose?, seconds: Double)] {
    var result: [(report: FrameReport, pose: Pose?, seconds: Double)] = []
    for i in 0...Int(seconds * 200) {
      let t = Double(i) * 0.005
      if case .imu(let sample)? = disturb(t, .imu(sample(i))) { estimator.add(sample) }
      if i % 10 == 0, case .frame(let frame)? = disturb(t, .frame(frame(i))) {
        let report = estimator.process(frame)
        result.append((report, estimator.navigation?.worldFromBody, t))
      }
    }
    return result
  }

  package static func estimator() -> VisualInertialEstimator { VisualInertialEstimator(imu: imu, camera: camera) }

  /// Stationary for two seconds, then sways and moves about.
  package static func moving(_ t: Double) -> Pose {
    let s = max(t - 2, 0)
    let rise = s * s * s / (s * s * s + 4)
    func wave(_ amplitude: Double, _ rate: Double) -> Double { amplitude * rise * sin(rate * s) }
    return Pose(
      rotation: Rotation.yaw(wave(0.3, 0.7)) * Rotation.exp(Vector3(wave(0.1, 1.1), wave(0.15, 0.9), 0)),
      translation: Vector3(wave(0.5, 0.8), wave(0.8, 0.6), wave(0.3, 1.3)))
  }
}
