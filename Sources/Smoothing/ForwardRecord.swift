import Estimator
import Geometry
import Inertial
import SensorData

/// What a forward run of the filter was given and what it made of it: the material of a smoother.
package final class ForwardRecord: FrameObserver {
  /// A frame that the filter worked in, and its state then.
  package struct Frame: Sendable {
    /// Frame's time on the IMU's clock.
    package var timestamp: Timestamp
    /// What was seen.
    package var features: [FeatureObservation]
    /// The filter's state of the IMU.
    package var state: InertialState
    /// The filter's pose of the body.
    package var worldFromBody: Pose
    /// Its covariance.
    package var covariance: PoseCovariance
    /// The filter judged the device to stand still.
    package var isStill: Bool
  }

  /// Frames between a beginning of the filter and its end or its next beginning.
  package struct Stretch: Sendable {
    /// The frames, in time order.
    package var frames: [Frame] = []
    /// Covariance of the first frame's state (theta, p, v, b_g, b_a), 15 x 15, row-major.
    package var startCovariance: [Double]
  }

  /// The stretches, in time order.
  package private(set) var stretches: [Stretch] = []
  /// The ranges, in time order of their coming.
  package private(set) var ranges: [RangeMeasurement] = []
  /// All inertial samples.
  package private(set) var samples = IMUBuffer()
  private weak var present: InertialNavigation?

  /// Nothing yet.
  package init() {}

  package func took(_ sample: IMUSample) { _ = samples.add(sample) }

  /// A range was measured; the filter is not asked about it.
  package func took(_ range: RangeMeasurement) { ranges.append(range) }

  package func worked(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?) {
    guard let navigation, report.treatment == .moving || report.treatment == .still else { return }
    if present !== navigation {
      present = navigation
      stretches.append(Stretch(startCovariance: navigation.covariance.marginal([navigation.poseBlock])))
    }
    stretches[stretches.count - 1].frames.append(
      Frame(
        timestamp: navigation.time, features: frame.features, state: navigation.state,
        worldFromBody: navigation.worldFromBody, covariance: navigation.bodyCovariance,
        isStill: report.treatment == .still))
  }
}
