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
  var noiseLevel = PixelNoiseLevel()
  var trackNoise = TrackNoiseLearner()

  var waiting = IMUBuffer()
  var initializer: Initializer
  /// Frames since the attempt in motion that goes on began.
  var held: [HeldFrame] = []
  var newestFrame: Timestamp?
  var tracks = FeatureTracks()
  /// Tracks of a second camera with its own feature ids.
  var ownTracks = FeatureTracks()
  /// A frame of the second camera received before the first camera's.
  var early: CameraFrame?
  var recent = RecentFrames()
  var outlierRejection = EpipolarOutlierRejection()
  var zeroVelocity = ZeroVelocityUpdate()
  var hover = HoverUpdate()
  var window: CloneWindow
  var divergence = DivergenceMonitor()
  var positionLoss = PositionLossMonitor()

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
    initializer = Initializer(
      calibration: imu, camera: self.camera, stillness: stillness, patience: configuration.patience)
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
    let taken = waiting.add(sample)
    if taken { waiting.forget(before: sample.timestamp.advanced(bySeconds: -Initializer.memory)) }
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
    started.samples = waiting
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
    if let early { join(early) }
    if !isStationary { hover.apply(frame, camera: camera, to: navigation) }
    navigation.drift.addCorrections(navigation)
    if divergence.isLost(after: report, navigation) {
      report.recordRestart(waitingFor: restart())
    } else {
      handle(positionLoss.update(after: report, navigation), navigation)
    }
    return report
  }
}
