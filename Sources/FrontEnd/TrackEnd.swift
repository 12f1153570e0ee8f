/// Why a track ended.
package enum TrackEnd: String, CaseIterable, Sendable {
  /// It left the image, or entered the mask.
  case leftImage
  /// It was not found at its predicted position.
  case notFound
  /// The patch no longer correlates, or the backward check failed.
  case notRecognised
  /// It moved unlike a static point.
  case movedOtherwise
  /// It met an older one.
  case metOlder
}
