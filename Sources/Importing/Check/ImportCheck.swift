import Datasets
import Geometry
import Premises
import SensorData
import Wording

/// Checks an imported folder before its first run: gravity at rest, axes, clocks, units, ranges against the truth.
///
/// The premises' own tests are used (docs/diagnoses.md), fed from the folder as a run would read it; poses of the truth
/// stand in for another tracker's. What only a file as a whole shows is added: overlap, rates, residuals.
struct ImportCheck {
  /// Seconds of the recording that are checked: what is wrong with a set-up shows within some seconds of motion, and the
  /// tests cost a tenth of the time that they cover at most.
  private static let longest = 120.0

  private let recording: Recording
  private var still = StillestSecond()
  private var spans: [String: (first: Timestamp, last: Timestamp, count: Int)] = [:]
  /// Watches inertial unit, poses and ranges.
  private let poseMonitor: PremiseMonitor
  /// Watches inertial unit and tracks, where the trajectory will come from those.
  private let imageMonitor: PremiseMonitor?
  private var hasPoses = false
  private var ranges: RangeResiduals
  private var motion: MotionCheck

  /// Checks the folder and adds what it found.
  static func run(folder: String, report: inout ImportReport) throws {
    var options = ReadingOptions()
    options.needsTrajectory = false
    let recording: Recording
    do {
      recording = try Recording.open(.init(fileURLWithPath: folder), options: options)
    } catch {
      // What is missing is said as a run would find it, and what to do.
      guard RegularFile.isFolder("\(folder)/mav0"), !UnfinishedMark.exists(in: folder) else { throw error }
      ImportReadiness.judge(folder: folder, &report)
      guard report.next == ImportReport.run else { return }
      throw error
    }
    var check = try ImportCheck(recording)
    try check.read(&report)
    check.judge(&report)
    ImportReadiness.judge(folder: folder, &report)
  }

  private init(_ recording: Recording) throws {
    self.recording = recording
    var rig = recording.rig
    if rig.odometry == nil { rig.odometry = OdometryCalibration() }
    poseMonitor = PremiseMonitor(rig: rig, usesOdometry: true)
    imageMonitor =
      recording.trajectorySource == .imuAndCamera ? PremiseMonitor(rig: rig, usesOdometry: false) : nil
    ranges = RangeResiduals(rig: recording.rig)
    motion = MotionCheck(rig: recording.rig, statesDevice: recording.statesDevice)
  }

  private mutating func read(_ report: inout ImportReport) throws {
    let events = try recording.events()
    let truth = try recording.groundTruthStates(), peers = try recording.groundTruthPeers()
    var state = try truth?.next(), peer = try peers?.next()
    let usesTruth = recording.rig.odometry == nil
    var elapsed = 0.0, before = recording.firstTimestamp
    while let timed = try events.next() {
      let event = timed.event, time = event.timestamp
      while let next = state, next.timestamp <= time {
        note("truth", next.timestamp)
        ranges.add(next)
        if usesTruth { add(pose: next.worldFromBody, .identity, at: next.timestamp) }
        state = try truth?.next()
      }
      while let next = peer, next.timestamp <= time {
        ranges.add(next)
        peer = try peers?.next()
      }
      // Gaps do not count: a sensor on another clock may begin years after the first.
      elapsed += min(max(0, time.seconds(since: before)), 1)
      before = time
      if elapsed > Self.longest { break }
      add(event)
    }
  }

  private mutating func add(_ event: SensorEvent) {
    let time = event.timestamp
    switch event {
    case .imu(let sample):
      note("imu0", time)
      still.add(sample)
      motion.add(sample)
    case .odometry(let pose):
      note("odometry0", time)
      add(pose: pose.worldFromSensor, recording.rig.odometry?.bodyFromSensor ?? .identity, at: time)
      return
    case .frame(let frame): note("cam\(frame.camera)", time)
    case .range(let range):
      note("uwb0", time)
      ranges.add(range)
    case .device: break
    }
    poseMonitor.observe(poseMonitor.filtered(event))
    if let imageMonitor { imageMonitor.observe(imageMonitor.filtered(event)) }
  }

  private mutating func add(pose: Pose, _ bodyFromSensor: Pose, at time: Timestamp) {
    hasPoses = true
    poseMonitor.observe(.odometry(OdometryPose(timestamp: time, worldFromSensor: pose)))
    poseMonitor.observe(pose * bodyFromSensor.inverse, at: time)
    motion.add(pose: pose, at: time)
  }

  private mutating func note(_ stream: String, _ time: Timestamp) {
    guard var span = spans[stream] else {
      spans[stream] = (time, time, 1)
      return
    }
    span.first = min(span.first, time)
    span.last = max(span.last, time)
    span.count += 1
    spans[stream] = span
  }

  private var diagnoses: [Diagnosis] { poseMonitor.verdict.diagnoses + (imageMonitor?.verdict.diagnoses ?? []) }

  // MARK: - What it means

  private func judge(_ report: inout ImportReport) {
    for (stream, span) in spans where span.count > 1 {
      let seconds = span.last.seconds(since: span.first)
      report.figures["\(stream) seconds"] = seconds
      if seconds > 0 { report.figures["\(stream) rate [Hz]"] = Double(span.count - 1) / seconds }
    }
    judgeGravity(&report)
    let found = motion.found(beside: diagnoses)
    for diagnosis in diagnoses where !found.explains(diagnosis.code) {
      let isTruth = recording.rig.odometry == nil && diagnosis.family == .odometry
      // Uncalibrated radios are the rule, and a run learns their bias.
      let isNote = diagnosis.isHandled || diagnosis.code == "rangeBias"
      report.find(
        isTruth ? diagnosis.code.replacingOdometryByTruth : diagnosis.code, isNote ? .note : .fault,
        diagnosis.sentence, evidence: diagnosis.evidence, remedy: diagnosis.remedy)
    }
    judgeClocks(&report, rotationsFit: !found.explains("odometryClock"))
    ranges.judge(&report)
    if !recording.statesDevice {
      report.decide(
        recording.looksAlongCamera
          ? "the device's axes are not stated: those of cam0 are assumed, it looks ahead"
          : "the device's axes are not stated: the body's are assumed (top +y, back -z; ahead is +y while -z points down)"
      )
    }
    // Axes in a world that is not z up say nothing.
    if !report.findings.contains(where: { $0.code.hasSuffix("Convention") }) {
      motion.judge(&report, beside: diagnoses)
    }
  }

  private func judgeGravity(_ report: inout ImportReport) {
    guard let imu = recording.rig.imu, let best = still.best else { return }
    report.figures["specific force in the stillest second [m/s^2]"] = best.meanForce
    let ratio = best.meanForce / imu.gravityMagnitude
    guard ratio < 0.8 || ratio > 1.2, !diagnoses.contains(where: { $0.code.hasPrefix("accelerometer") }) else {
      return
    }
    report.find(
      ratio < 0.05 ? "gravityMissing" : "accelerometerUnit", .fault,
      "the accelerometer reads \(Words.fixed(best.meanForce, 3)) m/s^2 in the stillest second",
      evidence: "expected \(Words.fixed(imu.gravityMagnitude, 2))",
      remedy: abs(ratio * 9.80665 - 1) < 0.1
        ? "multiply by 9.80665: it looks to be in g" : "write specific force in m/s^2, gravity included")
  }

  private func judgeClocks(_ report: inout ImportReport, rotationsFit: Bool) {
    if hasPoses, rotationsFit, recording.rig.imu != nil, let found = motion.clock.estimate(within: 30) {
      report.figures["correlation of gyroscope and poses"] = found.unshifted
      report.figures["shift of imu0 for the best correlation [s]"] = found.shift
      if abs(found.shift) > 0.1, found.correlation - found.unshifted > 0.1,
        !report.findings.contains(where: { $0.code.hasSuffix("Clock") })
      {
        report.find(
          recording.rig.odometry == nil ? "truthClock" : "odometryClock", .fault,
          "imu0 and the poses are \(Words.fixed(abs(found.shift), 2)) s apart",
          evidence: "rates of rotation correlate by \(Words.fixed(found.correlation, 2)) there, by "
            + "\(Words.fixed(found.unshifted, 2)) as stamped",
          remedy: "shift imu0's stamps by \(Words.fixed(found.shift, 3)) s")
      }
    }
    for finding in (try? recording.spans())?.findings ?? [] {
      report.find(
        "clockOverlap", finding.isFault ? .fault : .note, finding.sentence, evidence: finding.evidence,
        remedy: finding.remedy)
    }
  }
}

extension String {
  fileprivate var replacingOdometryByTruth: String {
    hasPrefix("odometry") ? "truth" + dropFirst("odometry".count) : self
  }
}
