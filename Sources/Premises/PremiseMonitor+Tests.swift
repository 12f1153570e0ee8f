import CameraGeometry
import Foundation
import Geometry
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
    guard image != nil else { return }
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
      .logRatio(translation.wrongSign), against: "gravitySign",
      Diagnosis(
        code: "gravitySign", family: .imu,
        sentence: "the accelerometer's sign looks turned: the device moves against what the camera sees",
        evidence: "\(Format.ratio(translation.wrongSign)) from the camera's directions of motion",
        remedy: "write specific force, which points up at rest (+9.8 m/s^2): multiply by -1"))
  }

  func testImage() {
    guard let image, let camera = rig.cameras.first else { return }
    // Two views are a part of what the filter explains as a whole; rotation and translation are confused in them as
    // they are not in it.
    if !calibrates, innovations.isConfirmed {
      let turned = image.turned(history, within: InnovationMonitor.length)
      self.image!.removeObservations(within: turned > Self.confirmingTurn ? .infinity : InnovationMonitor.length)
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

  func imageAlternatives(_ camera: CameraCalibration) -> [[RotationConsistency.Observation]] {
    if alternatives.isEmpty { alternatives = ImageAlternative.all(camera) }
    let observations = image!.observations
    return alternatives.map { alternative in
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
    if let tilt = worldGravity.tilt, tilt.angle > Self.largestTilt {
      verdict.add(
        .symptom(isRefuting: true), against: "odometryConvention",
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence: "the tracker's world is not z up: gravity points along \(Self.axis(tilt.up)) there",
          evidence: "mean specific force \(Format.degrees(tilt.angle)) degrees from +z over 4 s",
          remedy: "convert poses to a gravity-aligned world with z up"))
    }
    let rotations = poses?.test(history)
    if let outcome = rotations, let best = outcome.best, best.ratio > PremiseVerdict.limit {
      let diagnosis = diagnosis(best, of: "odometry", family: .odometry, outcome.count)
      verdict.add(.logRatio(best.ratio), against: diagnosis.code, diagnosis)
    } else if rotations?.best.map({ $0.ratio <= Self.suspicious }) ?? true, let found = positions.test() {
      // Specific force is carried into the world by the attitudes: positions are tested where these are not suspicious.
      verdict.add(
        .logRatio(found.ratio), against: "odometryPositions",
        positionDiagnosis(found.cause, "\(Format.ratio(found.ratio)) over \(positions.count) changes of velocity"))
    }
    if poses == nil, let found = poseConvention.test() {
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
