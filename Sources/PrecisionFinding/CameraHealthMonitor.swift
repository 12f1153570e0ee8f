import SensorData

/// Watches what the camera contributes: a pure state machine over frames.
///
/// Tracks decide, not light: what is tracked in the dusk carries the trajectory as well as what is tracked at noon. The image only tells why
/// there are few: what somebody who looked at it said, else its mean brightness.
package struct CameraHealthMonitor {
  private let darkLuma: Double
  private let fewFeatures: Int
  private let delay: Double
  private var lastGood: Timestamp?
  private var isJudged = false
  /// Where somebody looked at the image there is less to wait for than where tracks are merely few, seconds.
  private static let judgedDelay = 0.3
  /// Features in the newest frame.
  package private(set) var features = 0
  /// Why the newest frame was of no use; nil when it was.
  package private(set) var cause: String?

  package init(_ configuration: FinderConfiguration) {
    darkLuma = configuration.darkLuma
    fewFeatures = configuration.fewFeatures
    delay = configuration.darkDelay
  }

  /// Takes a frame in.
  package mutating func update(_ frame: CameraFrame) {
    features = frame.features.count
    if features < fewFeatures {
      isJudged = frame.view != nil
      cause = why(frame).rawValue
    } else {
      isJudged = false
      cause = nil
      lastGood = frame.timestamp
    }
    if lastGood == nil { lastGood = frame.timestamp }
  }

  /// True when the camera has been of no use for longer than the delay; nil before the first frame.
  package func isBlind(at time: Timestamp) -> Bool? {
    lastGood.map { time.seconds(since: $0) > (isJudged ? min(delay, Self.judgedDelay) : delay) }
  }

  private func why(_ frame: CameraFrame) -> PublicationObstacle {
    switch frame.view {
    case .dark: .dark
    case .covered: .covered
    case .blurred: .excessiveMotion
    case .blank, .clear, nil: frame.meanLuma.map { $0 < darkLuma } == true ? .dark : .fewFeatures
    }
  }

  /// A word for why, at `time`.
  package func word(at time: Timestamp) -> String { cause ?? PublicationObstacle.cameraUnavailable.rawValue }
}
