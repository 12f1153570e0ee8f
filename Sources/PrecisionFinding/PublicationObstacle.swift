/// What stands in the way of an output, or makes it worse: finer words than Nearby Interaction's five reasons, in the order of their
/// importance.
public enum PublicationObstacle: String, Sendable, CaseIterable {
  /// The camera sees too little: no light.
  case dark
  /// ... something lies on the lens.
  case covered
  /// ... the device moves too fast for the exposure.
  case excessiveMotion
  /// ... there is little to follow.
  case fewFeatures
  /// No frames come.
  case cameraUnavailable
  /// Nobody knows how the device moves.
  case noTrajectory
  /// The latest ranges speak against all that is believed of the peer.
  case contradicted
  /// The peer is nearer, horizontally, than an azimuth means anything.
  case near
  /// No axis of its direction is known.
  case unexplored
  /// It may be elsewhere: a mirror image is alive.
  case ambiguous
  /// Its direction is known, but not well enough.
  case wide
  /// Its height is not.
  case heightUndecided
  /// Its place is not known well enough.
  case positionTooWide = "placeTooWide"
  /// Too much of the posterior is elsewhere to rely on what is published.
  case rivals
  /// It isMoving, more likely than not.
  case peerMoving
  /// Its angles of arrival contradict its ranges: they are no longer heard.
  case aoaInconsistent = "anglesAstray"
  /// No range has come for a second.
  case stale
  /// The radio says its last range again and again.
  case repeated
  /// Fewer than two ranges a second come.
  case weakRate
  /// They are received with little power.
  case weakPower
  /// The sight has been blocked for long.
  case nonLineOfSight = "blockedSight"

  /// What the user should do about it, one plain sentence, where that is more than its reason says: what the camera lacks, a radio that is to be
  /// restarted. Nil: the reason says it.
  public var guidance: String? {
    switch self {
    case .dark: Convergence.Reason.insufficientLighting.guidance
    case .covered: "Uncover the camera."
    case .excessiveMotion: "Move more slowly: the picture is blurred."
    case .fewFeatures: "Point the camera at something with more detail."
    case .cameraUnavailable: "The camera gives no pictures: see that it is on."
    case .repeated: "The radio repeats its last range: restart it."
    default: nil
    }
  }

  /// Which of Nearby Interaction's reasons it is told as; nil where it is none: what moves is told by what that leaves open, and
  /// without a trajectory there is nothing to judge.
  ///
  /// Who is near, or under the peer, is asked to move about: the azimuth comes back with the distance, no sweep on the spot brings it.
  public var reason: Convergence.Reason? {
    switch self {
    case .dark, .covered, .excessiveMotion, .fewFeatures, .cameraUnavailable: .insufficientLighting
    case .near, .unexplored: .insufficientMovement
    case .contradicted, .ambiguous, .wide: .insufficientHorizontalSweep
    case .heightUndecided, .positionTooWide, .rivals: .insufficientVerticalSweep
    case .stale, .repeated, .weakRate, .weakPower, .nonLineOfSight: .insufficientSignalStrength
    case .noTrajectory, .peerMoving, .aoaInconsistent: nil
    }
  }
}
