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
  private var stereo: StereoMatcher?
  private var turn: GyroscopeTurn?
  private var last: (stamp: Timestamp, image: GrayImage)?
  private var isEqualised = false
  private var area: LitArea

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
    if rig.cameras.count > 1 {
      stereo = StereoMatcher(camera, rig.cameras[1], configuration: configuration)
    }
    area = LitArea(width: camera.width, height: camera.height)
    turn = rig.imu.map { GyroscopeTurn(imu: $0, camera: camera) }
  }

  /// Takes a reading of the inertial unit; readings up to a frame come before it.
  package func add(_ sample: IMUSample) { turn?.add(sample) }

  /// Takes the images of one moment, one for each camera, nil where there is none; of the size that the calibration says.
  package func frames(_ images: [GrayImage?], at stamp: Timestamp) -> [CameraFrame] {
    guard let image = images.first ?? nil else { return [] }
    let turned = turn?.turn(to: stamp)
    if let last, stamp.seconds(since: last.stamp) > Self.longestGap || stamp < last.stamp { tracker.reset() }
    let rate = last.flatMap { last in turned.map { $0.log.norm / max(stamp.seconds(since: last.stamp), 1e-3) } }
    let light = LightMeter(image)
    area.add(image)
    chooseContrast(light)
    guard let pyramid = pyramid(of: image) else { return [] }
    let isFirst = tracker.image == nil
    tracker.process(
      pyramid, turn: turned, isRefilled: ViewJudge.isWorthLooking(light),
      noise: Float(light.measures.noise * (isEqualised ? configuration.contrastLimit : 1)),
      isLit: area.contains)
    last = (stamp, image)
    let view = ViewJudge.verdict(
      light, followed: tracker.tracks.count - tracker.begun, begun: tracker.begun, isFirst: isFirst,
      turnRate: rate)
    let first = frame(0, tracker.tracks.map { ($0.id, $0.place) }, light, view, at: stamp)
    guard images.count > 1, let other = images[1], stereo != nil, let second = self.pyramid(of: other) else {
      return [first]
    }
    let matches = stereo!.match(tracker.tracks, tracker.patches, from: pyramid, to: second)
    let otherLight = LightMeter(other)
    return [first, frame(1, matches, otherLight, view, at: stamp)]
  }

  private func frame(
    _ camera: Int, _ tracks: [(id: Int64, place: SIMD2<Float>)], _ light: LightMeter, _ view: ViewCondition,
    at stamp: Timestamp
  ) -> CameraFrame {
    var measures = light.measures
    measures.coverage = tracker.coverage
    return CameraFrame(
      timestamp: stamp, camera: camera,
      features: tracks.map {
        FeatureObservation(featureID: $0.id, u: Self.rounded($0.place.x, 1000), v: Self.rounded($0.place.y, 1000))
      },
      meanLuma: Self.rounded(light.meanLuma), view: view,
      measures: ImageMeasures(
        darkShare: Self.rounded(measures.darkShare), saturatedShare: Self.rounded(measures.saturatedShare),
        texture: Self.rounded(measures.texture), sharpness: Self.rounded(measures.sharpness),
        noise: Self.rounded(measures.noise), coverage: Self.rounded(measures.coverage)))
  }

  /// Flat images are equalised locally, so that their corners stand out of the rounding, unless there is more noise in them than
  /// anything else; both images of a pair alike.
  private func chooseContrast(_ light: LightMeter) {
    let flat = light.contrast < (isEqualised ? 18 : 12) && light.measures.texture > light.measures.noise
    guard flat != isEqualised else { return }
    isEqualised = flat
    if tracker.image != nil, let last, let image = pyramid(of: last.image) { tracker.replace(image) }
  }

  private func pyramid(of image: GrayImage) -> PyramidImage? {
    PyramidImage(
      image, window: configuration.window, levels: configuration.levels,
      contrast: isEqualised ? configuration.contrastLimit : 0)
  }

  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded(.toNearestOrAwayFromZero) / 1e4 }

  private static func rounded(_ value: Float, _ steps: Double) -> Double {
    (Double(value) * steps).rounded(.toNearestOrAwayFromZero) / steps
  }
}
