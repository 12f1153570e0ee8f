import Estimator
import Foundation
import Geometry
import Inertial
import SensorData

/// Batch smoother: the trajectory of a whole recording, after a forward run of the filter.
///
/// One nonlinear least-squares problem over the states of keyframes per segment (from one initialisation of the filter
/// to the next): see docs/method/smoothing.md. Time is linear in the length of the recording; memory too, up to
/// segments of `ForwardRecord.longest`, where they are smoothed while the run goes on (`smoothCompleted`).
package struct Smoother {
  /// The result for a recording.
  package struct Outcome: Sendable {
    /// One pose for every frame of the forward run, in time order.
    package var poses: [SmoothedPose]
    /// Number of segments that could not be smoothed: their poses are the forward run's.
    package var unsmoothedSegments: Int

    /// Nothing yet.
    package init() { (poses, unsmoothedSegments) = ([], 0) }
  }

  private let imu: IMUCalibration
  private let camera: CameraCalibration
  private let radio: RadioCalibration?

  /// A smoother for a device; nil without IMU or camera.
  package init?(_ rig: RigCalibration) {
    guard let imu = rig.imu, let camera = rig.cameras.first else { return nil }
    self.imu = imu
    self.camera = camera
    radio = rig.radio
  }

  /// Smooths a forward run; reports the fraction of the work done, 0...1, to `progress`.
  package func smoothed(_ record: ForwardRecord, progress: (Double) -> Void = { _ in }) -> Outcome {
    var outcome = Outcome()
    smoothRest(of: record, into: &outcome, progress: progress)
    return outcome
  }

  /// Smooths what is left of a forward run, behind what `smoothCompleted` has smoothed already.
  package func smoothRest(of record: ForwardRecord, into outcome: inout Outcome, progress: (Double) -> Void = { _ in })
  {
    smooth(record.segments, of: record, into: &outcome, progress: progress)
  }

  /// Smooths the segments that are complete where a long one goes on in another, and removes them from the record: its
  /// memory stays that of two segments, however long the recording.
  package func smoothCompleted(_ record: ForwardRecord, into outcome: inout Outcome) {
    guard record.segments.count > 1, record.segments.last?.continues == true else { return }
    smooth(Array(record.segments.dropLast()), of: record, into: &outcome) { _ in }
    record.forgetCompleted()
  }

  private func smooth(
    _ segments: [ForwardRecord.Segment], of record: ForwardRecord, into outcome: inout Outcome,
    progress: (Double) -> Void
  ) {
    let ranges = RangeSelection(record.ranges, radio: radio, imu: imu)
    let total = Double(max(segments.reduce(0) { $0 + $1.frames.count }, 1))
    var begun = 0
    for segment in segments {
      let done = Double(begun) / total, fraction = Double(segment.frames.count) / total
      begun += segment.frames.count
      let smoother = SegmentSmoother(
        imu: imu, camera: camera, samples: record.samples, segment: segment, ranges: ranges)
      let smoothed = smoother.poses(progress: { progress(done + fraction * $0) })
      if smoothed == nil { outcome.unsmoothedSegments += 1 }
      let poses =
        smoothed
        ?? segment.frames.map {
          SmoothedPose(timestamp: $0.timestamp, worldFromBody: $0.worldFromBody, covariance: $0.covariance)
        }
      outcome.poses += segment.continues ? Self.joined(poses, to: outcome.poses.last) : poses[...]
    }
  }

  /// The poses behind the first, which is the time of `end`, moved by the heading and translation that bring the first
  /// there: both ends are estimates of one pose, the second one knows what came later. Covariances stay: they differ by
  /// a rotation of that heading.
  private static func joined(_ poses: [SmoothedPose], to end: SmoothedPose?) -> ArraySlice<SmoothedPose> {
    guard let first = poses.first?.worldFromBody, let end = end?.worldFromBody else { return poses[...] }
    let turn = end.rotation * first.rotation.inverse
    let heading = Rotation.exp(Vector3(0, 0, 2 * atan2(turn.v.z, turn.w)))
    let moved = Pose(rotation: heading, translation: end.translation - heading * first.translation)
    return poses.dropFirst().map {
      SmoothedPose(timestamp: $0.timestamp, worldFromBody: moved * $0.worldFromBody, covariance: $0.covariance)
    }[...]
  }
}

/// A smoothed pose of the body, at the time of a row of the forward run's trajectory.
package struct SmoothedPose: Sendable {
  /// Its time.
  package var timestamp: Timestamp
  /// Pose of the body in the estimate's world.
  package var worldFromBody: Pose
  /// Its covariance.
  package var covariance: PoseCovariance
}

/// Inputs and estimates of a forward run of the filter: the input of the smoother.
package final class ForwardRecord: FrameObserver {
  /// A frame that the filter processed, and its state then.
  package struct Frame: Sendable {
    /// Frame's time on the IMU's clock.
    package var timestamp: Timestamp
    /// The feature observations.
    package var features: [FeatureObservation]
    /// The filter's state of the IMU.
    package var state: InertialState
    /// The filter's pose of the body.
    package var worldFromBody: Pose
    /// Its covariance.
    package var covariance: PoseCovariance
    /// The filter detected the device as stationary.
    package var isStill: Bool
  }

  /// The frames from one initialisation of the filter to the next, or to the end; of long ones a part.
  package struct Segment: Sendable {
    /// The frames, in time order.
    package var frames: [Frame] = []
    /// Covariance of the first frame's state (theta, p, v, b_g, b_a), 15 x 15, row-major.
    var startCovariance: [Double]
    /// It begins with the last frame of the segment before, in the same world.
    package var continues = false
  }

  /// A segment of so many seconds goes on in another one, so that a smoother's memory is bounded: 2 MB a second with a
  /// hundred features a frame. What came before the joint it knows as the filter does.
  package static let longest = 150.0

  /// The segments, in time order.
  package private(set) var segments: [Segment] = []
  /// The ranges, in order of arrival.
  package private(set) var ranges: [RangeMeasurement] = []
  /// All inertial samples.
  package private(set) var samples = IMUBuffer()
  private weak var present: InertialNavigation?
  private let longest: Double

  /// An empty record.
  ///
  /// - Parameter longest: length of a segment, seconds, after which another one goes on.
  package init(longest: Double = longest) { self.longest = longest }

  package func didReceive(_ sample: IMUSample) { _ = samples.add(sample) }

  /// Records a range; it is independent of the filter.
  package func didReceive(_ range: RangeMeasurement) { ranges.append(range) }

  package func didProcess(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?) {
    guard let navigation, report.treatment == .moving || report.treatment == .still else { return }
    if present !== navigation {
      present = navigation
      segments.append(Segment(startCovariance: navigation.covariance.marginal([navigation.poseBlock])))
    }
    let frame = Frame(
      timestamp: navigation.time, features: frame.features, state: navigation.state,
      worldFromBody: navigation.worldFromBody, covariance: navigation.bodyCovariance,
      isStill: report.treatment == .still)
    segments[segments.count - 1].frames.append(frame)
    guard frame.timestamp.seconds(since: segments[segments.count - 1].frames[0].timestamp) >= longest else { return }
    segments.append(
      Segment(frames: [frame], startCovariance: navigation.covariance.marginal([navigation.poseBlock]), continues: true)
    )
  }

  /// Removes all segments but the newest, and the inertial samples and ranges of their times.
  func forgetCompleted() {
    guard segments.count > 1, let start = segments.last?.frames.first?.timestamp.advanced(bySeconds: -1) else { return }
    segments.removeFirst(segments.count - 1)
    samples.forget(before: start)
    ranges.removeAll { $0.timestamp < start }
  }
}
