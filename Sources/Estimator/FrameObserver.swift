import SensorData

/// Somebody who wants to know what the inertial filter was given and what it made of it. A witness changes no result.
package protocol FrameObserver: AnyObject {
  /// The filter took an inertial sample; they come in time order.
  func took(_ sample: IMUSample)
  /// The filter has worked a frame in; `navigation` is nil when there is no trajectory (yet, or any more).
  func worked(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?)
}
