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
    // Directions of motion are seen through the lens, and with the rotation that is in question.
    guard !views.isSuspicious else { return }
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
    views.isSuspicious = outcome.best.map { $0.ratio > Self.suspicious } ?? false
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

  /// Log likelihood ratio against the rotations of a camera, or of a tracker, from which on nothing that is made of them is tested.
  private static let suspicious = 3.0

  func testPoses() {
    guard usesOdometry else { return }
    guard tracker.rotation != nil else { return testConvention() }
    // What is written in another convention is compared no further: every other test would find its own cause.
    guard !verdict.isRefuted("odometryConvention") else { return }
    if let tilt = tracker.tilt.tilt, tilt.angle > Self.largestTilt {
      verdict.add(
        .symptom(isRefuting: true), against: "odometryConvention",
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence:
            "gravity points along \(Self.axis(tilt.up)) in the tracker's world: it is not z up, or the inertial unit sits turned",
          evidence: "mean specific force \(Format.degrees(tilt.angle)) degrees from +z over 4 s",
          remedy: "convert poses to a gravity-aligned world with z up (docs/axes.md), or state T_BS of imu0"))
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
  }

  private func testConvention() {
    guard let found = tracker.convention.test() else { return }
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
    /// Whether the rotations that two views give speak against the set-up.
    var isSuspicious = false
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
