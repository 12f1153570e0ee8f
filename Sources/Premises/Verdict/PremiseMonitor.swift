import CameraGeometry
import Foundation
import Geometry
import Ranging
import SensorData

/// Watches all that a finder takes for granted of its recording, all the time.
///
/// Events go in, in time order; diagnoses come out. Each test compares the stated premise with explicit alternatives by
/// their log likelihood ratio (`LikelihoodRatio`); what that comes to is `PremiseVerdict`'s.
package final class PremiseMonitor {
  /// Delays below this are learnt by online calibration, seconds: three sigmas of its prior.
  static let learnableDelay = 0.06
  /// Factors beyond this are units, not a path's drift.
  static let leastUnit = 3.0
  /// Pixel noise over the stated, where it is learnt, from which on it is named: stated noise errs by a factor of two
  /// and more.
  static let leastNoise = 3.0
  /// Rotation within a window of innovations that lets these confirm the premises, radians: at rest every mount fits.
  static let confirmingTurn = 0.2
  /// Changes of a range's value before its step is named: twelve whole numbers have a common divisor by chance once in
  /// 4000 times.
  static let fewestChanges = 12
  /// Ranges farther apart say nothing of a radio's rate, seconds.
  private static let longestInterval = 0.5
  /// Mean normalised square of rotations between images against the gyroscope's, 1 where all is as stated, from which
  /// on a premise is open, and refuted; and the fewest rotations that refute.
  static let imageLevel = (open: 2.5, refuted: 6.0), fewestRotations = 12
  /// Angle between the tracker's z and gravity that no drift makes, radians.
  static let largestTilt = 0.35
  /// Seconds between tests.
  static let interval = 0.5

  let rig: RigCalibration
  /// Settings of the radio links, with what the recording states.
  private let ranging: RangingConfiguration
  let usesOdometry: Bool
  let calibrates: Bool
  /// What is open and what refuted.
  package internal(set) var verdict = PremiseVerdict()

  var spikes = SpikeFilter()
  var history = InertialHistory()
  var gravity: GravityMagnitude?
  var views = Views()
  var tracker = Tracker()
  var path = PathHistory()
  var links: [String: RangeConsistency] = [:]
  /// What is wrong with all links as far as the newest test of one says.
  private var suspected: RangeConsistency.Cause?
  var rates: [String: StampRateMonitor] = [:], inertialRate = StampRateMonitor()
  /// By peer and antenna.
  var ranges: [String: [String: RangeStream]] = [:]
  var innovations = InnovationMonitor()
  var testCount = 0
  var nextTest: Timestamp?

  /// - Parameters:
  ///   - usesOdometry: whether the trajectory comes from another tracker.
  ///   - calibrates: whether the filter learns the camera's clock itself: what it can learn is handled then.
  ///   - ranging: the filter's settings of a radio link: what they allow is no fault.
  package init(
    rig: RigCalibration, usesOdometry: Bool, calibrates: Bool = false,
    ranging: RangingConfiguration = RangingConfiguration()
  ) {
    self.rig = rig
    self.ranging = ranging.stating(rig.radio)
    self.usesOdometry = usesOdometry
    self.calibrates = calibrates
    if let imu = rig.imu {
      gravity = GravityMagnitude(gravity: imu.gravityMagnitude)
      if let camera = rig.cameras.first, !usesOdometry {
        let cameraFromIMU = camera.bodyFromCamera.rotation.inverse * imu.bodyFromIMU.rotation
        views.rotation = RotationConsistency(observerFromIMU: cameraFromIMU)
        views.lens = LensModel(camera)
      }
      if usesOdometry, let odometry = rig.odometry {
        tracker.rotation = RotationConsistency(
          observerFromIMU: odometry.bodyFromSensor.rotation.inverse * imu.bodyFromIMU.rotation,
          tolerance: RotationConsistency.trackerTolerance)
      }
    }
  }

  /// The innovations of one frame's tracks before the gate: sum of capped `nis / dof`, their number, the number of
  /// tracks, and the tracks' noise that the filter has learnt, in units of the images'; `imageNoise` is
  /// theirs in units of the stated, which the filter uses.
  package func observe(
    innovationSum sum: Double, count: Int, tracks: Int, noise: Double, imageNoise: Double, at time: Timestamp
  ) {
    innovations.append(sum, count, tracks: tracks, noise: noise, at: time)
    if imageNoise > Self.leastNoise { verdict.report(noiseDiagnosis(imageNoise)) }
  }

  /// The event that the finder should use: inertial spikes replaced.
  package func filtered(_ event: SensorEvent) -> SensorEvent {
    guard case .imu(let sample) = event else { return event }
    let used = spikes.filtered(sample)
    if let spike = spikes.newest, spikes.count > 0 { verdict.report(Self.spikeDiagnosis(spike)) }
    return .imu(used)
  }

  /// Takes an event in, in time order, as `filtered` gave it.
  package func observe(_ event: SensorEvent) {
    switch event {
    case .imu(let sample): observe(sample)
    case .frame(let frame): observe(frame)
    case .odometry(let pose): observe(pose)
    case .range(let range):
      measureRate("uwb0 \(range.peer) \(range.antenna ?? "")", range.timestamp)
      observeResolution(range)
      ranges[range.peer]![range.antenna ?? ""]!.jumps.append(range.range, at: range.timestamp)
      if let lever = lever(of: range.antenna) {
        links[range.peer, default: newLink(range)].append(
          range: range.range, lever: lever, at: measuredTime(range))
      }
    case .device: break
    }
    test(at: event.timestamp)
  }

  /// When a range was measured: where the radio smooths, its stamp less the mean age of what it reports.
  private func measuredTime(_ range: RangeMeasurement) -> Timestamp {
    guard let filter = rig.radio?.rangeFilter else { return range.timestamp }
    let before = ranges[range.peer]![range.antenna ?? ""]!.pace
    let since = before.map { min(range.timestamp.seconds(since: $0.last), Self.longestInterval) }
    let interval = before.map { $0.interval > 0 ? $0.interval + 0.1 * (since! - $0.interval) : since! } ?? 0
    ranges[range.peer]![range.antenna ?? ""]!.pace = (range.timestamp, interval)
    return range.timestamp.advanced(bySeconds: -filter.delay(interval: interval))
  }

  private func newLink(_ range: RangeMeasurement) -> RangeConsistency {
    RangeConsistency(ResidualLaw(ranging, statedNoise: rig.radio?.rangeNoise ?? range.standardDeviation))
  }

  private func observeResolution(_ range: RangeMeasurement) {
    ranges[range.peer, default: [:]][range.antenna ?? "", default: RangeStream()].resolution.append(range.range)
    guard let resolution = ranges[range.peer]?[range.antenna ?? ""]?.resolution,
      resolution.changes >= Self.fewestChanges, let step = resolution.coarseStep
    else {
      return
    }
    verdict.report(resolutionDiagnosis(step, range.peer, resolution.changes))
  }

  func lever(of antenna: String?) -> Vector3? { rig.radio?.position(of: antenna) ?? (antenna == nil ? .zero : nil) }

  /// Takes a pose of the trajectory in.
  package func observe(_ worldFromBody: Pose, at time: Timestamp) { path.append(worldFromBody, at: time) }

  /// The trajectory restarts, in a world of its own.
  package func restartTrajectory() {
    innovations.restart(at: nextTest ?? Timestamp(nanoseconds: 0))
    tracker.positions.restart()
    restartPath()
  }

  /// The path is not known here: nothing of it is compared with what follows.
  package func restartPath() {
    guard path.first != nil else { return }
    path.removeAll()
    suspected = nil
    for peer in links.keys { links[peer]!.restart() }
  }

  func measureRate(_ sensor: String, _ time: Timestamp) {
    if rates[sensor, default: StampRateMonitor()].append(time) { testRate(rates[sensor]!, sensor) }
  }

  private func testRate(_ monitor: StampRateMonitor, _ sensor: String) {
    guard let rate = monitor.rate, let unit = StampRateMonitor.unit(of: rate, sensor: sensor) else { return }
    verdict.report(
      Diagnosis(
        code: "timestampUnit", family: .time,
        sentence: "\(sensor)'s stamps are \(Format.number(1e9 / rate)) ns apart: that is no rate of such a sensor",
        evidence: "median rate \(Format.number(rate)) Hz over \(StampRateMonitor.count) rows, read as nanoseconds",
        remedy: "write stamps in nanoseconds: these look like \(unit)"))
  }

  func observe(_ sample: IMUSample) {
    if inertialRate.append(sample.timestamp) { testRate(inertialRate, "imu0") }
    history.append(sample)
    if usesOdometry, let pose = tracker.lastPose, let odometry = rig.odometry, let imu = rig.imu,
      sample.timestamp.seconds(since: pose.timestamp) < 0.1
    {
      let sensorFromIMU = odometry.bodyFromSensor.rotation.inverse * imu.bodyFromIMU.rotation
      tracker.tilt.append(sample, worldFromIMU: pose.worldFromSensor.rotation * sensorFromIMU)
    }
  }

  func observe(_ frame: CameraFrame) {
    measureRate("cam\(frame.camera)", frame.timestamp)
    if rig.cameras.indices.contains(frame.camera),
      let unit = views.coordinates[frame.camera, default: FeatureUnitDetector()].append(
        frame, rig.cameras[frame.camera])
    {
      verdict.report(coordinateDiagnosis(unit, rig.cameras[frame.camera], frame.camera))
    }
    guard frame.camera == 0, let camera = rig.cameras.first, let lens = views.lens, views.rotation != nil,
      !frame.features.isEmpty
    else {
      return
    }
    guard let old = views.pairs.partner(of: frame) else { return }
    let now = frame.timestamp
    let pairs = RelativeRotation.pairs(old.features, frame.features)
    guard var observation = observation(pairs, old.timestamp, now, camera, lens) else { return }
    observation.rotation.pairs = pairs
    views.rotation!.append(observation.rotation)
    if let imu = rig.imu {
      let imuFromCamera = imu.bodyFromIMU.rotation.inverse * camera.bodyFromCamera.rotation
      // Points move by t; the camera by -t, in the later view's axes.
      views.translation.append(
        TranslationConsistency.Displacement(
          start: observation.rotation.start, end: observation.rotation.end,
          direction: imuFromCamera * -observation.translation, parallax: observation.parallax), history)
    }
  }

  /// The rotation between two views, on the inertial unit's clock.
  func observation(
    _ pairs: [FeaturePair], _ old: Timestamp, _ now: Timestamp, _ camera: CameraCalibration, _ lens: LensModel
  ) -> (rotation: RotationConsistency.Observation, translation: Vector3, parallax: Double)? {
    let noise = camera.pixelNoise / (camera.fx * camera.fy).squareRoot()
    let start = old.advanced(bySeconds: camera.timeOffset), end = now.advanced(bySeconds: camera.timeOffset)
    guard let seen = RelativeRotation(pairs, lens: lens, noise: 1.4 * noise) else { return nil }
    return (
      RotationConsistency.Observation(start: start, end: end, seen, noise: 1.4 * noise),
      seen.translation, seen.parallax
    )
  }

  func observe(_ pose: OdometryPose) {
    measureRate("odometry0", pose.timestamp)
    guard usesOdometry else { return }
    tracker.convention.append(pose)
    tracker.lastPose = pose
    guard tracker.rotation != nil, let odometry = rig.odometry, let imu = rig.imu else { return }
    tracker.positions.append(
      pose.worldFromSensor * odometry.bodyFromSensor.inverse * imu.bodyFromIMU, at: pose.timestamp, history)
    guard let anchor = tracker.anchorPose else {
      tracker.anchorPose = pose
      return
    }
    let span = pose.timestamp.seconds(since: anchor.timestamp)
    guard span >= ViewPairs.span else { return }
    tracker.anchorPose = pose
    guard span <= 0.5 else { return }
    let relative = anchor.worldFromSensor.rotation.inverse * pose.worldFromSensor.rotation
    tracker.rotation!.append(
      RotationConsistency.Observation(
        start: anchor.timestamp, end: pose.timestamp, vector: relative.log,
        covariance: Matrix3(diagonal: Vector3(1, 1, 1) * 1e-5)))
  }
}

/// The tests of radio links.
extension PremiseMonitor {
  /// Tests one link after the other, one at each test.
  func testLinks() {
    let peers = links.keys.sorted()
    testCount += 1
    guard !peers.isEmpty else { return }
    let slots = peers.count
    for (k, peer) in peers.enumerated() {
      if testCount % slots == k % slots { testLink(peer) } else { verdict.keep(peer) }
    }
  }

  func testLink(_ peer: String) {
    guard let link = links[peer] else { return }
    if let impossible = link.impossible {
      let unit = impossible > 300_000 ? "micrometres" : "millimetres"
      return verdict.add(
        .symptom(isRefuting: true), against: "rangeUnit", of: peer,
        Diagnosis(
          code: "rangeUnit", family: .radio, sentence: "ranges to \(peer) look to be in \(unit)",
          evidence: "median of the newest \(Format.number(impossible)) m: no such radio reaches that far",
          remedy: "write ranges in metres", peer: peer))
    }
    if let twins = (ranges[peer] ?? [:]).sorted(by: { $0.key < $1.key }).compactMap(\.value.jumps.twins).first {
      return verdict.add(
        .symptom(isRefuting: true), against: "rangesInconsistent", of: peer,
        Diagnosis(
          code: "rangesInconsistent", family: .radio,
          sentence:
            "ranges to \(peer) jump between two distances, \(Format.number(twins.near)) and \(Format.number(twins.far)) m: as of two devices under one id",
          evidence:
            "\(twins.alternating) of the newest \(twins.count) ranges are far from the one before and near the one before that",
          remedy: "give every device an id of its own", peer: peer))
    }
    guard var found = links[peer]!.test(path, suspected: suspected) else { return }
    let rule = PremiseVerdict.rule(of: found.cause.premise)
    guard rule.isOpened(by: found.evidence) else { return }
    if isShared(found.cause) {
      pool(&found, from: peer)
      suspected = found.ratio > 0 ? found.cause : nil
    }
    verdict.add(found.evidence, against: found.cause.premise, of: peer, diagnosis(found, peer))
  }

  private func diagnosis(_ found: RangeConsistency.Outcome, _ peer: String) -> Diagnosis {
    let evidence = "\(Format.ratio(found.ratio)) over \(found.count) ranges along the path"
    func diagnosis(_ code: String, _ family: Diagnosis.Family, _ sentence: String, _ remedy: String) -> Diagnosis {
      Diagnosis(code: code, family: family, sentence: sentence, evidence: evidence, remedy: remedy, peer: peer)
    }
    switch found.cause {
    case .scale(let factor): return scaleDiagnosis(factor, peer, evidence)
    case .sign:
      return diagnosis(
        "rangeSign", .radio, "ranges to \(peer) look to shorten where the distance grows",
        "write distances in metres: a signal strength grows towards the peer")
    case .bias:
      return diagnosis(
        "rangeBias", .radio,
        "every range to \(peer) looks \(Format.number(abs(found.bias))) m too \(found.bias > 0 ? "long" : "short")",
        "calibrate the antenna delay, or range_bias: \(Format.number(found.bias)) in uwb0/sensor.yaml")
    case .clock(let late):
      return diagnosis(
        "radioClock", .radio,
        "ranges to \(peer) look stamped \(Format.number(abs(late))) s \(late > 0 ? "late" : "early")"
          + (usesOdometry ? ", or the tracker's path so much \(late > 0 ? "early" : "late")" : ""),
        "put radio and motion on one clock: shift uwb0's stamps by \(Format.number(-late)) s"
          + (late > 0 ? "; if the radio smooths its ranges, state range_filter" : ""))
    case .smoothing(let filter):
      let (words, key) =
        switch filter {
        case .mean(let count): ("means of \(count)", "mean_of: \(count)")
        case .exponential(let weight):
          ("exponential means of weight \(Format.number(weight))", "exponential: \(Format.number(weight))")
        case .lag(let seconds): ("\(Format.number(seconds)) s old", "lag: \(Format.number(seconds))")
        }
      return diagnosis(
        "rangeFilter", .radio, "ranges to \(peer) look smoothed by the radio: \(words)",
        "switch the radio's filter off, or range_filter: {\(key)} in uwb0/sensor.yaml")
    }
  }

  /// Whether all links share what is wrong: a radio's clock, a path's scale. A unit or an antenna's delay may be one
  /// peer's.
  private func isShared(_ cause: RangeConsistency.Cause) -> Bool {
    switch cause {
    case .clock, .smoothing: true
    case .scale(let factor): usesOdometry && factor <= Self.leastUnit
    case .bias, .sign: false
    }
  }

  /// Adds what the other links say of the same cause: `sum_j log L_j(cause) - log L_j(null)`.
  private func pool(_ found: inout RangeConsistency.Outcome, from peer: String) {
    for other in links.keys.sorted() where other != peer {
      guard let evidence = links[other]!.evidence(for: found.cause, path) else { continue }
      found.ratio += evidence.ratio
      found.parts += evidence.parts
      found.count += evidence.count
    }
  }

  /// Ranges and a path that differ by a factor: which of the two is wrong only the factor can tell.
  func scaleDiagnosis(_ factor: Double, _ peer: String, _ evidence: String) -> Diagnosis {
    if usesOdometry, factor <= Self.leastUnit {
      return Diagnosis(
        code: "odometryScale", family: .odometry,
        sentence:
          "the tracker's path looks about \(Format.number(1 / factor)) times as long as the ranges to \(peer) say",
        evidence: evidence,
        remedy: "multiply odometry0's positions by about \(Format.number(factor)), or check the ranges' unit",
        peer: nil)
    }
    return Diagnosis(
      code: "rangeUnit", family: .radio,
      sentence: "ranges to \(peer) look about \(Format.number(factor)) times as long as the path says",
      evidence: evidence, remedy: "multiply ranges by about \(Format.number(1 / factor))", peer: peer)
  }
}
