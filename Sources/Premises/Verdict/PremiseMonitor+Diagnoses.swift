import CameraGeometry
import Foundation
import Geometry
import LeastSquares
import Ranging
import SensorData

/// What is said of a refuted premise.
extension PremiseMonitor {
  func coordinateDiagnosis(_ unit: FeatureUnitDetector.Unit, _ camera: CameraCalibration, _ index: Int) -> Diagnosis {
    Diagnosis(
      code: "featureCoordinates", family: .camera,
      sentence: "the features of cam\(index) look normalised by \(unit.rawValue), not in pixels",
      evidence:
        "every coordinate lies within 2.5 of the image's corner, and the image has \(camera.width) x \(camera.height) pixels",
      remedy: unit == .imageSize ? "write raw pixels: u * width, v * height" : "write raw pixels: fx u + cx, fy v + cy")
  }

  /// Handled: rounding is part of the ranges' error.
  func resolutionDiagnosis(_ step: Double, _ peer: String, _ count: Int) -> Diagnosis {
    Diagnosis(
      code: "rangeResolution", family: .radio,
      sentence: "ranges to \(peer) come in steps of \(Format.number(step)) m; each counts as that coarse",
      evidence: "greatest common divisor of \(count) successive values",
      remedy: "write ranges as they are measured: to the centimetre at least", peer: peer, isHandled: true)
  }

  /// Handled: the filter uses the noise that the images show.
  func noiseDiagnosis(_ level: Double) -> Diagnosis {
    let noise = Format.number(level * rig.cameras[0].pixelNoise)
    return Diagnosis(
      code: "featureNoise", family: .camera,
      sentence: "features err \(Format.number(level)) times as much as stated; \(noise) pixels are used instead",
      evidence: "median epipolar residual between pairs of images a fifth of a second apart",
      remedy: "check the tracker, or pixel_noise_sigma: \(noise)", isHandled: true)
  }

  /// Handled: the reading before it is used.
  static func spikeDiagnosis(_ spike: IMUSample) -> Diagnosis {
    Diagnosis(
      code: "sensorSpike", family: .imu,
      sentence: "an inertial reading jumps and comes back: \(Format.number(spike.specificForce.norm)) m/s^2, "
        + "\(Format.number(spike.angularVelocity.norm)) rad/s; the reading before it was used instead",
      evidence: "at \(spike.timestamp.nanoseconds) ns; neighbours differ by less than "
        + "\(Format.number(SpikeFilter.step.force)) m/s^2 and \(Format.number(SpikeFilter.step.rate)) rad/s",
      remedy: "check the logger's bus; single spikes do no harm", isHandled: true)
  }

  static func code(of cause: GravityDirection.Cause) -> String {
    if case .gyroscopeScale = cause { "gyroscopeScale" } else { "imuAxes" }
  }

  /// Nil where the gyroscope itself is the cause: the image tells more of it.
  func axesDiagnosis(_ cause: GravityDirection.Cause, _ evidence: String) -> Diagnosis? {
    let words: (sentence: String, evidence: String)
    switch cause {
    case .gyroscopeScale: return nil
    case .axes(let axes):
      words = (
        "gyroscope and accelerometer do not share axes: gravity turns with the device",
        "\(evidence) for gyroscope axes \(Self.words(axes))"
      )
    case .turned(let rotation):
      let degrees = Format.degrees(rotation.log.norm)
      words = (
        "the accelerometer looks turned by \(degrees) degrees against the gyroscope: gravity turns with the device",
        evidence
      )
    }
    return Diagnosis(
      code: Self.code(of: cause), family: .imu, sentence: words.sentence, evidence: words.evidence,
      remedy: "bring both into the axes of imu0 before writing data.csv")
  }

  func sizeDiagnosis(_ found: GravityMagnitude.Outcome, _ gravity: GravityMagnitude) -> Diagnosis {
    let evidence =
      "mean specific force \(Format.number(found.mean)) m/s^2 over \(Format.number(found.seconds)) s, expected "
      + "\(Format.number(gravity.gravity)); \(Format.ratio(found.ratio))"
    switch found.cause {
    case .missing:
      return Diagnosis(
        code: "gravityMissing", family: .imu, sentence: "the accelerometer's readings hold no gravity",
        evidence: evidence,
        remedy: "write raw specific force, not user acceleration with gravity taken off")
    case .scale(let scale):
      if let unit = GravityMagnitude.unit(scale) {
        return Diagnosis(
          code: "accelerometerUnit", family: .imu, sentence: "the accelerometer looks to be in \(unit.name), not m/s^2",
          evidence: evidence, remedy: "multiply by \(Format.number(1 / unit.factor))")
      }
      return Diagnosis(
        code: "accelerometerScale", family: .imu,
        sentence: "the accelerometer reads \(Format.number(scale)) times gravity", evidence: evidence,
        remedy: "check the accelerometer's unit, range and gravity_magnitude")
    }
  }

  func diagnosis(
    _ best: (cause: RotationConsistency.Cause, ratio: Double, level: Double), of sensor: String,
    family: Diagnosis.Family,
    _ count: Int
  ) -> Diagnosis {
    let isCamera = sensor == "camera"
    let evidence = "\(Format.ratio(best.ratio)) over \(count) rotations against the gyroscope"
    func found(_ code: String, _ family: Diagnosis.Family, _ sentence: String, _ remedy: String) -> Diagnosis {
      Diagnosis(code: code, family: family, sentence: sentence, evidence: evidence, remedy: remedy)
    }
    switch best.cause {
    case .clock(let late):
      let milliseconds = Format.number((abs(late) * 1000).rounded())
      return found(
        isCamera ? "cameraClock" : "odometryClock", family,
        "\(sensor) stamped \(milliseconds) ms \(late > 0 ? "late" : "early") against the inertial unit",
        isCamera
          ? "--calibrate, or time_offset_cam_to_imu_s: \(Format.number(rig.cameras[0].timeOffset - late))"
          : "shift odometry0's stamps by \(Format.number(-late)) s")
    case .mount(_, let angle):
      return found(
        isCamera ? "cameraMount" : "odometryConvention", family,
        "the \(sensor) sits \(Format.degrees(angle)) degrees otherwise on the inertial unit than T_BS says",
        "check T_BS of \(isCamera ? "cam0" : "odometry0") and imu0: sensor to body, not its inverse")
    // A mirror of axes is no mount: rotations from the world to the body, the inverses of what is expected, look so.
    case .gyroscopeAxes(let axes) where !isCamera && axes.determinant < 0:
      return found(
        "odometryConvention", family,
        "the tracker's rotations look inverted: only a mirror, which no mount is, would explain them as they stand",
        "write the rotations that take the body's coordinates to the world's: conjugate the quaternions; poses of a left-handed world (Unity, Unreal) become right-handed ones (docs/axes.md)"
      )
    case .gyroscopeAxes(let axes):
      return found(
        "imuAxes", isCamera ? .imu : family,
        "the gyroscope's axes look permuted or of other signs: \(Self.words(axes))",
        "bring the gyroscope into the axes of imu0")
    case .gyroscopeScale(let scale) where isCamera && !isGyroscopes(scale):
      return found(
        "cameraIntrinsics", family,
        "the images turn \(Format.number(1 / scale)) times as far as the gyroscope, by which no gyroscope errs: "
          + "the lens looks another than the calibration states",
        "calibrate the camera, or state the model and coefficients of these very images, at their resolution")
    case .gyroscopeScale(let scale):
      let isDegrees = abs(log(scale * .pi / 180)) < 0.15
      return found(
        isDegrees ? "gyroscopeUnit" : "gyroscopeScale", isCamera ? .imu : family,
        isDegrees
          ? "the gyroscope looks to be in degrees per second"
          : "the gyroscope reads \(Format.number(scale)) times the rotation",
        isDegrees ? "multiply by pi / 180" : "divide the gyroscope by \(Format.number(scale))")
    case .image(let index):
      let alternative = views.alternatives[index]
      return found(alternative.code, .camera, alternative.sentence, alternative.remedy)
    }
  }

  /// Whether a gyroscope may read so many times the rotation: one that is worn, saturated, of another range or unit. Anything else is the lens, and so is
  /// what comes with images that contradict each other under the stated lens, as no gyroscope makes them.
  private func isGyroscopes(_ scale: Double) -> Bool {
    let excess = views.rotation?.observations.map(\.excessNoise).median ?? 1
    guard excess < Self.contradictingImages else { return false }
    let octaves = log2(scale)
    return abs(octaves) < Self.wornGyroscope
      || abs(octaves) < 4.5 && abs(octaves - octaves.rounded()) < Self.unitTolerance
      || abs(log2(scale * .pi / 180)) < Self.unitTolerance || abs(log2(scale * 180 / .pi)) < Self.unitTolerance
      || history.isGyroscopeSaturated
  }

  /// A quarter more or less, the ranges of two powers and units within 5 %, in octaves; and how many times the noise of directions two views leave, from
  /// which on they contradict each other.
  private static let (wornGyroscope, unitTolerance, contradictingImages) = (0.32, 0.07, 1.3)

  static func words(_ m: Matrix3) -> String {
    let names = ["x", "y", "z"]
    return (0..<3).map { r in
      let c = (0..<3).max { abs(m[r, $0]) < abs(m[r, $1]) }!
      return (m[r, c] < 0 ? "-" : "+") + names[c]
    }.joined(separator: " ")
  }

  func positionDiagnosis(_ cause: PositionConsistency.Cause, _ evidence: String) -> Diagnosis {
    let words: (sentence: String, remedy: String)
    switch cause {
    case .axes(let axes):
      let isMirrored = axes.determinant < 0
      words = (
        isMirrored
          ? "the tracker's positions are mirrored against its attitudes and the accelerometer"
          : "the tracker's positions are in other axes than its attitudes",
        "write positions and attitudes in one right-handed world: the positions' (x, y, z) look like \(Self.words(axes)) of the attitudes'"
      )
    case .inverse:
      words = (
        "the tracker's positions look those of the world in the device",
        "write the device's position in the world: -R p of what is written, R the attitude"
      )
    case .unrelated:
      words = (
        "the tracker's positions do not follow the accelerometer",
        "check the positions' unit, axes and clock against imu0, and that both are of the same device and recording"
      )
    }
    return Diagnosis(
      code: "odometryPositions", family: .odometry, sentence: words.sentence, evidence: evidence, remedy: words.remedy)
  }

  static func axis(_ v: Vector3) -> String {
    let names = ["x", "y", "z"]
    let k = (0..<3).max { abs(v[$0]) < abs(v[$1]) }!
    return (v[k] < 0 ? "-" : "+") + names[k]
  }
}
