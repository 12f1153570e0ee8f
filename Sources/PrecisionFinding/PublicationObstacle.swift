/// An obstacle to an output, or a cause that degrades it: finer than Nearby Interaction's five reasons, in order of
/// importance.
public enum PublicationObstacle: String, Sendable, CaseIterable {
  /// The camera has too few features: no light.
  case dark
  /// ... the lens is covered.
  case covered
  /// ... the device moves too fast for the exposure.
  case excessiveMotion
  /// ... the view has little detail.
  case fewFeatures
  /// No frames come.
  case cameraUnavailable
  /// There is no trajectory.
  case noTrajectory
  /// Evidence speaks against a premise of the set-up, not enough to refute it: no direction rests on it yet.
  case premiseOpen
  /// The latest ranges contradict the posterior.
  case contradicted
  /// The latest ranges contradict each other: they are farther apart than a hand and a peer move.
  case rangesContradict
  /// The peer is too close horizontally for an azimuth.
  case near
  /// No axis of its direction is observed.
  case unexplored
  /// An ambiguity is left: the peer may be at a reflection image.
  case ambiguous
  /// Its direction is known, but not well enough.
  case wide
  /// Its vertical class is not decided.
  case heightUndecided
  /// Its position is not known well enough.
  case positionTooWide = "placeTooWide"
  /// Competing modes: too much probability lies over 20 degrees away from what is published.
  case competingModes = "rivals"
  /// It is moving, more likely than not.
  case peerMoving
  /// Its angles of arrival are inconsistent with its ranges: they are not used.
  case aoaInconsistent = "anglesAstray"
  /// No range has come for a second.
  case stale
  /// The radio repeats its last range.
  case repeated
  /// Fewer than two ranges a second come.
  case weakRate
  /// Their received power is low.
  case weakPower
  /// The line of sight has been blocked for long (NLOS).
  case nonLineOfSight = "blockedSight"

  /// What the user should do, one plain sentence, where that is more than the reason's guidance: what the camera lacks,
  /// a radio to be restarted. Nil: the reason's guidance applies.
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

  /// The one of Nearby Interaction's reasons that reports it; nil for none. A moving peer is reported by the obstacles
  /// it leaves, and without a trajectory there is nothing to evaluate.
  ///
  /// A near peer, or one right above or below, asks for movement: the azimuth returns with the distance, no sweep on
  /// the spot gives it.
  public var reason: Convergence.Reason? {
    switch self {
    case .dark, .covered, .excessiveMotion, .fewFeatures, .cameraUnavailable: .insufficientLighting
    case .premiseOpen, .near, .unexplored: .insufficientMovement
    case .contradicted, .ambiguous, .wide: .insufficientHorizontalSweep
    case .heightUndecided, .positionTooWide, .competingModes: .insufficientVerticalSweep
    case .rangesContradict, .stale, .repeated, .weakRate, .weakPower, .nonLineOfSight: .insufficientSignalStrength
    case .noTrajectory, .peerMoving, .aoaInconsistent: nil
    }
  }
}
