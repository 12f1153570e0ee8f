import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Makes the trajectory from an inertial unit and one or two cameras: a multi-state constraint Kalman filter with
/// landmarks and first-estimates Jacobians.
///
/// Samples and frames go in, in time order; the filter behind `navigation` is there once a first state was found.
package final class VisualInertialEstimator {
  /// The filter; nil until a first state was found.
  package internal(set) var navigation: InertialNavigation?
  /// How often a filter was given up because it could no longer be trusted; each time a new world begins,
  /// placed where the old one ended.
  package internal(set) var restarts = 0
  /// Told of the stages within a frame's work.
  package var meter: (any StageMeter)? { didSet { visualUpdate.meter = meter } }

  let imu: IMUCalibration
  let configuration: VisualInertialConfiguration
  let timeOffset: Double
  let camera: FilterCamera
  let second: SecondCamera?
  let stillness: StillnessDetector
  var visualUpdate: VisualUpdate
  var trackNoise = TrackNoiseLearner()

  var waiting = IMUBuffer()
  var initializer: Initializer
  var newestFrame: Timestamp?
  var tracks = FeatureTracks()
  /// Those of a second camera that numbers its features by itself.
  var ownTracks = FeatureTracks()
  /// A frame of the second camera that came before the first camera's.
  var early: CameraFrame?
  var recent = RecentFrames()
  var screen = EpipolarOutlierRejection()
  var rest = ZeroVelocityUpdate()
  var hover = HoverUpdate()
  var window: CloneWindow
  var trust = DivergenceMonitor()
  var way = PositionLossMonitor()

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
    started.quietSince = estimate.quietSince
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
    report.motion = recent.motion(to: frame, camera: camera)
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
    let rested = rest(navigation, report, spacing: spacing)
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
    let outcome = visualUpdate.apply(told, anchorID: anchorID, to: navigation)
    for sample in outcome.samples { trackNoise.add(sample) }
    report.count(outcome)
    if let surplus, let anchorID { meter.measure(.marginalisation) { giveUp(surplus, anchorID, navigation) } }
    if let early { join(early) }
    if !rested { hover.apply(frame, camera: camera, to: navigation) }
    navigation.drift.learn(navigation)
    if trust.isLost(after: report, navigation) {
      report.giveUp(waitingFor: restart())
    } else {
      follow(way.turn(after: report, navigation), navigation)
    }
    return report
  }
}
