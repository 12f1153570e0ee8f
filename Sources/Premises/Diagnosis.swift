/// A premise that the data refute, or an error that was found and handled.
///
/// What a finder takes for granted (units, axes, mounts, lenses, clocks, conventions) is tested against the data. Each code, its
/// statistic, its false-alarm rate and its remedy: docs/diagnoses.md.
public struct Diagnosis: Equatable, Sendable {
  /// What the premise is about.
  public enum Family: String, Sendable, CaseIterable {
    case imu, camera, radio, odometry, time, truth
  }

  /// Stable, machine-readable: `accelerometerUnit`, `cameraMount`, `rangeUnit`, ...
  public var code: String
  /// What the premise is about.
  public var family: Family
  /// What was found, one plain sentence.
  public var sentence: String
  /// The statistic and the data behind it.
  public var evidence: String
  /// What to do about it.
  public var remedy: String
  /// The peer whose radio link it concerns; nil where it concerns the device.
  public var peer: String?
  /// True where nothing rests on it any more: the error was corrected or left out. Such a diagnosis withdraws nothing.
  public var isHandled: Bool

  /// A diagnosis from its parts.
  public init(
    code: String, family: Family, sentence: String, evidence: String, remedy: String, peer: String? = nil,
    isHandled: Bool = false
  ) {
    self.code = code
    self.family = family
    self.sentence = sentence
    self.evidence = evidence
    self.remedy = remedy
    self.peer = peer
    self.isHandled = isHandled
  }
}
