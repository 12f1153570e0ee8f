import SensorData

/// What the camera's frames came to until a moment, in figures: the gates of the lighting.
package struct CameraHealth: Equatable, Sendable {
  /// Mean luma of the newest frame, 0...1; nil where the recording does not tell it.
  package private(set) var luma: Double?
  /// Features in it.
  package private(set) var features = 0
  /// When it was taken.
  package private(set) var newest: Timestamp

  /// What a frame came to.
  package init(_ frame: CameraFrame) {
    (luma, features, newest) = (frame.meanLuma, frame.features.count, frame.timestamp)
  }

  /// The gates at `time`. What lasts for less than `darkDelay` is no reason yet, and fails nothing.
  ///
  /// - Parameter blindness: why the finder had no use for the camera; nil where it had.
  package func gates(at time: Timestamp, blindness: String?, _ configuration: FinderConfiguration) -> [Explanation.Gate]
  {
    let all = Explanation.Gate.all
    var gates = [
      Explanation.Gate.lower("features in the image", Double(features), Double(configuration.fewFeatures), "", all),
      .upper("since the newest image", max(time.seconds(since: newest), 0), configuration.darkDelay, "s", all),
    ]
    if let luma {
      let gate = Explanation.Gate.lower("mean luma of the image", 100 * luma, 100 * configuration.darkLuma, "%", all)
      // Tracks decide, not light.
      let isEnough = gates[0].verdict == .passed && gate.verdict == .failed
      gates.insert(isEnough ? gate.notAsked("enough is seen all the same", keepsValue: true) : gate, at: 0)
    }
    guard blindness == nil else { return gates }
    return gates.map { $0.verdict == .failed ? $0.notAsked("not for long enough to count", keepsValue: true) : $0 }
  }
}
