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
