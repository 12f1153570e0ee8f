import CameraGeometry
import Foundation
import Geometry
import Ranging
import SensorData

/// The tests, twice a second.
extension PremiseMonitor {
  func test(at time: Timestamp) {
    guard let next = nextTest else {
      nextTest = time.advanced(bySeconds: Self.interval)
      return
    }
    guard time >= next else { return }
    nextTest = time.advanced(bySeconds: Self.interval)
    verdict.begin()
    testGravity()
    if !isSettled {
      testImage()
      testInnovations()
      testPoses()
    }
    // A suspicious path is no witness of the ranges.
    if innovations.isSuspicious { restartPath() } else if !isSettled { testLinks() }
    verdict.end()
  }

  /// Whether the device's own premises are refuted already: nothing is gained by more causes, and searching them costs.
  private var isSettled: Bool {
    verdict.diagnoses.contains { !$0.isHandled && $0.peer == nil && ["imu", "camera"].contains($0.family.rawValue) }
  }

  func testInnovations() {
    guard views.rotation != nil else { return }
    let found = innovations.refuted
    guard innovations.isOpen || found != nil else { return }
    verdict.add(
      .symptom(isRefuting: found != nil), against: "visualInertialMismatch",
      Diagnosis(
        code: "visualInertialMismatch", family: .camera,
        sentence: "camera and inertial unit contradict each other, and no single cause explains it",
        evidence: found ?? "", remedy: "check T_BS, intrinsics, clocks and units of cam0 and imu0, one by one"))
  }

  func testGravity() {
    guard let gravity else { return }
    if let found = gravity.size(history) {
      let diagnosis = sizeDiagnosis(found, gravity)
      verdict.add(.logRatio(found.ratio), against: diagnosis.code, diagnosis)
    } else if let direction = GravityDirection(history), let found = direction.test() {
      verdict.add(
        .logRatio(found.ratio), against: Self.code(of: found.cause),
        axesDiagnosis(found.cause, "\(Format.ratio(found.ratio)) over \(Format.number(direction.seconds)) s"))
    }
    verdict.add(
      .logRatio(views.translation.wrongSign), against: "gravitySign",
      Diagnosis(
        code: "gravitySign", family: .imu,
        sentence: "the accelerometer's sign looks turned: the device moves against what the camera sees",
        evidence: "\(Format.ratio(views.translation.wrongSign)) from the camera's directions of motion",
        remedy: "write specific force, which points up at rest (+9.8 m/s^2): multiply by -1"))
  }

  func testImage() {
    views.rotation?.integrate(history)
    guard let image = views.rotation, let camera = rig.cameras.first else { return }
    // Two views are a part of what the filter explains as a whole; rotation and translation are confused in them as
    // they are not in it.
    if !calibrates, innovations.isConfirmed {
      let turned = image.turned(history, within: InnovationMonitor.length)
      views.rotation!.removeObservations(within: turned > Self.confirmingTurn ? .infinity : InnovationMonitor.length)
      return
    }
    if let clock = image.clock(history) {
      let isLearnt = calibrates && abs(clock.late) < Self.learnableDelay
      let found = (cause: RotationConsistency.Cause.clock(late: clock.late), ratio: clock.ratio, level: 1.0)
      var diagnosis = diagnosis(found, of: "camera", family: .camera, image.observations.count)
      diagnosis.isHandled = isLearnt
      verdict.add(.logRatio(clock.ratio), against: "cameraClock", isHandled: isLearnt, diagnosis)
    }
    guard let outcome = image.test(history, image: { self.imageAlternatives(camera) }) else { return }
    let cause = outcome.best.flatMap { $0.ratio > PremiseVerdict.limit && outcome.isExplained ? $0 : nil }
    if let cause {
      let diagnosis = diagnosis(cause, of: "camera", family: .camera, outcome.count)
      verdict.add(.logRatio(cause.ratio), against: diagnosis.code, diagnosis)
    }
    guard outcome.nullLevel > Self.imageLevel.open else { return }
    let isRefuting = outcome.best != nil && cause == nil && outcome.nullLevel > Self.imageLevel.refuted
    verdict.add(
      .symptom(isRefuting: isRefuting && outcome.count >= Self.fewestRotations), against: "cameraRotation",
      Diagnosis(
        code: "cameraRotation", family: .camera,
        sentence: "the images do not turn as the gyroscope says, and no single cause explains it",
        evidence:
          "mean normalised square \(Format.number(outcome.nullLevel)) over \(outcome.count) intervals, expected about 1",
        remedy: "check the camera's T_BS, intrinsics and clock against the inertial unit"))
  }

  /// Reports a rolling shutter that is not stated, from its time per row, seconds.
  ///
  /// - Returns: false while the filter explains the images as those of a global one. Between two views rows are confused with the parallax of points whose
  ///   distance changes from row to row, as on a floor that the device is carried over; over all that the filter tracks they are not.
  package func reportRows(_ found: (value: Double, sigma: Double), of camera: CameraCalibration) -> Bool {
    guard !innovations.isQuiet else { return false }
    let readout = abs(found.value) * Double(camera.height - 1)
    let (state, significance) = (String(format: "%.3g", found.value), abs(found.value) / found.sigma)
    verdict.report(
      Diagnosis(
        code: "rollingShutter", family: .camera,
        sentence: String(
          format: "the camera looks to have a rolling shutter of %.0f ms from the first row to the last", 1000 * readout
        ),
        evidence: String(
          format: "rows of the tracks follow the gyroscope %@ s after one another, by %.0f sigma", state, significance),
        remedy: "state row_time_s: \(state) in cam0/sensor.yaml, and stamped_row (docs/rolling-shutter.md)",
        isHandled: readout < Self.harmfulReadout))
    return true
  }

  /// A readout from which on the rows of a turning hand's images bend a trajectory, seconds: at 1 rad/s its edges are 2
  /// pixels off.
  private static let harmfulReadout = 0.01

  func imageAlternatives(_ camera: CameraCalibration) -> [[RotationConsistency.Observation]] {
    if views.alternatives.isEmpty { views.alternatives = ImageAlternative.all(camera) }
    let observations = views.rotation!.observations
    return views.alternatives.map { alternative in
      observations.compactMap { stated in
        let pairs = stated.pairs.map { FeaturePair(then: alternative.pixel($0.then), now: alternative.pixel($0.now)) }
        let noise = camera.pixelNoise / (camera.fx * camera.fy).squareRoot()
        guard let seen = RelativeRotation(pairs, lens: alternative.lens, noise: 1.4 * noise) else { return nil }
        return RotationConsistency.Observation(start: stated.start, end: stated.end, seen, noise: 1.4 * noise)
      }
    }
  }

  /// Log likelihood ratio against the tracker's rotations from which on its positions are not tested.
  private static let suspicious = 3.0

  func testPoses() {
    guard usesOdometry else { return }
    if let tilt = tracker.tilt.tilt, tilt.angle > Self.largestTilt {
      verdict.add(
        .symptom(isRefuting: true), against: "odometryConvention",
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence: "the tracker's world is not z up: gravity points along \(Self.axis(tilt.up)) there",
          evidence: "mean specific force \(Format.degrees(tilt.angle)) degrees from +z over 4 s",
          remedy: "convert poses to a gravity-aligned world with z up"))
    }
    tracker.rotation?.integrate(history)
    let rotations = tracker.rotation?.test(history)
    if let outcome = rotations, let best = outcome.best, best.ratio > PremiseVerdict.limit {
      let diagnosis = diagnosis(best, of: "odometry", family: .odometry, outcome.count)
      verdict.add(.logRatio(best.ratio), against: diagnosis.code, diagnosis)
    } else if rotations?.best.map({ $0.ratio <= Self.suspicious }) ?? true, let found = tracker.positions.test() {
      // Specific force is carried into the world by the attitudes: positions are tested where these are not suspicious.
      verdict.add(
        .logRatio(found.ratio), against: "odometryPositions",
        positionDiagnosis(
          found.cause, "\(Format.ratio(found.ratio)) over \(tracker.positions.count) changes of velocity"))
    }
    if tracker.rotation == nil, let found = tracker.convention.test() {
      verdict.add(
        .logRatio(found.ratio), against: "odometryConvention",
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence: "the tracker's rotations look written in another convention",
          evidence:
            "\(Format.ratio(found.ratio)): the device's tilt scatters by \(Format.degrees(found.stated)) degrees as stated, by "
            + "\(Format.degrees(found.scatter)) otherwise",
          remedy: found.convention.remedy))
    }
  }
}

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
        "write the rotations that take the body's coordinates to the world's: conjugate the quaternions (docs/axes.md)")
    case .gyroscopeAxes(let axes):
      return found(
        "imuAxes", isCamera ? .imu : family,
        "the gyroscope's axes look permuted or of other signs: \(Self.words(axes))",
        "bring the gyroscope into the axes of imu0")
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

/// What the tests are of.
extension PremiseMonitor {
  /// The ranges of one antenna by themselves.
  struct RangeStream {
    var resolution = RangeResolution()
    var jumps = RangeJumps()
    /// Stamp of the last range, and the mean interval, seconds.
    var pace: (last: Timestamp, interval: Double)?
  }

  /// The first camera's images beside the gyroscope, and every camera's coordinates.
  struct Views {
    var rotation: RotationConsistency?
    var alternatives: [ImageAlternative] = []
    var lens: LensModel?
    var coordinates: [Int: FeatureUnitDetector] = [:]
    var pairs = ViewPairs()
    var translation = TranslationConsistency()
  }

  /// Another tracker's poses beside the inertial unit.
  struct Tracker {
    var rotation: RotationConsistency?
    var positions = PositionConsistency()
    var lastPose: OdometryPose?
    var anchorPose: OdometryPose?
    var convention = PoseConventionDetector()
    var tilt = WorldTilt()
  }
}
