import Geometry
import Inertial
import SensorData

/// The best trajectory of a recording: after a forward run of the filter, all of it at once.
///
/// One nonlinear least-squares problem a stretch (from one beginning of the filter to the next) over the states of keyframes:
/// see docs/estimator.md. Time and memory grow linearly with the length of the recording.
package struct Smoother {
  /// What became of a recording.
  package struct Outcome: Sendable {
    /// One pose for every frame of the forward run, in time order.
    package var poses: [SmoothedPose]
    /// Stretches that could not be smoothed: their poses are the forward run's.
    package var stretchesLeft: Int
  }

  private let imu: IMUCalibration
  private let camera: CameraCalibration
  private let radio: RadioCalibration?

  /// A smoother for a device; nil where it has no inertial unit or no camera.
  package init?(_ rig: RigCalibration) {
    guard let imu = rig.imu, let camera = rig.cameras.first else { return nil }
    self.imu = imu
    self.camera = camera
    radio = rig.radio
  }

  /// Smooths a forward run; tells `progress` the share of the work done, 0...1.
  package func smoothed(_ record: ForwardRecord, progress: (Double) -> Void = { _ in }) -> Outcome {
    var outcome = Outcome(poses: [], stretchesLeft: 0)
    let ranges = RangeSelection(record.ranges, radio: radio, imu: imu)
    let total = Double(max(record.stretches.reduce(0) { $0 + $1.frames.count }, 1))
    for stretch in record.stretches {
      let done = Double(outcome.poses.count) / total, share = Double(stretch.frames.count) / total
      let smoother = SegmentSmoother(
        imu: imu, camera: camera, samples: record.samples, stretch: stretch, ranges: ranges)
      if let poses = smoother.poses(progress: { progress(done + share * $0) }) {
        outcome.poses += poses
      } else {
        outcome.stretchesLeft += 1
        outcome.poses += stretch.frames.map {
          SmoothedPose(timestamp: $0.timestamp, worldFromBody: $0.worldFromBody, covariance: $0.covariance)
        }
      }
    }
    return outcome
  }
}
