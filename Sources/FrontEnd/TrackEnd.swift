/// Why a track ended.
package enum TrackEnd: String, CaseIterable, Sendable {
  /// It went over the edge of the image, or behind the mask.
  case leftImage
  /// Nothing was found where it was looked for.
  case notFound
  /// What was found no longer looks as it did, or did not lead back.
  case notRecognised
  /// It moved otherwise than a still point does.
  case movedOtherwise
  /// It met an older one.
  case metOlder
}
