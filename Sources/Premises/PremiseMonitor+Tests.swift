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
    pending = []
    suspectedBefore = suspected
    suspected = []
    testGravity()
    if !isSettled {
      testImage()
      testInnovations()
      testPoses()
    }
    // A suspicious path is no witness of the ranges.
    if innovations.isSuspicious { restartPath() } else if !isSettled { testLinks() }
    passed = passed.filter { pending.contains($0.key) }
    // A view's rotation may be wrong for half a second; a path, its ranges and two seconds of innovations are not.
    open = suspected.filter { $0.peer != nil || $0.isLasting || suspectedBefore.contains($0) }
  }

  /// Whether the device's own premises are refuted already: nothing is gained by more causes, and searching them costs.
  private var isSettled: Bool {
    diagnoses.contains { !$0.isHandled && $0.peer == nil && ["imu", "camera"].contains($0.family.rawValue) }
  }

  func testInnovations() {
    guard image != nil else { return }
    if innovations.isOpen { suspect("visualInertialMismatch") }
    guard let found = innovations.refuted else { return }
    refute(
      Self.limit + 1, times: 3,
      Diagnosis(
        code: "visualInertialMismatch", family: .camera,
        sentence: "camera and inertial unit contradict each other, and no single cause explains it",
        evidence: found,
        remedy: "check T_BS, intrinsics, clocks and units of cam0 and imu0, one by one"))
  }

  func suspect(_ code: String, _ peer: String? = nil) { suspected.insert(Suspicion(code: code, peer: peer)) }

  /// Reports once the limit was passed in `times` tests in a row.
  func refute(
    _ ratio: Double, over limit: Double = PremiseMonitor.limit, times: Int = 2,
    _ diagnosis: @autoclosure () -> Diagnosis
  ) {
    guard ratio > limit else { return }
    let found = diagnosis()
    let key = "\(found.code) \(found.peer ?? "")"
    pending.insert(key)
    passed[key, default: 0] += 1
    if passed[key]! >= times { report(found) }
  }

  func report(_ diagnosis: Diagnosis) {
    guard !diagnoses.contains(where: { $0.code == diagnosis.code && $0.peer == diagnosis.peer }) else { return }
    diagnoses.append(diagnosis)
  }

  func reportSpike(_ spike: IMUSample) {
    report(
      Diagnosis(
        code: "sensorSpike", family: .imu,
        sentence: "an inertial reading jumps and comes back: \(Format.number(spike.specificForce.norm)) m/s^2, "
          + "\(Format.number(spike.angularVelocity.norm)) rad/s; the reading before it was used instead",
        evidence: "at \(spike.timestamp.nanoseconds) ns; neighbours differ by less than "
          + "\(Format.number(SpikeFilter.step.force)) m/s^2 and \(Format.number(SpikeFilter.step.rate)) rad/s",
        remedy: "check the logger's bus; single spikes do no harm", isHandled: true))
  }

  func testGravity() {
    guard let gravity else { return }
    if let found = gravity.size(history) {
      refute(found.ratio, sizeDiagnosis(found, gravity))
    } else if let direction = GravityDirection(history), let found = direction.test() {
      if found.ratio > Self.openAxes { suspect(Self.code(of: found.cause)) }
      if let diagnosis = axesDiagnosis(
        found.cause, "\(Format.ratio(found.ratio)) over \(Format.number(direction.seconds)) s")
      {
        refute(found.ratio, diagnosis)
      }
    }
    if translation.wrongSign > Self.openAxes { suspect("gravitySign") }
    if translation.wrongSign > Self.limit {
      refute(
        translation.wrongSign,
        Diagnosis(
          code: "gravitySign", family: .imu,
          sentence: "the accelerometer's sign looks turned: the device moves against what the camera sees",
          evidence: "\(Format.ratio(translation.wrongSign)) from the camera's directions of motion",
          remedy: "write specific force, which points up at rest (+9.8 m/s^2): multiply by -1"))
    }
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
      if clock.ratio > 5, !isLearnt { suspect("cameraClock") }
      if clock.ratio > Self.limit {
        let found = (cause: RotationConsistency.Cause.clock(late: clock.late), ratio: clock.ratio, level: 1.0)
        var diagnosis = diagnosis(found, of: "camera", family: .camera, image.observations.count)
        diagnosis.isHandled = isLearnt
        refute(clock.ratio, diagnosis)
      }
    }
    let outcome = image.test(history) { self.imageAlternatives(camera) }
    guard let outcome else { return }
    if outcome.nullLevel > 2.5 { suspect("cameraRotation") }
    guard let best = outcome.best else { return }
    if best.ratio > Self.limit, outcome.isExplained {
      refute(best.ratio, diagnosis(best, of: "camera", family: .camera, outcome.count))
    } else if outcome.nullLevel > 6, outcome.count >= 12 {
      refute(
        Self.limit + 1,
        Diagnosis(
          code: "cameraRotation", family: .camera,
          sentence: "the images do not turn as the gyroscope says, and no single cause explains it",
          evidence:
            "mean normalised square \(Format.number(outcome.nullLevel)) over \(outcome.count) intervals, expected about 1",
          remedy: "check the camera's T_BS, intrinsics and clock against the inertial unit"))
    }
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

  func testPoses() {
    guard usesOdometry else { return }
    if let tilt = worldGravity.tilt, tilt.angle > 0.35 {
      refute(
        Self.limit + 1,
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence: "the tracker's world is not z up: gravity points along \(Self.axis(tilt.up)) there",
          evidence: "mean specific force \(Format.degrees(tilt.angle)) degrees from +z over 4 s",
          remedy: "convert poses to a gravity-aligned world with z up"))
    }
    if let poses, let outcome = poses.test(history), let best = outcome.best, best.ratio > Self.limit {
      refute(best.ratio, diagnosis(best, of: "odometry", family: .odometry, outcome.count))
    }
    if poses == nil, let found = poseConvention.test() {
      if found.ratio > 2 { suspect("odometryConvention") }
      refute(
        found.ratio,
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
