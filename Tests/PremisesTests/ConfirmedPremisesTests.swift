import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// Two views of the image against the innovations of the whole filter, which hold far more.
@Suite struct ConfirmedPremisesTests {
  private static func time(_ t: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_000_000_000_000).advanced(bySeconds: t)
  }

  /// Camera from world: a camera that turns about all its axes and sways.
  private static func cameraFromWorld(_ t: Double) -> Pose {
    Pose(
      rotation: Rotation.exp(Vector3(0.5 * sin(2 * t), 0.5 * sin(1.5 * t + 1), 0.2 * sin(2.5 * t))),
      translation: Vector3(0.1 * sin(1.2 * t), 0.05 * cos(1.7 * t), 0))
  }

  /// Watches ten seconds of a camera whose focal lengths are so many times the stated, and of a filter whose tracks
  /// have this noise, in units of the images', and this mean square of the normalised innovations, and of which this
  /// fraction is of use.
  private static func watched(focal: Double = 0.8, noise: Double, usable: Double, level: Double = 1) -> PremiseVerdict {
    watched(focal: focal, usable: usable) { _ in (noise, level) }
  }

  /// The same with noise and mean square over time, seconds.
  private static func watched(
    focal: Double = 1, usable: Double = 0.5, innovations: (Double) -> (noise: Double, level: Double)
  ) -> PremiseVerdict {
    let fx = 400.0, (width, height) = (640.0, 480.0)
    let rig = RigCalibration(
      imu: IMUCalibration(
        gyroscopeNoiseDensity: 1e-4, gyroscopeRandomWalk: 1e-6, accelerometerNoiseDensity: 1e-3,
        accelerometerRandomWalk: 1e-5),
      cameras: [
        CameraCalibration(
          fx: fx / focal, fy: fx / focal, cx: width / 2, cy: height / 2, width: Int(width), height: Int(height),
          pixelNoise: 0.5)
      ])
    let monitor = PremiseMonitor(rig: rig, usesOdometry: false)
    let points = (0..<600).map { k in
      let (a, b, c) = (Double(k * 37 % 101) / 101, Double(k * 53 % 97) / 97, Double(k * 29 % 89) / 89)
      return Vector3(8 * a - 4, 6 * b - 3, 3 + 5 * c)
    }
    for k in 0...2000 {
      let t = 0.005 * Double(k)
      // Body rate of the camera's axes: the derivative of world-from-camera.
      let (before, after) = (Self.cameraFromWorld(t - 5e-4).rotation, Self.cameraFromWorld(t + 5e-4).rotation)
      let rate = (before * after.inverse).log / 1e-3
      let up = Self.cameraFromWorld(t).rotation * Vector3(0, -9.81, 0)
      monitor.observe(.imu(IMUSample(timestamp: time(t), angularVelocity: rate, specificForce: up)))
      guard k % 10 == 0 else { continue }
      let pose = Self.cameraFromWorld(t)
      let features = points.enumerated().compactMap { id, point -> FeatureObservation? in
        let p = pose * point
        let pixel = SIMD2(fx * p.x / p.z + width / 2, fx * p.y / p.z + height / 2)
        guard p.z > 0.5, (0..<width).contains(pixel.x), (0..<height).contains(pixel.y) else { return nil }
        return FeatureObservation(featureID: Int64(id), u: pixel.x, v: pixel.y)
      }
      monitor.observe(.frame(CameraFrame(timestamp: time(t), features: features)))
      let (noise, level) = innovations(t)
      monitor.observe(
        innovationSum: 100 * usable * level, count: Int(100 * usable), tracks: 100, noise: noise, imageNoise: 1,
        at: time(t))
    }
    return monitor.verdict
  }

  @Test func aWrongLensIsNamed() {
    #expect(Self.watched(noise: 1.5, usable: 0.5).diagnoses.map(\.code) == ["cameraIntrinsics"])
  }

  /// A filter that rejects most of what it sees confirms nothing.
  @Test func fewTracksConfirmNothing() {
    #expect(Self.watched(noise: 1, usable: 0.1).diagnoses.map(\.code) == ["cameraIntrinsics"])
  }

  @Test func whatTheFilterConfirmsTwoViewsDoNotRefute() {
    #expect(Self.watched(noise: 1.05, usable: 0.5).diagnoses.isEmpty)
  }

  /// Normalised innovations well above 1 open the premise at once and are named when they last, whatever the lens.
  @Test func innovationsThatContradictAreNamed() {
    let verdict = Self.watched(focal: 1, noise: 1, usable: 0.5, level: 2.5)
    #expect(verdict.diagnoses.map(\.code) == ["visualInertialMismatch"])
    #expect(
      Self.watched(focal: 1, noise: 1, usable: 0.5, level: 1.6).openPremise(for: "tag") == "visualInertialMismatch")
  }

  /// A set-up does not mend itself: the premise stays open while the filter explains by learnt noise what no tracker
  /// has, and is closed by innovations that it explains otherwise.
  @Test func anOpenPremiseStaysOpenUntilItIsExplained() {
    func open(_ noise: Double) -> String? {
      Self.watched { t in t < 3 ? (1, 1) : t < 4.5 ? (1, 1.6) : (noise, 1) }.openPremise(for: "tag")
    }
    #expect(open(1.9) == "visualInertialMismatch")
    // Noise that a tracker may have.
    #expect(open(1.4) == nil)
    #expect(open(1) == nil)
  }

  /// Noise that jumps for a frame is no excess of the two seconds before.
  @Test func aFrameOfLearntNoiseIsNoExcess() {
    let verdict = Self.watched { t in t < 9.8 || t > 9.9 ? (4.5, 0.08) : (10, 0.08) }
    #expect(verdict.openPremise(for: "tag") == nil)
    #expect(Self.watched { _ in (4.5, 0.4) }.openPremise(for: "tag") == "visualInertialMismatch")
  }
}
