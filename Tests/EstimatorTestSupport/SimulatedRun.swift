import Estimator
import Geometry
import SensorData
import Simulation

/// One pass of the visual-inertial filter over a scenario, initialised from the truth: quantities that the scenario
/// does not draw are known well.
package struct SimulatedRun {
  /// One frame: seconds since the start, its report, and the states; nil without a filter.
  package struct Row {
    package var seconds: Double
    package var report: FrameReport
    package var error: TrajectoryErrors.Row?
    /// Accumulated drift since the trajectory began.
    package var drift = AccumulatedDrift()
    /// Number of worlds before this one.
    package var epoch = 0
  }

  package var rows: [Row] = []
  package var restarts = 0
  package var dropouts = 0
  /// The filter at the end.
  package var navigation: InertialNavigation?

  /// - Parameters:
  ///   - cameras: number of cameras used.
  ///   - sharedIDs: a feature has the same id in both.
  ///   - learning: calibration parameters to estimate.
  ///   - disturb: may change or drop sensor events, by seconds since the start.
  package init(
    _ scenario: Scenario, seed: UInt64, fromTruth: Bool = true, cameras: Int = 1, sharedIDs: Bool = true,
    learning: CalibrationConfiguration = CalibrationConfiguration(),
    disturb: (Double, SensorEvent) -> SensorEvent? = { $1 }
  ) throws {
    let simulator = try Simulator(scenario: scenario, seed: seed)
    let rig = simulator.statedRig, truth = simulator.truth(), calibration = rig.imu!
    var second = cameras > 1 ? rig.cameras[1] : nil
    if !sharedIDs { second?.featureIDs = .separate }
    var configuration = VisualInertialConfiguration()
    configuration.calibration = learning
    let estimator = VisualInertialEstimator(
      imu: calibration, camera: rig.cameras[0], second: second, configuration: configuration)
    // Events in the order of the IMU's clock, as in the finder.
    let offset = rig.cameras[0].timeOffset
    func time(_ event: SensorEvent) -> Timestamp {
      if case .frame(let frame) = event { frame.timestamp.advanced(bySeconds: offset) } else { event.timestamp }
    }
    func isFrame(_ event: SensorEvent) -> Int { if case .frame = event { 1 } else { 0 } }
    let events = simulator.events().map(\.event).enumerated().sorted {
      (time($0.element), isFrame($0.element), $0.offset) < (time($1.element), isFrame($1.element), $1.offset)
    }
    // As in the finder: a frame waits for the samples needed to propagate to its exposure.
    var waiting: [SensorEvent] = []
    func isDue(_ event: SensorEvent) -> Bool {
      guard let navigation = estimator.navigation, navigation.lookAhead > 0, case .frame = event else { return true }
      let needed = time(event).advanced(bySeconds: navigation.lookAhead)
      return navigation.samples.samples.last.map { $0.timestamp >= needed } ?? true
    }
    func process(_ event: SensorEvent) {
      let seconds = time(event).seconds(since: Simulator.start)
      switch disturb(seconds, event) {
      case .imu(let sample)?:
        estimator.add(sample)
        if fromTruth, estimator.navigation == nil, estimator.restarts == 0 {
          estimator.start(
            from: InitialEstimate(truth: truth[0], calibration: calibration, angularVelocity: sample.angularVelocity))
        }
      case .frame(var frame)? where frame.camera == 1:
        guard cameras > 1 else { break }
        if !sharedIDs { for i in frame.features.indices { frame.features[i].featureID += 1_000_000 } }
        estimator.join(frame)
      case .frame(let frame)?:
        let report = estimator.process(frame)
        var row = Row(seconds: seconds, report: report, epoch: estimator.restarts + (estimator.navigation?.epoch ?? 0))
        if let navigation = estimator.navigation {
          let all = navigation.covariance.marginal([navigation.poseBlock])
          let actual = simulator.motion.kinematics(at: navigation.time.seconds(since: Simulator.start)).worldFromBody
          row.error = TrajectoryErrors.Row(
            timestamp: navigation.time, estimate: navigation.worldFromNavigation,
            truth: actual * calibration.bodyFromIMU, covariance: (0..<36).map { all[15 * ($0 / 6) + $0 % 6] })
          row.drift = navigation.accumulatedDrift
        }
        rows.append(row)
      default: break
      }
    }
    for (_, event) in events {
      while let first = waiting.first, isDue(first) { process(waiting.removeFirst()) }
      if case .frame = event, !waiting.isEmpty || !isDue(event) { waiting.append(event) } else { process(event) }
    }
    waiting.forEach(process)
    restarts = estimator.restarts
    navigation = estimator.navigation
    dropouts = estimator.navigation?.dropouts ?? 0
  }

  /// Errors of the frames within a time interval, in the world that began from the truth or in a later one.
  package func errors(_ seconds: ClosedRange<Double> = 0...3600, epoch: Int = 0) -> TrajectoryErrors {
    TrajectoryErrors(rows: rows.filter { seconds.contains($0.seconds) && $0.epoch == epoch }.compactMap(\.error))
  }

  /// The last error at or before a time.
  package func error(at seconds: Double) -> TrajectoryErrors.Row? {
    rows.last { $0.seconds <= seconds && $0.error != nil }?.error
  }
}

extension TrajectoryErrors.Row {
  /// Error of the position, metres.
  package var position: Vector3 { truth.translation - estimate.translation }
  /// Error of the attitude, radians, world axes.
  package var attitude: Vector3 { (truth.rotation * estimate.rotation.inverse).log }
}
