import Images
import SensorData

/// What makes tracks from the images of a recording; the way there is none of this room's business.
package protocol ImageTracking: AnyObject {
  /// Takes a reading of the inertial unit; the readings up to a frame come before it.
  func add(_ sample: IMUSample)
  /// Takes the images of one moment, one for each camera, nil where there is none, and tells what the cameras saw.
  /// `exposures` are in seconds, nil where nobody knows.
  func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame]
}

/// How the images of a recording become tracks.
package struct ImageTrackingOptions: Sendable {
  /// Makes a tracker for a rig; for each camera a mask, white where tracks are wanted, or nil.
  package var make: @Sendable (RigCalibration, [GrayImage?]) -> any ImageTracking
  /// Images are read and decoded on a second thread, a few frames ahead; the results are the same.
  package var readsAhead: Bool
  /// Images are tracked even where `features.csv` is there.
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
