import Geometry
import Inertial
import SensorData

/// Batch smoother: the trajectory of a whole recording, after a forward run of the filter.
///
/// One nonlinear least-squares problem over the states of keyframes per segment (from one initialisation of the filter
/// to the next): see docs/method/smoothing.md. Time and memory are linear in the length of the recording.
package struct Smoother {
  /// The result for a recording.
  package struct Outcome: Sendable {
    /// One pose for every frame of the forward run, in time order.
    package var poses: [SmoothedPose]
    /// Number of segments that could not be smoothed: their poses are the forward run's.
    package var unsmoothedSegments: Int
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
    var outcome = Outcome(poses: [], unsmoothedSegments: 0)
    let ranges = RangeSelection(record.ranges, radio: radio, imu: imu)
    let total = Double(max(record.segments.reduce(0) { $0 + $1.frames.count }, 1))
    for segment in record.segments {
      let done = Double(outcome.poses.count) / total, fraction = Double(segment.frames.count) / total
      let smoother = SegmentSmoother(
        imu: imu, camera: camera, samples: record.samples, segment: segment, ranges: ranges)
      if let poses = smoother.poses(progress: { progress(done + fraction * $0) }) {
        outcome.poses += poses
      } else {
        outcome.unsmoothedSegments += 1
        outcome.poses += segment.frames.map {
          SmoothedPose(timestamp: $0.timestamp, worldFromBody: $0.worldFromBody, covariance: $0.covariance)
        }
      }
    }
    return outcome
  }
}
