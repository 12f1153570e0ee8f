/// The tracked features of one camera at one time and, where measured, the light.
public struct CameraFrame: Equatable, Sendable {
  /// The camera's own timestamp; the IMU's clock reads `timestamp + CameraCalibration.timeOffset`.
  public var timestamp: Timestamp
  /// Which camera: 0 for cam0, 1 for cam1.
  public var camera: Int
  /// The observed features, sorted by id, each id once; empty in the dark.
  public var features: [FeatureObservation]
  /// Mean brightness, 0 black ... 1 white; nil where it was not measured.
  public var meanLuma: Double?
  /// View condition; nil if not assessed.
  public var view: ViewCondition?
  /// Measures of light and texture; nil if not measured.
  public var measures: ImageMeasures?
  /// Exposure time, seconds; nil if unknown.
  public var exposure: Double?

  /// A frame from its parts.
  public init(
    timestamp: Timestamp, camera: Int = 0, features: [FeatureObservation], meanLuma: Double? = nil,
    view: ViewCondition? = nil, measures: ImageMeasures? = nil, exposure: Double? = nil
  ) {
    self.timestamp = timestamp
    self.camera = camera
    self.features = features
    self.meanLuma = meanLuma
    self.view = view
    self.measures = measures
    self.exposure = exposure
  }
}
