import Geometry
import Images
import SensorData

/// Turns images into frames with tracks, for the one or two cameras of a device.
///
/// Gyroscope readings up to a frame come first, then the frame's images; the result is deterministic. Positions are
/// rounded to 0.001 pixel and light to 0.0001, as in files, so written and re-read tracks are identical.
package final class ImageFrontEnd {
  private let tracker: FeatureTracker
  private let configuration: TrackingConfiguration
  private var stereo: StereoMatcher?
  private var gyroscope: GyroscopeRotation?
  private var last: (stamp: Timestamp, image: GrayImage)?
  private var isEqualised = false
  private var area: LitArea
  private let focalLength: Double

  /// Longest time between two frames over which features are tracked, seconds.
  private static let longestGap = 0.5
  /// Default exposure where it is not reported, seconds.
  private static let usualExposure = 0.004

  /// - Precondition: the device has a camera.
  /// - Parameter masks: for each camera an image, white where corners are wanted, or nil.
  package init(rig: RigCalibration, masks: [GrayImage?], configuration: TrackingConfiguration = .init()) {
    let camera = rig.cameras[0]
    self.configuration = configuration
    tracker = FeatureTracker(camera, mask: masks.first ?? nil, configuration: configuration)
    if rig.cameras.count > 1 {
      stereo = StereoMatcher(camera, rig.cameras[1], configuration: configuration)
    }
    focalLength = (camera.fx * camera.fy).squareRoot()
    area = LitArea(width: camera.width, height: camera.height)
    gyroscope = rig.imu.map { GyroscopeRotation(imu: $0, camera: camera) }
  }

  /// Tracks of cam0 that ended so far, by reason.
  package var ends: [TrackEnd: Int] { tracker.ends }

  /// Tracks of cam0 recovered so far after they had left the image.
  package var returned: Int { tracker.returned }

  /// Adds an IMU reading; readings up to a frame come before it.
  package func add(_ sample: IMUSample) { gyroscope?.add(sample) }

  /// Processes the images of one moment, one per camera, nil where there is none; of the calibrated size.
  ///
  /// - Parameter exposures: exposure times, seconds; empty or nil where unknown.
  package func frames(_ images: [GrayImage?], exposures: [Double?] = [], at stamp: Timestamp) -> [CameraFrame] {
    guard let image = images.first ?? nil else { return [] }
    let rotation = gyroscope?.rotation(to: stamp)
    if let last, stamp.seconds(since: last.stamp) > Self.longestGap || stamp < last.stamp { tracker.reset() }
    let rate = last.flatMap { last in rotation.map { $0.log.norm / max(stamp.seconds(since: last.stamp), 1e-3) } }
    let light = LightMeter(image)
    area.add(image)
    chooseContrast(light)
    guard let pyramid = pyramid(of: image) else { return [] }
    let isFirst = tracker.image == nil
    tracker.process(
      pyramid, rotation: rotation, isRefilled: ViewClassifier.mayHaveCorners(light),
      noise: Float(light.measures.noise * (isEqualised ? configuration.contrastLimit : 1)),
      area: area)
    last = (stamp, image)
    let view = ViewClassifier.condition(
      light, followed: tracker.tracks.count - tracker.begun, begun: tracker.begun, isFirst: isFirst,
      smear: smear(exposures.first ?? nil, rate))
    let first = frame(
      0, tracker.tracks.map { ($0.id, $0.position) }, light, view, exposures.first ?? nil, at: stamp)
    guard images.count > 1, let other = images[1], let (one, two) = pair(image, pyramid, other) else { return [first] }
    let matches = stereo!.match(tracker.tracks, tracker.patches, from: one, to: two)
    let otherLight = LightMeter(other)
    return [first, frame(1, matches, otherLight, view, exposures.count > 1 ? exposures[1] : nil, at: stamp)]
  }

  /// Motion blur by rotation during the exposure, pixels; nil if unknown.
  private func smear(_ exposure: Double?, _ rate: Double?) -> Double? {
    rate.map { $0 * (exposure ?? Self.usualExposure) * focalLength }
  }

  /// Both images for the matcher, padded to one size.
  private func pair(_ image: GrayImage, _ pyramid: PyramidImage, _ other: GrayImage) -> (PyramidImage, PyramidImage)? {
    guard let stereo else { return nil }
    func isWhole(_ image: GrayImage) -> Bool { image.width == stereo.width && image.height == stereo.height }
    let padded = { (image: GrayImage) in image.padded(width: stereo.width, height: stereo.height) }
    guard let one = isWhole(image) ? pyramid : self.pyramid(of: padded(image)),
      let two = self.pyramid(of: isWhole(other) ? other : padded(other))
    else { return nil }
    return (one, two)
  }

  private func frame(
    _ camera: Int, _ tracks: [(id: Int64, position: SIMD2<Float>)], _ light: LightMeter, _ view: ViewCondition,
    _ exposure: Double?, at stamp: Timestamp
  ) -> CameraFrame {
    var measures = light.measures
    measures.coverage = tracker.coverage
    return CameraFrame(
      timestamp: stamp, camera: camera,
      features: tracks.map {
        FeatureObservation(featureID: $0.id, u: Self.rounded($0.position.x, 1000), v: Self.rounded($0.position.y, 1000))
      },
      meanLuma: Self.rounded(light.meanLuma), view: view,
      measures: ImageMeasures(
        darkShare: Self.rounded(measures.darkShare), saturatedShare: Self.rounded(measures.saturatedShare),
        texture: Self.rounded(measures.texture), sharpness: Self.rounded(measures.sharpness),
        noise: Self.rounded(measures.noise), coverage: Self.rounded(measures.coverage)),
      exposure: exposure)
  }

  /// Low-contrast images are equalised locally, so that corners exceed the quantisation, unless noise dominates. Both
  /// images of a pair are treated alike.
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

/// Settings of the image front end. The defaults serve every lens and hand; each states its unit.
package struct TrackingConfiguration: Equatable, Sendable {
  /// Wanted tracks per frame.
  package var features = 200
  /// Least distance between two tracks of a frame, pixels of an image 640 wide.
  package var spacing = 14.0
  /// Side of the optical-flow windows, pixels; odd.
  package var window = 21
  /// Pyramid levels: halvings of the image.
  package var levels = 3
  /// Least strength of a new corner, (grey levels/pixel)^2, and least where there are few others: slightly above noise.
  var weakestCorner: Float = 30, weakestWhereScarce: Float = 6
  /// Frames for which a corner should stay in view, preferred first; the last applies where others are missing.
  var horizons = [50, 25, 10]
  /// Least correlation of a patch with its first sample.
  var leastCorrelation: Float = 0.88
  /// Largest distance of a patch from its predicted position, pixels.
  var largestPredictionError: Float = 3
  /// Largest distance of a patch from the flow result, pixels.
  var largestCorrection: Float = 2
  /// Largest error of the forward-backward check, pixels.
  var returnDistance: Float = 0.5
  /// Frames for which a track is kept without being recognised.
  var longestUnseen = 3
  /// Frames for which a departed track is kept, and how often it may be missed at its predicted position.
  var longestAbsence = 100, mostMisses = 5
  /// Largest distance of a static point from its epipolar line, pixels.
  var epipolarDistance = 1.5
  /// Consecutive frames for which a track may be an outlier: two points determine the translation direction.
  var longestOutlying = 1
  /// Limit of the local equalisation (CLAHE) of dim or flat images.
  package var contrastLimit = 3.0

  /// The defaults.
  package init() {}
}
