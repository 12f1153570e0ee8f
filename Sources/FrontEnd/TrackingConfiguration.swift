/// The settings of the way from images to tracks. The defaults serve every lens and hand; each says its unit.
package struct TrackingConfiguration: Equatable, Sendable {
  /// Tracks that are aimed at in a frame.
  package var features = 200
  /// Least distance between two tracks of a frame, pixels of an image 640 wide.
  package var spacing = 14.0
  /// Side of the windows that flow compares, pixels; odd.
  package var window = 21
  /// Halvings of the image.
  package var levels = 3
  /// Weakest corner that is begun with, (grey levels/pixel)^2, and weakest where there are few others: a little more than noise.
  package var weakestCorner: Float = 30, weakestWhereScarce: Float = 6
  /// Frames for which a corner should stay in sight: the longer the better; the last must do where there are few others.
  package var horizons = [50, 25, 10]
  /// Least correlation of a patch with what it looked like in the beginning.
  package var leastCorrelation: Float = 0.88
  /// How far a patch may lie from where it was expected, pixels.
  package var largestSurprise: Float = 3
  /// How far a patch may lie from where flow leads, pixels.
  package var largestCorrection: Float = 2
  /// How far a place may be from itself after there and back, pixels.
  package var returnDistance: Float = 0.5
  /// Frames that a track goes on without being recognised.
  package var longestUnseen = 3
  /// Frames for which a track that left the image is kept, to be found again, and how often it may then be missed where it should be.
  package var longestAbsence = 100, mostMisses = 5
  /// How far a still point may be from its epipolar line, pixels.
  package var epipolarDistance = 1.5
  /// Frames in a row that a track may move otherwise than still points: the way of the camera is told from two of them.
  package var longestStrange = 1
  /// Limit of the local equalisation of dim or flat images (CLAHE).
  package var contrastLimit = 3.0

  /// The defaults.
  package init() {}
}
