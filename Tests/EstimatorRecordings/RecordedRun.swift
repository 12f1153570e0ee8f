import Datasets
import Estimator
import EstimatorTestSupport
import Foundation
import Geometry
import SensorData

/// One pass of the visual-inertial filter over a recording.
struct RecordedRun {
  var errors = TrajectoryErrors(rows: [])
  var reports: [FrameReport] = []
  /// Seconds per frame spent in the filter, sorted.
  var times: [Double] = []
  /// Last reason for waiting.
  var waitingFor: String?
  /// Frames before the first state.
  var waited = 0
  /// Number of restarts of a running filter.
  var restarts = 0

  init(
    _ folder: URL, fromTruth: Bool, configuration: VisualInertialConfiguration = VisualInertialConfiguration(),
    from begin: Double = 0, until end: Double = .infinity
  ) throws {
    let recording = try Recording.open(folder)
    guard let imu = recording.rig.imu, let camera = recording.rig.cameras.first else { return }
    var truth: [GroundTruthState] = []
    if let reader = try recording.groundTruthStates() { while let row = try reader.next() { truth.append(row) } }
    let estimator = VisualInertialEstimator(imu: imu, camera: camera, configuration: configuration)
    let events = try recording.events()
    var start: GroundTruthState?
    while let timed = try events.next() {
      let seconds = timed.event.timestamp.seconds(since: recording.firstTimestamp)
      if seconds > end { break }
      if seconds < begin { continue }
      switch timed.event {
      case .imu(let sample):
        if fromTruth, start == nil, let row = truth.first(where: { $0.timestamp >= sample.timestamp }) {
          start = row
        }
        estimator.add(sample)
        if let row = start, estimator.navigation == nil, sample.timestamp >= row.timestamp {
          estimator.start(
            from: InitialEstimate(truth: row, calibration: imu, angularVelocity: sample.angularVelocity))
        }
      case .frame(let frame):
        if fromTruth, estimator.navigation == nil { continue }
        let had = estimator.navigation != nil
        let began = ContinuousClock.now
        let report = estimator.process(frame)
        let spent = ContinuousClock.now - began
        reports.append(report)
        times.append(Double(spent.components.attoseconds) * 1e-18 + Double(spent.components.seconds))
        guard let navigation = estimator.navigation else {
          waitingFor = report.waitingFor
          if had { restarts += 1 } else { waited += 1 }
          continue
        }
        guard let actual = Self.interpolated(truth, at: navigation.time) else { continue }
        // Errors of the IMU's pose, to which the covariance refers.
        errors.rows.append(
          .init(
            timestamp: navigation.time, estimate: navigation.worldFromNavigation, truth: actual * imu.bodyFromIMU,
            covariance: Self.poseCovariance(navigation)))
      default: break
      }
    }
    times.sort()
  }

  var mean: Double { times.reduce(0, +) / Double(max(times.count, 1)) }
  var percentile99: Double { times.isEmpty ? 0 : times[min(times.count - 1, times.count * 99 / 100)] }

  /// One line, human-readable.
  var summary: String {
    func f(_ x: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", x) }
    let used = reports.reduce(0) { $0 + $1.tracksUsed }, rejected = reports.reduce(0) { $0 + $1.tracksRejected }
    let still = reports.count { $0.treatment == .still }, failed = reports.reduce(0) { $0 + $1.updatesFailed }
    let nees = errors.nees
    return "yaw-aligned \(f(errors.yawAligned, 3)) unaligned \(f(errors.unaligned, 3)) m,"
      + " attitude \(f(Angle.inDegrees(errors.attitude), 2)) deg, NEES \(f(nees.position, 1)) / \(f(nees.attitude, 1)),"
      + " \(f(1000 * mean, 2)) ms/frame (p99 \(f(1000 * percentile99, 2))), \(reports.count) frames, waited \(waited),"
      + " still \(still), tracks \(used) used \(rejected) refused, \(failed) failed, \(restarts) restarts"
  }

  private static func poseCovariance(_ navigation: InertialNavigation) -> [Double] {
    let all = navigation.covariance.marginal([navigation.poseBlock])
    return (0..<36).map { all[15 * ($0 / 6) + $0 % 6] }
  }

  private static func interpolated(_ truth: [GroundTruthState], at time: Timestamp) -> Pose? {
    var low = 0, high = truth.count
    while low < high {
      let middle = (low + high) / 2
      if truth[middle].timestamp <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let a = truth[low - 1]
    guard low < truth.count else { return a.timestamp == time ? a.worldFromBody : nil }
    let b = truth[low]
    return a.worldFromBody.interpolated(
      to: b.worldFromBody, fraction: time.seconds(since: a.timestamp) / b.timestamp.seconds(since: a.timestamp))
  }
}
