import SensorData

/// Watches what the camera contributes: a pure state machine over frames.
package struct CameraWatch {
  private let darkLuma: Double
  private let fewFeatures: Int
  private let delay: Double
  private var lastGood: Timestamp?
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
    if let luma = frame.meanLuma, luma < darkLuma {
      cause = "dark"
    } else if features < fewFeatures {
      cause = "fewFeatures"
    } else {
      cause = nil
      lastGood = frame.timestamp
    }
    if lastGood == nil { lastGood = frame.timestamp }
  }

  /// True when the camera has been of no use for longer than the delay; nil before the first frame.
  package func isBlind(at time: Timestamp) -> Bool? { lastGood.map { time.seconds(since: $0) > delay } }

  /// A word for why, at `time`.
  package func word(at time: Timestamp) -> String { cause ?? "cameraUnavailable" }
}
