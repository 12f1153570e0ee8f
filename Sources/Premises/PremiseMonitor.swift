import CameraGeometry
import Foundation
import Geometry
import SensorData

/// Watches all that a finder takes for granted of its recording, all the time.
///
/// Events go in, in time order; diagnoses come out. Each test compares the stated premise with explicit alternatives by their
/// log likelihood ratio (`LikelihoodTest`). A premise is refuted where the ratio passes `limit` in two tests in a row: by Markov's
/// inequality a true premise does so with probability at most e^-limit a test. What is refuted stays so.
package final class PremiseMonitor {
  /// Delays below this are learnt by online calibration, seconds: three sigmas of its prior.
  private static let learnableDelay = 0.06
  /// Log likelihood ratio from which on a premise is refuted: 1.5e-8 a test.
  package static let limit = 18.0
  /// Seconds between tests.
  private static let interval = 0.5
  /// Seconds between views that are compared, and between comparisons.
  private static let view = (span: 0.2, spacing: 0.24)

  private let rig: RigCalibration
  private let usesOdometry: Bool
  private let calibrates: Bool
  /// All that was found, in the order in which it was.
  package private(set) var diagnoses: [Diagnosis] = []

  private var spikes = SpikeFilter()
  private var history = InertialHistory()
  private var gravity: GravityTest?
  private var image: RotationConsistency?
  private var views: [(features: [FeaturePair], observation: Int)] = []
  private var alternatives: [ImageAlternative] = []
  private var lens: LensModel?
  private var frames: [CameraFrame] = []
  private var lastView: Timestamp?
  private var translation = TranslationTest()
  private var poses: RotationConsistency?
  private var lastPose: OdometryPose?
  private var anchorPose: OdometryPose?
  private var poseConvention = PoseConventionTest()
  private var worldGravity = WorldGravityTest()
  private var links: [String: RangeConsistency] = [:]
  private var rates: [String: RateTest] = [:]
  private var innovations = InnovationTest()
  /// Open premises of the newest test: evidence against them, below the limit; "" for the device, else by peer.
  private var open: Set<String> = []
  /// Those of the newest test alone: one test opens nothing.
  private var suspected: Set<String> = []
  private var firstFrame: Timestamp?
  private var nextTest: Timestamp?
  /// In how many tests in a row each diagnosis has passed the limit.
  private var passed: [String: Int] = [:]
  private var pending: Set<String> = []

  /// - Parameters:
  ///   - usesOdometry: whether the trajectory comes from another tracker.
  ///   - calibrates: whether the filter learns the camera's clock itself: what it can learn is handled then.
  package init(rig: RigCalibration, usesOdometry: Bool, calibrates: Bool = false) {
    self.rig = rig
    self.usesOdometry = usesOdometry
    self.calibrates = calibrates
    if let imu = rig.imu {
      gravity = GravityTest(gravity: imu.gravityMagnitude)
      if let camera = rig.cameras.first, !usesOdometry {
        let cameraFromIMU = camera.bodyFromCamera.rotation.inverse * imu.bodyFromIMU.rotation
        image = RotationConsistency(observerFromIMU: cameraFromIMU)
        lens = LensModel(camera)
      }
      if usesOdometry, let odometry = rig.odometry {
        poses = RotationConsistency(
          observerFromIMU: odometry.bodyFromSensor.rotation.inverse * imu.bodyFromIMU.rotation)
      }
    }
  }

  /// What is refuted, concerning the device or this peer's link.
  package func refuted(for peer: String?) -> [Diagnosis] {
    diagnoses.filter { !$0.isHandled && $0.family != .truth && ($0.peer == nil || $0.peer == peer) }
  }

  /// Whether evidence speaks against a premise, or it has not been tested at all: nothing should rest on it yet.
  package func isOpen(for peer: String) -> Bool { open.contains("") || open.contains(peer) }

  /// The innovations of one frame's tracks before the gate: sum of capped `nis / dof`, their number, the number of
  /// tracks, and the tracks' noise that the filter has learnt, in units of the stated.
  package func observe(innovationSum sum: Double, count: Int, tracks: Int, noise: Double, at time: Timestamp) {
    innovations.append(sum, count, tracks: tracks, noise: noise, at: time)
  }

  /// The event that the finder should use: inertial spikes replaced.
  package func filtered(_ event: SensorEvent) -> SensorEvent {
    guard case .imu(let sample) = event else { return event }
    let used = spikes.filtered(sample)
    if let spike = spikes.newest, spikes.count > 0 { reportSpike(spike) }
    return .imu(used)
  }

  /// Takes an event in, in time order, as `filtered` gave it.
  package func observe(_ event: SensorEvent) {
    switch event {
    case .imu(let sample): observe(sample)
    case .frame(let frame): observe(frame)
    case .odometry(let pose): observe(pose)
    case .range(let range): measureRate("uwb0 \(range.peer) \(range.antenna ?? "")", range.timestamp)
      links[range.peer, default: RangeConsistency()].append(range: range.range, at: range.timestamp)
    case .device: break
    }
    test(at: event.timestamp)
  }

  /// The trajectory: where the device is, in the world of the trajectory, metres.
  package func observe(position: Vector3, at time: Timestamp) {
    for peer in links.keys { links[peer]!.append(position: position, at: time) }
  }

  /// The trajectory begins anew, in a world of its own.
  package func restartTrajectory() {
    innovations.restart(at: nextTest ?? Timestamp(nanoseconds: 0))
    for peer in links.keys { links[peer]!.restart() }
  }

  private func measureRate(_ sensor: String, _ time: Timestamp) {
    guard rates[sensor, default: RateTest()].append(time), let rate = rates[sensor]!.rate else { return }
    guard let unit = RateTest.unit(of: rate, sensor: sensor) else { return }
    report(
      Diagnosis(
        code: "timestampUnit", family: .time,
        sentence: "\(sensor)'s stamps are \(Format.number(1e9 / rate)) ns apart: that is no rate of such a sensor",
        evidence: "median rate \(Format.number(rate)) Hz over \(RateTest.count) rows, read as nanoseconds",
        remedy: "write stamps in nanoseconds: these look like \(unit)"))
  }

  private func observe(_ sample: IMUSample) {
    measureRate("imu0", sample.timestamp)
    history.append(sample)
    if usesOdometry, let pose = lastPose, let odometry = rig.odometry, let imu = rig.imu,
      sample.timestamp.seconds(since: pose.timestamp) < 0.1
    {
      let sensorFromIMU = odometry.bodyFromSensor.rotation.inverse * imu.bodyFromIMU.rotation
      worldGravity.append(sample, worldFromIMU: pose.worldFromSensor.rotation * sensorFromIMU)
    }
  }

  private func observe(_ frame: CameraFrame) {
    measureRate("cam\(frame.camera)", frame.timestamp)
    guard frame.camera == 0, let camera = rig.cameras.first, let lens, image != nil, !frame.features.isEmpty else { return }
    frames.append(frame)
    let now = frame.timestamp
    while frames.count > 2, now.seconds(since: frames[1].timestamp) >= Self.view.span - 1e-6 { frames.removeFirst() }
    guard let old = frames.first, now.seconds(since: old.timestamp) >= 0.75 * Self.view.span,
      now.seconds(since: old.timestamp) <= 0.5,
      now.seconds(since: lastView ?? Timestamp(nanoseconds: .min)) >= Self.view.spacing - 1e-6
    else { return }
    lastView = now
    let pairs = RelativeRotation.pairs(old.features, frame.features)
    guard let observation = observation(pairs, old.timestamp, now, camera, lens) else { return }
    image!.append(observation.rotation)
    views.append((pairs, 0))
    if views.count > image!.observations.count { views.removeFirst(views.count - image!.observations.count) }
    if let imu = rig.imu {
      let imuFromCamera = imu.bodyFromIMU.rotation.inverse * camera.bodyFromCamera.rotation
      // Points move by t; the camera by -t, in the later view's axes.
      translation.append(
        TranslationTest.Displacement(
          start: observation.rotation.start, end: observation.rotation.end,
          direction: imuFromCamera * -observation.translation, parallax: observation.parallax), history)
    }
  }

  /// The rotation between two views, on the inertial unit's clock.
  private func observation(
    _ pairs: [FeaturePair], _ old: Timestamp, _ now: Timestamp, _ camera: CameraCalibration, _ lens: LensModel
  ) -> (rotation: RotationConsistency.Observation, translation: Vector3, parallax: Double)? {
    let noise = camera.pixelNoise / (camera.fx * camera.fy).squareRoot()
    guard let seen = RelativeRotation(pairs, lens: lens, noise: 1.4 * noise) else { return nil }
    let start = old.advanced(bySeconds: camera.timeOffset), end = now.advanced(bySeconds: camera.timeOffset)
    return (
      RotationConsistency.Observation(start: start, end: end, vector: -seen.vector, covariance: seen.covariance),
      seen.translation, seen.parallax
    )
  }

  private func observe(_ pose: OdometryPose) {
    measureRate("odometry0", pose.timestamp)
    guard usesOdometry else { return }
    poseConvention.append(pose)
    lastPose = pose
    guard poses != nil else { return }
    guard let anchor = anchorPose else {
      anchorPose = pose
      return
    }
    let span = pose.timestamp.seconds(since: anchor.timestamp)
    guard span >= Self.view.span else { return }
    anchorPose = pose
    guard span <= 0.5 else { return }
    let relative = anchor.worldFromSensor.rotation.inverse * pose.worldFromSensor.rotation
    poses!.append(
      RotationConsistency.Observation(
        start: anchor.timestamp, end: pose.timestamp, vector: relative.log,
        covariance: Matrix3(diagonal: Vector3(1, 1, 1) * 1e-5)))
  }

  // MARK: - Tests

  private func test(at time: Timestamp) {
    guard let next = nextTest else {
      nextTest = time.advanced(bySeconds: Self.interval)
      return
    }
    guard time >= next else { return }
    nextTest = time.advanced(bySeconds: Self.interval)
    pending = []
    let before = suspected
    suspected = []
    testGravity()
    if !isSettled {
      testImage()
      testInnovations()
      testPoses()
    }
    if !isSettled { for peer in links.keys.sorted() { testLink(peer) } }
    passed = passed.filter { pending.contains($0.key) }
    open = suspected.intersection(before)
  }

  /// Whether the device's own premises are refuted already: nothing is gained by more causes, and searching them costs.
  private var isSettled: Bool {
    diagnoses.contains { !$0.isHandled && $0.peer == nil && ["imu", "camera"].contains($0.family.rawValue) }
  }

  private func testInnovations() {
    guard image != nil else { return }
    if innovations.isSuspicious { suspected.insert("") }
    guard let found = innovations.refuted else { return }
    refute(
      Self.limit + 1, times: 3,
      Diagnosis(
        code: "visualInertialMismatch", family: .camera,
        sentence: "camera and inertial unit contradict each other, and no single cause explains it",
        evidence: found,
        remedy: "check T_BS, intrinsics, clocks and units of cam0 and imu0, one by one"))
  }

  /// Reports once the limit was passed in `times` tests in a row.
  private func refute(_ ratio: Double, times: Int = 2, _ diagnosis: @autoclosure () -> Diagnosis) {
    guard ratio > Self.limit else { return }
    let found = diagnosis()
    let key = "\(found.code) \(found.peer ?? "")"
    pending.insert(key)
    passed[key, default: 0] += 1
    if passed[key]! >= times { report(found) }
  }

  private func report(_ diagnosis: Diagnosis) {
    guard !diagnoses.contains(where: { $0.code == diagnosis.code && $0.peer == diagnosis.peer }) else { return }
    diagnoses.append(diagnosis)
  }

  private func reportSpike(_ spike: IMUSample) {
    report(
      Diagnosis(
        code: "sensorSpike", family: .imu,
        sentence: "an inertial reading jumps and comes back: \(Format.number(spike.specificForce.norm)) m/s^2, "
          + "\(Format.number(spike.angularVelocity.norm)) rad/s; the reading before it was used instead",
        evidence: "at \(spike.timestamp.nanoseconds) ns; neighbours differ by less than "
          + "\(Format.number(SpikeFilter.step.force)) m/s^2 and \(Format.number(SpikeFilter.step.rate)) rad/s",
        remedy: "check the logger's bus; single spikes do no harm", isHandled: true))
  }

  private func testGravity() {
    guard let gravity else { return }
    if let found = gravity.size(history) {
      refute(found.ratio, sizeDiagnosis(found, gravity))
    } else if let found = gravity.direction(history), case .axes(let axes) = found.cause {
      refute(
        found.ratio,
        Diagnosis(
          code: "imuAxes", family: .imu,
          sentence: "gyroscope and accelerometer do not share axes: gravity turns with the device",
          evidence: "\(Format.ratio(found.ratio)) for gyroscope axes \(Self.words(axes)) over \(Format.number(found.seconds)) s",
          remedy: "bring both into the axes of imu0 before writing data.csv"))
    }
    if translation.wrongSign > 3 { suspected.insert("") }
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

  private func sizeDiagnosis(_ found: GravityTest.Outcome, _ gravity: GravityTest) -> Diagnosis {
    let evidence =
      "mean specific force \(Format.number(found.mean)) m/s^2 over \(Format.number(found.seconds)) s, expected "
      + "\(Format.number(gravity.gravity)); \(Format.ratio(found.ratio))"
    switch found.cause {
    case .missing:
      return Diagnosis(
        code: "gravityMissing", family: .imu, sentence: "the accelerometer's readings hold no gravity", evidence: evidence,
        remedy: "write raw specific force, not user acceleration with gravity taken off")
    case .scale(let scale):
      if let unit = GravityTest.unit(scale) {
        return Diagnosis(
          code: "accelerometerUnit", family: .imu, sentence: "the accelerometer looks to be in \(unit.name), not m/s^2",
          evidence: evidence, remedy: "multiply by \(Format.number(1 / unit.factor))")
      }
      return Diagnosis(
        code: "accelerometerScale", family: .imu,
        sentence: "the accelerometer reads \(Format.number(scale)) times gravity", evidence: evidence,
        remedy: "check the accelerometer's unit, range and gravity_magnitude")
    case .axes: preconditionFailure("a test of size finds no axes")
    }
  }

  private func testImage() {
    guard let image, let camera = rig.cameras.first else { return }
    if let clock = image.clock(history) {
      let isLearnt = calibrates && abs(clock.late) < Self.learnableDelay
      if clock.ratio > 5, !isLearnt { suspected.insert("") }
      if clock.ratio > Self.limit {
        let found = (cause: RotationConsistency.Cause.clock(late: clock.late), ratio: clock.ratio, level: 1.0)
        var diagnosis = diagnosis(found, of: "camera", family: .camera, image.observations.count)
        diagnosis.isHandled = isLearnt
        refute(clock.ratio, diagnosis)
      }
    }
    let outcome = image.test(history) { self.imageAlternatives(camera) }
    guard let outcome else { return }
    if outcome.nullLevel > 2.5 { suspected.insert("") }
    guard let best = outcome.best else { return }
    if best.ratio > Self.limit {
      refute(best.ratio, diagnosis(best, of: "camera", family: .camera, outcome.count))
    } else if outcome.nullLevel > 6, outcome.count >= 12 {
      refute(
        Self.limit + 1,
        Diagnosis(
          code: "cameraRotation", family: .camera,
          sentence: "the images do not turn as the gyroscope says, and no single cause explains it",
          evidence: "mean normalised square \(Format.number(outcome.nullLevel)) over \(outcome.count) intervals, expected about 1",
          remedy: "check the camera's T_BS, intrinsics and clock against the inertial unit"))
    }
  }

  private func imageAlternatives(_ camera: CameraCalibration) -> [[RotationConsistency.Observation]] {
    if alternatives.isEmpty { alternatives = ImageAlternative.all(camera) }
    let observations = image!.observations
    return alternatives.map { alternative in
      zip(views, observations).compactMap { view, stated in
        let pairs = view.features.map { FeaturePair(then: alternative.pixel($0.then), now: alternative.pixel($0.now)) }
        let noise = camera.pixelNoise / (camera.fx * camera.fy).squareRoot()
        guard let seen = RelativeRotation(pairs, lens: alternative.lens, noise: 1.4 * noise) else { return nil }
        return RotationConsistency.Observation(
          start: stated.start, end: stated.end, vector: -seen.vector, covariance: seen.covariance)
      }
    }
  }

  private func testPoses() {
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
        if found.ratio > 2 { suspected.insert("") }
      refute(
        found.ratio,
        Diagnosis(
          code: "odometryConvention", family: .odometry,
          sentence: "the tracker's rotations look written in another convention",
          evidence: "\(Format.ratio(found.ratio)): the device's tilt scatters by \(Format.degrees(found.stated)) degrees as stated, by "
            + "\(Format.degrees(found.scatter)) otherwise",
          remedy: found.convention.remedy))
    }
  }

  private func diagnosis(
    _ best: (cause: RotationConsistency.Cause, ratio: Double, level: Double), of sensor: String, family: Diagnosis.Family,
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
    case .gyroscopeAxes(let axes):
      return found(
        "imuAxes", isCamera ? .imu : family, "the gyroscope's axes look permuted or of other signs: \(Self.words(axes))",
        "bring the gyroscope into the axes of imu0")
    case .gyroscopeScale(let scale):
      let isDegrees = abs(log(scale * .pi / 180)) < 0.15
      return found(
        isDegrees ? "gyroscopeUnit" : "gyroscopeScale", isCamera ? .imu : family,
        isDegrees
          ? "the gyroscope looks to be in degrees per second" : "the gyroscope reads \(Format.number(scale)) times the rotation",
        isDegrees ? "multiply by pi / 180" : "divide the gyroscope by \(Format.number(scale))")
    case .image(let index):
      let alternative = alternatives[index]
      return found(alternative.code, .camera, alternative.sentence, alternative.remedy)
    }
  }

  private func testLink(_ peer: String) {
    guard let link = links[peer] else { return }
    if let impossible = link.impossible {
      let unit = impossible > 300_000 ? "micrometres" : "millimetres"
      return refute(
        Self.limit + 1,
        Diagnosis(
          code: "rangeUnit", family: .radio, sentence: "ranges to \(peer) look to be in \(unit)",
          evidence: "median of the newest \(Format.number(impossible)) m: no such radio reaches that far",
          remedy: "write ranges in metres", peer: peer))
    }
    let outcome = links[peer]!.test()
    if let outcome, outcome.ratio > 5 { suspected.insert(peer) }
    guard let found = outcome, found.ratio > Self.limit else { return }
    let evidence =
      "\(Format.ratio(found.ratio)); residual \(Format.number(found.null)) m as stated, \(Format.number(found.alternative)) m otherwise"
    func diagnosis(_ code: String, _ sentence: String, _ remedy: String) -> Diagnosis {
      Diagnosis(code: code, family: .radio, sentence: sentence, evidence: evidence, remedy: remedy, peer: peer)
    }
    switch found.cause {
    case .unit(let factor):
      refute(
        found.ratio,
        diagnosis(
          "rangeUnit", "ranges to \(peer) look \(Format.number(factor)) times too large for the motion",
          "multiply ranges by \(Format.number(1 / factor))"))
    case .bias(let bias):
      refute(
        found.ratio,
        diagnosis(
          "rangeBias", "every range to \(peer) looks \(Format.number(abs(bias))) m too \(bias > 0 ? "long" : "short")",
          "calibrate the antenna delay, or range_bias: \(Format.number(bias)) in uwb0/sensor.yaml"))
    case .clock(let late):
      refute(
        found.ratio, times: 6,
        diagnosis(
          "radioClock", "ranges to \(peer) look stamped \(Format.number(abs(late))) s \(late > 0 ? "late" : "early")",
          "put radio and motion on one clock: shift uwb0's stamps by \(Format.number(-late)) s"))
    }
  }

  private static func words(_ m: Matrix3) -> String {
    let names = ["x", "y", "z"]
    return (0..<3).map { r in
      let c = (0..<3).max { abs(m[r, $0]) < abs(m[r, $1]) }!
      return (m[r, c] < 0 ? "-" : "+") + names[c]
    }.joined(separator: " ")
  }

  private static func axis(_ v: Vector3) -> String {
    let names = ["x", "y", "z"]
    let k = (0..<3).max { abs(v[$0]) < abs(v[$1]) }!
    return (v[k] < 0 ? "-" : "+") + names[k]
  }
}
