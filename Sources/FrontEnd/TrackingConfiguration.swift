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
  package var weakestCorner: Float = 30, weakestWhereScarce: Float = 6
  /// Frames for which a corner should stay in view, preferred first; the last applies where others are missing.
  package var horizons = [50, 25, 10]
  /// Least correlation of a patch with its first sample.
  package var leastCorrelation: Float = 0.88
  /// Largest distance of a patch from its predicted position, pixels.
  package var largestPredictionError: Float = 3
  /// Largest distance of a patch from the flow result, pixels.
  package var largestCorrection: Float = 2
  /// Largest error of the forward-backward check, pixels.
  package var returnDistance: Float = 0.5
  /// Frames for which a track is kept without being recognised.
  package var longestUnseen = 3
  /// Frames for which a departed track is kept, and how often it may be missed at its predicted position.
  package var longestAbsence = 100, mostMisses = 5
  /// Largest distance of a static point from its epipolar line, pixels.
  package var epipolarDistance = 1.5
  /// Consecutive frames for which a track may be an outlier: two points determine the translation direction.
  package var longestOutlying = 1
  /// Limit of the local equalisation (CLAHE) of dim or flat images.
  package var contrastLimit = 3.0

  /// The defaults.
  package init() {}
}
