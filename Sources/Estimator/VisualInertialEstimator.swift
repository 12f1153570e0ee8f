import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Visual-inertial odometry from an inertial unit and one or two cameras: a multi-state constraint Kalman filter
/// (MSCKF) with landmarks and first-estimates Jacobians (FEJ).
///
/// Takes samples and frames in time order; `navigation` is the filter once initialised.
package final class VisualInertialEstimator {
  /// The filter; nil until initialised.
  package internal(set) var navigation: InertialNavigation?
  /// Number of restarts after divergence; each starts a new world at the old one's last pose.
  package internal(set) var restarts = 0
  /// Receives the stages of a frame's processing.
  package var meter: (any StageMeter)? { didSet { visualUpdate.meter = meter } }

  let imu: IMUCalibration
  let configuration: VisualInertialConfiguration
  let timeOffset: Double
  var camera: FilterCamera
  var second: SecondCamera?
  let stillness: StillnessDetector
  var visualUpdate: VisualUpdate
  private var noiseLevel = PixelNoiseLevel()
  var trackNoise = TrackNoiseLearner()

  private var initialization: Initialization
  private var newestFrame: Timestamp?
  var tracks = FeatureTracks()
  var recent = RecentFrames()
  private var outlierRejection = EpipolarOutlierRejection()
  private var stationarity = Stationarity()
  var window: CloneWindow
  private var health = Health()

  /// What initialisation has until there is a state.
  private struct Initialization {
    /// Samples without a filter.
    var samples = IMUBuffer()
    var initializer: Initializer
    /// Frames since the attempt in motion that goes on began.
    var held: [HeldFrame] = []
  }

  /// Pseudo-measurements of a device that does not move, and of one that hovers.
  private struct Stationarity {
    var zeroVelocity = ZeroVelocityUpdate()
    var hover = HoverUpdate()
  }

  /// Whether the filter's state is lost, or its position alone.
  private struct Health {
    var divergence = DivergenceMonitor()
    var positionLoss = PositionLossMonitor()
  }

  /// An estimator for a device with an inertial unit, a camera, and optionally a second, synchronised one.
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
    initialization = Initialization(
      initializer: Initializer(
        calibration: imu, camera: self.camera, stillness: stillness, patience: configuration.patience))
    window = CloneWindow(
      size: configuration.windowSize, keptParallax: configuration.keptParallax * camera.pixelNoise)
    visualUpdate = VisualUpdate(
      cameras: [self.camera] + (self.second.map { [$0.camera] } ?? []), mostTracks: configuration.mostTracks,
      framesPerAnchor: Double(configuration.windowSize) / 2)
  }

  /// Processes an inertial sample. False, and ignored, if it is not newer than the last or not finite.
  @discardableResult
  package func add(_ sample: IMUSample) -> Bool {
    if let navigation { return navigation.samples.add(sample) }
    let taken = initialization.samples.add(sample)
    if taken { initialization.samples.forget(before: sample.timestamp.advanced(bySeconds: -Initializer.memory)) }
    return taken
  }

  /// Starts from a known state. False when it is not finite.
  @discardableResult
  package func start(from estimate: InitialEstimate) -> Bool {
    guard
      let started = InertialNavigation(
        calibration: imu, mount: CameraMount(imuFromCamera: camera.imuFromCamera), lens: camera.lens,
        learning: configuration.calibration, time: estimate.time, state: estimate.state,
        initialCovariance: estimate.covariance)
    else { return false }
    started.samples = initialization.samples
    started.nearlyStillSince = estimate.nearlyStillSince
    tracks.removeAll()
    navigation = started
    return true
  }

  /// Processes a frame: the block diagram of the filter.
  package func process(_ frame: CameraFrame) -> FrameReport {
    var report = FrameReport(frame, at: frame.timestamp.advanced(bySeconds: timeOffset))
    // A repeated frame carries no new information.
    if let newest = newestFrame, report.timestamp <= newest { return report.treated(.dropped) }
    let spacing = newestFrame.map { report.timestamp.seconds(since: $0) } ?? 0
    newestFrame = report.timestamp
    learnNoise(frame)
    report.imageNoise = noiseLevel.level
    report.motion = recent.motion(to: frame, camera: camera)
    return navigation == nil ? begin(frame, report, spacing: spacing) : filter(frame, report, spacing: spacing)
  }

  /// Processes a frame with the running filter.
  func filter(_ frame: CameraFrame, _ report: FrameReport, spacing: Double) -> FrameReport {
    var report = report
    guard let navigation else { return report }
    let isPropagated = meter.measure(.propagation) { navigation.advance(to: report.timestamp) }
    guard isPropagated else { return dropped(by: navigation, report) }

    let camera = camera.known(to: navigation)
    let frame = meter.measure(.screening) { withoutOutliers(frame, by: camera, navigation, &report) }
    navigation.considerCalibration(seen: frame, by: camera, spacing: spacing)
    let isStationary = applyZeroVelocity(navigation, report, spacing: spacing)
    report.treatment = isStationary ? .still : .moving
    // Without features no clone is created: the clones from before a visual outage stay, and with them the drift since
    // then.
    let clone = isStationary || frame.features.isEmpty ? nil : navigation.clone()
    let ended = tracks.observe(frame.features, lens: camera.lens, poseID: clone?.id)
    meter.measure(.marginalisation) { navigation.removeLandmarks { !tracks.isAlive($0.featureID) } }
    report.parallax = window.evaluate(clone, in: navigation, tracks, focalLength: camera.lens.focalLength)
    let surplus = window.surplus(of: navigation)
    let anchorID = window.anchorID(in: navigation, surplus: surplus)
    let selected = tracksToUse(ended, surplus, isMoving: clone != nil, navigation)
    visualUpdate.setNoise(trackNoise.noise, spacing: spacing)
    let outcome = visualUpdate.apply(selected, anchorID: anchorID, to: navigation)
    for sample in outcome.samples { trackNoise.add(sample) }
    report.count(outcome)
    report.trackNoise = visualUpdate.cameras[0].effectiveNoise / visualUpdate.cameras[0].pixelNoise
    if let surplus, let anchorID { meter.measure(.marginalisation) { marginalise(surplus, anchorID, navigation) } }
    if let early = second?.early { join(early) }
    if !isStationary { stationarity.hover.apply(frame, camera: camera, to: navigation) }
    navigation.drift.addCorrections(navigation)
    if health.divergence.isLost(after: report, navigation) {
      report.recordRestart(waitingFor: restart())
    } else {
      handle(health.positionLoss.update(after: report, navigation), navigation)
    }
    return report
  }

  // Initialisation and restart of the filter.

  /// A frame received while an attempt in motion goes on: new information to the state that it finds.
  struct HeldFrame {
    var frame: CameraFrame
    var report: FrameReport
    var spacing: Double
  }

  /// Attempts initialisation; once there is a state, processes the frames since.
  func begin(_ frame: CameraFrame, _ report: FrameReport, spacing: Double) -> FrameReport {
    var report = report
    initialization.held.append(HeldFrame(frame: frame, report: report, spacing: spacing))
    switch meter.measure(.start, { initialization.initializer.attempt(frame, report, initialization.samples) }) {
    case .waiting(let reason): report.waitingFor = reason
    case .ready(let estimate):
      if start(from: estimate) { return catchUp(from: estimate.time) }
      report.waitingFor = "health"
    }
    if !initialization.initializer.isRunning { recordHeld() }
    return report
  }

  /// Processes the held frames after the start; the last one's report.
  private func catchUp(from time: Timestamp) -> FrameReport {
    let current = initialization.held.removeLast()
    let since = initialization.held.filter { $0.report.timestamp > time } + [current]
    initialization.held.removeAll { $0.report.timestamp > time }
    recordHeld()
    var report = current.report
    for next in since where navigation != nil { report = filter(next.frame, next.report, spacing: next.spacing) }
    return report
  }

  private func recordHeld() {
    for old in initialization.held { outlierRejection.record(old.frame, at: old.report.timestamp, by: camera) }
    initialization.held.removeAll()
  }

  /// Applies loss or recovery of the position to the filter.
  func handle(_ transition: PositionLossMonitor.Transition?, _ navigation: InertialNavigation) {
    switch transition {
    case .lost: navigation.losePosition()
    case .found:
      stationarity.zeroVelocity.end(navigation)
      stationarity.hover.end(navigation)
      navigation.beginEpoch()
    case nil: break
    }
  }

  /// The report of a frame to which the state could not be propagated; a gap that is too long restarts the filter.
  func dropped(by navigation: InertialNavigation, _ report: FrameReport) -> FrameReport {
    var report = report.treated(.dropped)
    if report.timestamp > navigation.time, navigation.hasUnbridgeableGap(before: report.timestamp) {
      report.recordRestart(waitingFor: restart())
    }
    return report
  }

  /// Drops the diverged filter and restarts initialisation.
  func restart() -> String {
    initialization.samples = navigation?.samples ?? IMUBuffer()
    if let pose = navigation?.worldFromBody, pose.translation.isFinite, pose.rotation.v.isFinite {
      initialization.initializer.origin = pose
    }
    initialization.initializer.reset()
    initialization.held.removeAll()
    navigation = nil
    stationarity = Stationarity()
    outlierRejection.reset()
    tracks.removeAll()
    second?.tracks.removeAll()
    second?.early = nil
    health = Health()
    restarts += 1
    return "health"
  }

  // Selection of tracks for an update.

  /// The frame without outliers and withheld tracks; their earlier observations are discarded.
  private func withoutOutliers(
    _ frame: CameraFrame, by camera: FilterCamera, _ navigation: InertialNavigation, _ report: inout FrameReport
  ) -> CameraFrame {
    let (outlierIDs, new) = outlierRejection.inspect(frame, by: camera, navigation)
    report.tracksOutlying = new
    guard !outlierIDs.isEmpty else { return frame }
    tracks.discard(outlierIDs)
    var kept = frame
    kept.features.removeAll { outlierIDs.contains($0.featureID) }
    return kept
  }

  /// Tracks for the update: observations of landmarks; ended tracks; and living tracks that are due. Due are those that
  /// lose their oldest observation, and as many of the longest as keep the flow of information even, so that the newest
  /// pose is never long without a visual update. Living ones become landmarks up to `mostLandmarks`.
  private func tracksToUse(_ ended: [FeatureTrack], _ surplus: Int?, isMoving: Bool, _ navigation: InertialNavigation)
    -> VisualUpdate.Tracks
  {
    var selected = VisualUpdate.Tracks(finished: ended, companions: companions)
    guard isMoving else { return selected }
    selected.landmarks = tracks.removeUnused(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    var living = surplus == 0 ? tracks.removeUnused(seenFrom: navigation.clones[0].id) : []
    if surplus == 0 { selected.finished += second?.tracks.removeUnused(seenFrom: navigation.clones[0].id) ?? [] }
    let usable = (ended + living).count { $0.observations.count >= VisualUpdate.fewestObservations }
    let quota = max(tracks.living.count - navigation.landmarks.count, 0) / configuration.windowSize
    living += tracks.removeLongest(quota - usable, fewest: VisualUpdate.fewestObservations)
    // Not before the velocity is known: a landmark would keep the information of a sliding point, which is detected by
    // the displacement (`EpipolarOutlierRejection`).
    let capacity = navigation.isVelocityKnown ? max(configuration.mostLandmarks - navigation.landmarks.count, 0) : 0
    let long = living.filter { $0.observations.count >= VisualUpdate.fewestObservations }
    let fit = long.filter { !outlierRejection.minorityTracks.contains($0.featureID) }.prefix(capacity)
    let staying = Set(fit.map(\.featureID))
    selected.staying = Array(fit)
    selected.finished += long.filter { !staying.contains($0.featureID) }
    return selected
  }

  /// Number of points whose distances may have a common error.
  var companions: Int { tracks.living.count + (second?.tracks.living.count ?? 0) }

  private func marginalise(_ index: Int, _ anchorID: Int, _ navigation: InertialNavigation) {
    let id = navigation.clones[index].id
    navigation.reanchor(from: id, to: anchorID)
    tracks.forget(poseID: id)
    second?.tracks.forget(poseID: id)
    navigation.removeClone(at: index)
  }

  // Stationary device.

  /// Zero-velocity detection: both the inertial unit and the image must be still; without features the inertial unit
  /// alone, with a stricter limit.
  private func isStationary(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    let window = navigation.samples.samples(
      after: report.timestamp.advanced(bySeconds: -StillnessDetector.window),
      before: report.timestamp.advanced(byNanoseconds: 1))
    guard let statistic = stillness.statistic(window) else { return false }
    guard let isImageStill = isImageStill(report) else {
      return statistic < StillnessDetector.stationaryLimitWithoutImage
    }
    return statistic < StillnessDetector.stationaryLimit && isImageStill
  }

  /// Nil without enough features.
  private func isImageStill(_ report: FrameReport) -> Bool? {
    report.motion.map { $0.isStill(camera, isStationary: stationarity.zeroVelocity.isActive) }
  }

  /// Zero-velocity update of a stationary device; false when it moves, or the state contradicts it.
  ///
  /// - Parameter spacing: seconds since the previous frame.
  private func applyZeroVelocity(_ navigation: InertialNavigation, _ report: FrameReport, spacing: Double) -> Bool {
    guard isStationary(navigation, report) else {
      stationarity.zeroVelocity.end(navigation)
      return false
    }
    return stationarity.zeroVelocity.apply(
      to: navigation,
      rotationSigma: report.motion?.unseenRotation(camera, every: spacing) ?? ZeroVelocityUpdate.rotationSigma)
  }

  // Second camera.

  /// Processes a frame of the second camera if synchronised with a frame of the first. Other frames, and frames of a
  /// stationary device, are ignored.
  package func join(_ frame: CameraFrame) {
    guard second != nil, let navigation else { return }
    second!.early = nil
    let time = frame.timestamp.advanced(bySeconds: second!.timeOffset)
    guard let clone = navigation.clones.last, abs(clone.timestamp.seconds(since: time)) <= SecondCamera.tolerance else {
      if time > navigation.time { second!.early = frame }
      return
    }
    var selected = VisualUpdate.Tracks(companions: companions)
    let lens = second!.camera.lens
    if second!.sharesIDs {
      tracks.join(frame.features, lens: lens, poseID: clone.id, camera: 1)
      selected.landmarks = tracks.removeUnused(featureIDs: Set(navigation.landmarks.map(\.featureID)))
    } else {
      selected.finished = second!.tracks.observe(frame.features, lens: lens, poseID: clone.id, camera: 1)
    }
    _ = visualUpdate.apply(selected, anchorID: nil, to: navigation)
  }

  // The features' noise, where the images show more than is stated.

  /// Takes a frame of the first camera in. A changed level is that of both cameras, and what was learnt of the tracks'
  /// noise in units of the old one does not count.
  private func learnNoise(_ frame: CameraFrame) {
    guard configuration.learnsPixelNoise, noiseLevel.append(frame, lens: camera.lens, noise: camera.statedNoise) else {
      return
    }
    let level = noiseLevel.level
    camera.setNoise(level: level)
    second?.camera.setNoise(level: level)
    for i in visualUpdate.cameras.indices { visualUpdate.cameras[i].setNoise(level: level) }
    initialization.initializer.camera = camera
    window.keptParallax = configuration.keptParallax * camera.pixelNoise
    trackNoise = TrackNoiseLearner()
  }
}

/// Settings of the visual-inertial filter. The defaults serve every recording; each says its unit.
package struct VisualInertialConfiguration: Equatable, Sendable {
  /// Most clones, the newest included.
  package var windowSize = 12
  /// Parallax since the last keyframe, in sigmas of the pixel noise, below which a clone is removed before older ones.
  var keptParallax = 1.0
  /// Most tracks of one update.
  package var mostTracks = 60
  /// Most landmarks in the state.
  package var mostLandmarks = 30
  /// Time after which a provisional initialisation is accepted, seconds.
  package var patience = 2.0
  /// Whether the features' noise is learnt from the images (`PixelNoiseLevel`) where it exceeds the stated.
  package var learnsPixelNoise = false
  /// Settings of online calibration.
  package var calibration = CalibrationConfiguration()

  /// The defaults.
  package init() {}
}
