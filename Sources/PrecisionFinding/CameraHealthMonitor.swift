import SensorData

/// Monitors whether the camera contributes: a pure state machine over frames.
///
/// The number of tracked features decides, not the brightness. The cause of too few is the reported view of the image,
/// else its mean luma.
package struct CameraHealthMonitor {
  private let darkLuma: Double
  private let fewFeatures: Int
  private let delay: Double
  private var lastGood: Timestamp?
  private var isViewClassified = false
  /// Delay for frames whose view was reported, seconds; where only tracks are few it takes `darkDelay`.
  private static let classifiedDelay = 0.3
  /// Features in the newest frame.
  package private(set) var features = 0
  /// Why the newest frame was not usable; nil when it was.
  package private(set) var cause: String?

  package init(_ configuration: FinderConfiguration) {
    darkLuma = configuration.darkLuma
    fewFeatures = configuration.fewFeatures
    delay = configuration.darkDelay
  }

  /// Updates with a frame.
  package mutating func update(_ frame: CameraFrame) {
    features = frame.features.count
    if features < fewFeatures {
      isViewClassified = frame.view != nil
      cause = why(frame).rawValue
    } else {
      isViewClassified = false
      cause = nil
      lastGood = frame.timestamp
    }
    if lastGood == nil { lastGood = frame.timestamp }
  }

  /// True when no frame was usable for longer than the delay; nil before the first frame.
  package func isBlind(at time: Timestamp) -> Bool? {
    lastGood.map { time.seconds(since: $0) > (isViewClassified ? min(delay, Self.classifiedDelay) : delay) }
  }

  private func why(_ frame: CameraFrame) -> PublicationObstacle {
    switch frame.view {
    case .dark: .dark
    case .covered: .covered
    case .blurred: .excessiveMotion
    case .blank, .clear, nil: frame.meanLuma.map { $0 < darkLuma } == true ? .dark : .fewFeatures
    }
  }

  /// The cause at `time`, as a machine-readable word.
  package func word(at time: Timestamp) -> String { cause ?? PublicationObstacle.cameraUnavailable.rawValue }
}
