import Geometry
import Inertial
import SensorData
import Vision

/// Makes the trajectory from an inertial unit and one or two cameras: a multi-state constraint Kalman filter with
/// landmarks and first-estimates Jacobians.
///
/// Samples and frames go in, in time order; the filter behind `navigation` is there once a first state was found.
package final class VisualInertialEstimator {
  /// The filter; nil until a first state was found.
  package private(set) var navigation: InertialNavigation?
  /// How often a filter was given up because it could no longer be trusted; each time a new world begins,
  /// placed where the old one ended.
  package private(set) var restarts = 0
  /// Told of the stages within a frame's work.
  package var meter: (any StageMeter)? { didSet { visualUpdate.meter = meter } }

  private let imu: IMUCalibration
  private let configuration: VisualInertialConfiguration
  private let timeOffset: Double
  private let camera: FilterCamera
  private let second: SecondCamera?
  private let stillness: StillnessDetector
  private var visualUpdate: VisualUpdate
  private var trackNoise = TrackNoiseLearner()

  private var waiting = IMUBuffer()
  private var initializer: Initializer
  private var newestFrame: Timestamp?
  private var tracks = FeatureTracks()
  /// Those of a second camera that numbers its features by itself.
  private var ownTracks = FeatureTracks()
  /// A frame of the second camera that came before the first camera's.
  private var early: CameraFrame?
  private var recent = RecentFrames()
  private var screen = TrackScreen()
  private var rest = RestConstraint()
  private var hover = HoverConstraint()
  private var window: CloneWindow
  private var trust = TrustMonitor()
  private var way = WayMonitor()

  /// An estimator for a device with an inertial unit, a camera, and perhaps a second one that sees at the same moments.
  package init(
    imu: IMUCalibration, camera: CameraCalibration, second: CameraCalibration? = nil,
    configuration: VisualInertialConfiguration = VisualInertialConfiguration()
  ) {
    self.imu = imu
    self.configuration = configuration
    timeOffset = camera.timeOffset
    self.camera = FilterCamera(camera, imu: imu)
    self.second = second.map { SecondCamera($0, imu: imu, beside: camera) }
    stillness = StillnessDetector(imu)
    initializer = Initializer(
      calibration: imu, camera: self.camera, stillness: stillness, patience: configuration.patience)
    window = CloneWindow(
      size: configuration.windowSize, keptParallax: configuration.keptParallax * camera.pixelNoise)
    visualUpdate = VisualUpdate(
      cameras: [self.camera] + (self.second.map { [$0.camera] } ?? []), mostTracks: configuration.mostTracks,
      framesPerAnchor: Double(configuration.windowSize) / 2)
  }

  /// Takes an inertial sample. False for one that is not newer than the last, or not finite: it is then ignored.
  @discardableResult
  package func add(_ sample: IMUSample) -> Bool {
    if let navigation { return navigation.samples.add(sample) }
    let taken = waiting.add(sample)
    if taken { waiting.forget(before: sample.timestamp.advanced(bySeconds: -Initializer.memory)) }
    return taken
  }

  /// Starts from a known state instead of finding one. False when it is not finite.
  @discardableResult
  package func start(from estimate: InitialEstimate) -> Bool {
    guard
      let started = InertialNavigation(
        calibration: imu, mount: CameraMount(imuFromCamera: camera.imuFromCamera), lens: camera.lens,
        learning: configuration.calibration, time: estimate.time, state: estimate.state,
        initialCovariance: estimate.covariance)
    else { return false }
    started.samples = waiting
    tracks.removeAll()
    navigation = started
    return true
  }

  /// Takes a frame: the block diagram of the filter.
  package func process(_ frame: CameraFrame) -> FrameReport {
    var report = FrameReport(frame, at: frame.timestamp.advanced(bySeconds: timeOffset))
    // A frame that comes twice tells nothing the second time.
    if let newest = newestFrame, report.timestamp <= newest { return report.treated(.dropped) }
    let spacing = newestFrame.map { report.timestamp.seconds(since: $0) } ?? 0
    newestFrame = report.timestamp
    report.medianDisparity = recent.disparity(to: frame)
    if navigation == nil { report.waitingFor = meter.measure(.start) { begin(frame, report) } }
    guard let navigation else {
      screen.watch(frame, at: report.timestamp, by: camera)
      return report
    }
    let isThere = meter.measure(.propagation) { navigation.advance(to: report.timestamp) }
    guard isThere else { return given(up: navigation, report) }

    let camera = camera.known(to: navigation)
    let frame = meter.measure(.screening) { screened(frame, by: camera, navigation, &report) }
    navigation.considerCalibration(seen: frame, by: camera, spacing: spacing)
    let rested = rest(navigation, report)
    report.treatment = rested ? .still : .moving
    // A pose from which nothing is seen tells nothing; those from before the dark stay, and with them what the way has lost since.
    let clone = rested || frame.features.isEmpty ? nil : navigation.clone()
    let ended = tracks.observe(frame.features, lens: camera.lens, poseID: clone?.id)
    meter.measure(.marginalisation) { navigation.removeLandmarks { !tracks.isAlive($0.featureID) } }
    report.parallax = window.judge(clone, in: navigation, tracks, focalLength: camera.lens.focalLength)
    let surplus = window.surplus(of: navigation)
    let anchorID = window.anchorID(in: navigation, surplus: surplus)
    let told = tracksToUse(ended, surplus, isMoving: clone != nil, navigation)
    visualUpdate.setNoise(trackNoise.noise, spacing: spacing)
    let outcome = navigation.countingCorrection { visualUpdate.apply(told, anchorID: anchorID, to: navigation) }
    for sample in outcome.samples { trackNoise.add(sample) }
    report.count(outcome)
    if let surplus, let anchorID { meter.measure(.marginalisation) { giveUp(surplus, anchorID, navigation) } }
    if let early { join(early) }
    if !rested { hover.apply(frame, camera: camera, to: navigation) }
    if trust.isLost(after: report, navigation) {
      report.giveUp(waitingFor: restart())
    } else {
      follow(way.turn(after: report, navigation), navigation)
    }
    return report
  }
}

// MARK: A second camera

extension VisualInertialEstimator {
  /// Takes a frame of the second camera: what it saw at the moment of a frame of the first. Frames of other moments, and those
  /// of a device at rest, tell nothing.
  package func join(_ frame: CameraFrame) {
    early = nil
    guard let second, let navigation else { return }
    let time = frame.timestamp.advanced(bySeconds: second.timeOffset)
    guard let clone = navigation.clones.last, abs(clone.timestamp.seconds(since: time)) <= SecondCamera.tolerance else {
      if time > navigation.time { early = frame }
      return
    }
    var told = VisualUpdate.Tracks(companions: companions)
    if second.sharesIDs {
      tracks.join(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
      told.landmarks = tracks.take(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    } else {
      told.finished = ownTracks.observe(frame.features, lens: second.camera.lens, poseID: clone.id, camera: 1)
    }
    _ = visualUpdate.apply(told, anchorID: nil, to: navigation)
  }
}

// MARK: The steps

extension VisualInertialEstimator {
  /// Looks for a first state; returns what is still missing.
  private func begin(_ frame: CameraFrame, _ report: FrameReport) -> String? {
    switch initializer.attempt(frame, report, waiting, pictureStands: pictureStands(report) ?? false) {
    case .waiting(let reason): return reason
    case .ready(let estimate): return start(from: estimate) ? nil : "health"
    }
  }

  /// The frame without the tracks that do not stand still, and without those of which nobody can tell yet; what they told before is forgotten.
  private func screened(
    _ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation, _ report: inout FrameReport
  ) -> CameraFrame {
    let (culprits, new) = screen.inspect(frame, by: camera, navigation)
    report.tracksCut = new
    guard !culprits.isEmpty else { return frame }
    tracks.discard(culprits)
    var rest = frame
    rest.features.removeAll { culprits.contains($0.featureID) }
    return rest
  }

  /// Two witnesses: the inertial unit and the picture; in the dark the first alone, more strictly.
  private func standsStill(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    let window = navigation.samples.samples(
      after: report.timestamp.advanced(bySeconds: -StillnessDetector.window),
      before: report.timestamp.advanced(byNanoseconds: 1))
    guard let statistic = stillness.statistic(window) else { return false }
    guard let pictureStands = pictureStands(report) else { return statistic < StillnessDetector.surelyAtRest }
    return statistic < StillnessDetector.atRest && pictureStands
  }

  /// Nil where there is nothing to see. Noise alone moves a feature by a median of 1.67 sigma, and that of a few by a sigma
  /// more now and then: a rest that has begun is not ended for that.
  private func pictureStands(_ report: FrameReport) -> Bool? {
    let sigmas = rest.isOn ? 3.0 : 2.0
    return report.medianDisparity.map { $0 < max(0.3, sigmas * camera.pixelNoise) }
  }

  /// Holds a device that stands still; false when it moves, or the state contradicts rest.
  private func rest(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    guard standsStill(navigation, report) else {
      rest.end(navigation)
      return false
    }
    return rest.apply(to: navigation)
  }

  /// What the frame tells: sights of landmarks; tracks that ended; and living tracks whose turn it is: those that lose
  /// their oldest sight, and as many of the longest as keep the flow of information even, so that the newest pose is never
  /// left to the inertial unit alone for long. Living ones become landmarks while there is room.
  private func tracksToUse(_ ended: [FeatureTrack], _ surplus: Int?, isMoving: Bool, _ navigation: InertialNavigation)
    -> VisualUpdate.Tracks
  {
    var told = VisualUpdate.Tracks(finished: ended, companions: companions)
    guard isMoving else { return told }
    told.landmarks = tracks.take(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    var living = surplus == 0 ? tracks.take(seenFrom: navigation.clones[0].id) : []
    if surplus == 0 { told.finished += ownTracks.take(seenFrom: navigation.clones[0].id) }
    let usable = (ended + living).count { $0.sights.count >= VisualUpdate.fewestSights }
    let quota = max(tracks.living.count - navigation.landmarks.count, 0) / configuration.windowSize
    living += tracks.takeLongest(quota - usable, fewest: VisualUpdate.fewestSights)
    // A landmark would remember what slid before the velocity was known: what slides is told by the way (`TrackScreen`).
    let room = navigation.isVelocityKnown ? max(configuration.mostLandmarks - navigation.landmarks.count, 0) : 0
    let long = living.filter { $0.sights.count >= VisualUpdate.fewestSights }
    let fit = long.filter { !screen.strays.contains($0.featureID) }.prefix(room)
    let staying = Set(fit.map(\.featureID))
    told.staying = Array(fit)
    told.finished += long.filter { !staying.contains($0.featureID) }
    return told
  }

  /// Points whose distances may err in common.
  private var companions: Int { tracks.living.count + ownTracks.living.count }

  private func giveUp(_ index: Int, _ anchorID: Int, _ navigation: InertialNavigation) {
    let id = navigation.clones[index].id
    navigation.reanchor(from: id, to: anchorID)
    tracks.forget(poseID: id)
    ownTracks.forget(poseID: id)
    navigation.removeClone(at: index)
  }

  /// What a way that was lost or found means for the filter.
  private func follow(_ turn: WayMonitor.Turn?, _ navigation: InertialNavigation) {
    switch turn {
    case .lost: navigation.goAdrift()
    case .found:
      rest.end(navigation)
      hover.end(navigation)
      navigation.beginEpoch()
    case nil: break
    }
  }

  /// The report of a frame that the state could not be carried to; without the motion in between, a new one is needed.
  private func given(up navigation: InertialNavigation, _ report: FrameReport) -> FrameReport {
    var report = report.treated(.dropped)
    if report.timestamp > navigation.time, navigation.isCutOff(from: report.timestamp) {
      report.giveUp(waitingFor: restart())
    }
    return report
  }

  /// Gives up a state that can no longer be trusted and looks for a new one.
  private func restart() -> String {
    waiting = navigation?.samples ?? IMUBuffer()
    if let pose = navigation?.worldFromBody, pose.translation.isFinite, pose.rotation.v.isFinite {
      initializer.origin = pose
    }
    initializer.reset()
    navigation = nil
    hover.reset()
    rest.reset()
    screen.reset()
    tracks.removeAll()
    ownTracks.removeAll()
    early = nil
    trust.reset()
    way.reset()
    restarts += 1
    return "health"
  }
}
