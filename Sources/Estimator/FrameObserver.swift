import SensorData

/// Observes the inputs and results of the inertial filter. An observer changes no result.
package protocol FrameObserver: AnyObject {
  /// The filter received an inertial sample; samples come in time order.
  func didReceive(_ sample: IMUSample)
  /// The filter processed a frame; `navigation` is nil when there is no state.
  func didProcess(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?)
}
