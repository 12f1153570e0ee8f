import Images
import SensorData

/// A tracker for the images of a recording, independent of its method.
package protocol ImageTracking: AnyObject {
  /// Adds an IMU reading; the readings up to a frame come before it.
  func add(_ sample: IMUSample)
  /// Processes the images of one time, one per camera, nil where there is none, and returns the frames. `exposures` are
  /// in seconds, nil where unknown.
  func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame]
}

/// Options of tracking the images of a recording.
package struct ImageTrackingOptions: Sendable {
  /// Makes a tracker for a rig; for each camera a mask, white where tracks are wanted, or nil.
  package var make: @Sendable (RigCalibration, [GrayImage?]) -> any ImageTracking
  /// Images are read and decoded on a second thread, a few frames ahead; the results are the same.
  package var readsAhead: Bool
  /// Whether to track images even where there is `features.csv`.
  package var ignoresTracks: Bool

  /// Options from their parts.
  package init(
    readsAhead: Bool = true, ignoresTracks: Bool = false,
    make: @escaping @Sendable (RigCalibration, [GrayImage?]) -> any ImageTracking
  ) {
    self.make = make
    self.readsAhead = readsAhead
    self.ignoresTracks = ignoresTracks
  }
}
