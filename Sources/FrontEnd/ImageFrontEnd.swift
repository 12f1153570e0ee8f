import Geometry
import Images
import SensorData

/// From images to frames with tracks, for the one or two cameras of a device.
///
/// Readings of the gyroscope up to a frame come first, then the frame's images; same readings and images, same frames. Places
/// are rounded to a thousandth of a pixel and light to a ten-thousandth, as files hold them: tracks that were written and
/// read again are the same.
package final class ImageFrontEnd {
  private let tracker: FeatureTracker
  private let configuration: TrackingConfiguration
  private var turn: GyroscopeTurn?
  private var last: (stamp: Timestamp, image: GrayImage)?
  private var isEqualised = false

  /// Beyond this time between two frames nothing is followed, seconds.
  private static let longestGap = 0.5

  /// A front end.
  ///
  /// - Precondition: the device has a camera.
  /// - Parameter masks: for each camera an image, white where corners are wanted, or nil.
  package init(rig: RigCalibration, masks: [GrayImage?], configuration: TrackingConfiguration = .init()) {
    let camera = rig.cameras[0]
    self.configuration = configuration
    tracker = FeatureTracker(camera, mask: masks.first ?? nil, configuration: configuration)
    turn = rig.imu.map { GyroscopeTurn(imu: $0, camera: camera) }
  }

  /// Takes a reading of the inertial unit; readings up to a frame come before it.
  package func add(_ sample: IMUSample) { turn?.add(sample) }

  /// Takes the images of one moment, one for each camera, nil where there is none; of the size that the calibration says.
  package func frames(_ images: [GrayImage?], at stamp: Timestamp) -> [CameraFrame] {
    guard let image = images.first ?? nil else { return [] }
    let turned = turn?.turn(to: stamp)
    if let last, stamp.seconds(since: last.stamp) > Self.longestGap || stamp < last.stamp { tracker.reset() }
    guard let pyramid = pyramid(of: image) else { return [] }
    tracker.process(pyramid, turn: turned, isRefilled: true)
    last = (stamp, image)
    let features = tracker.tracks.map {
      FeatureObservation(featureID: $0.id, u: Self.rounded($0.place.x, 1000), v: Self.rounded($0.place.y, 1000))
    }
    return [
      CameraFrame(
        timestamp: stamp, camera: 0, features: features, meanLuma: (image.meanLuma * 1e4).rounded() / 1e4)
    ]
  }

  private func pyramid(of image: GrayImage) -> PyramidImage? {
    PyramidImage(image, window: configuration.window, levels: configuration.levels)
  }

  private static func rounded(_ value: Float, _ steps: Double) -> Double {
    (Double(value) * steps).rounded(.toNearestOrAwayFromZero) / steps
  }
}
