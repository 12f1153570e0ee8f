import Estimator
import Geometry
import Inertial
import SensorData

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
    package var startCovariance: [Double]
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
