import Datasets
import FrontEnd
import Images
import SensorData

extension ImageFrontEnd: ImageTracking {}

extension ImageTrackingOptions {
  /// Tracking with the project's own front end.
  static func frontEnd(readsAhead: Bool, ignoresTracks: Bool = false) -> ImageTrackingOptions {
    ImageTrackingOptions(readsAhead: readsAhead, ignoresTracks: ignoresTracks) { rig, masks in
      ImageFrontEnd(rig: rig, masks: masks)
    }
  }
}
