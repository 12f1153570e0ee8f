import Foundation

/// Hand motions of a user who follows an instruction, with the phone in the outstretched hand; two seconds each.
package enum Gesture: String, Sendable, CaseIterable {
  /// Keeps still.
  case stay
  /// Moves a little sideways and up and down.
  case around
  /// Sweeps from side to side.
  case aside
  /// Sweeps up and down.
  case upAndDown
  /// Pushes the phone forwards and pulls it back.
  case toAndFro

  private static let duration = 2.0

  /// The motion, ending at its start, followed by a short hold.
  package var motion: [HandMotion] {
    func arc(_ horizontal: Double, _ vertical: Double) -> HandMotion {
      .arc(
        duration: Self.duration, arm: 0.6, horizontal: .init(amplitude: horizontal * .pi / 180, period: 2),
        vertical: .init(amplitude: vertical * .pi / 180, period: 1.6))
    }
    let pause = HandMotion.hold(duration: 0.2)
    switch self {
    case .stay: return [.hold(duration: Self.duration), pause]
    case .around: return [arc(25, 15), pause]
    case .aside: return [arc(50, 0), pause]
    case .upAndDown: return [arc(0, 40), pause]
    case .toAndFro:
      return [
        .sway(duration: Self.duration, lateral: .init(), vertical: .init(), ahead: .init(amplitude: 0.3, period: 2)),
        pause,
      ]
    }
  }
}
