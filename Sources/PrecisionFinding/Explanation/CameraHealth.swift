import SensorData

/// Figures of the camera's frames up to a moment: the gates of the lighting.
package struct CameraHealth: Equatable, Sendable {
  /// Mean luma of the newest frame, 0...1; nil where the recording has none.
  package private(set) var luma: Double?
  /// Features in it.
  package private(set) var features = 0
  /// When it was taken.
  package private(set) var newest: Timestamp

  /// The figures of a frame.
  package init(_ frame: CameraFrame) {
    (luma, features, newest) = (frame.meanLuma, frame.features.count, frame.timestamp)
  }

  /// The gates at `time`. A failure shorter than `darkDelay` is no reason yet, and fails nothing.
  ///
  /// - Parameter blindness: why the finder did not use the camera; nil where it did.
  package func gates(at time: Timestamp, blindness: String?, _ rules: PublicationRules) -> [PublicationGate] {
    var gates = [
      PublicationGate(rules.features, Double(features)),
      PublicationGate(rules.imageAge, max(time.seconds(since: newest), 0)),
    ]
    if let luma {
      let gate = PublicationGate(rules.luma, luma)
      // The number of features decides, not the brightness.
      let isEnough = gates[0].outcome == .passed && gate.outcome == .failed
      gates.insert(isEnough ? gate.notAsked("enough features all the same", keepsValue: true) : gate, at: 0)
    }
    guard blindness == nil else { return gates }
    return gates.map { $0.outcome == .failed ? $0.notAsked("not for long enough to count", keepsValue: true) : $0 }
  }
}
