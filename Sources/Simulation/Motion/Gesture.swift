import Foundation

/// What somebody with a phone in the outstretched hand does when asked to move, two seconds each.
package enum Gesture: String, Sendable, CaseIterable {
  /// Keeps still.
  case stay
  /// Moves about a little, sideways and up and down.
  case around
  /// Sweeps from side to side.
  case aside
  /// Sweeps up and down.
  case upAndDown
  /// Pushes the phone forwards and pulls it back.
  case toAndFro

  private static let duration = 2.0

  /// The motion, ending where it began, with a short rest.
  package var motion: [HandMotion] {
    func arc(_ horizontal: Double, _ vertical: Double) -> HandMotion {
      .arc(
        duration: Self.duration, arm: 0.6, horizontal: .init(amplitude: horizontal * .pi / 180, period: 2),
        vertical: .init(amplitude: vertical * .pi / 180, period: 1.6))
    }
    let rest = HandMotion.hold(duration: 0.2)
    switch self {
    case .stay: return [.hold(duration: Self.duration), rest]
    case .around: return [arc(25, 15), rest]
    case .aside: return [arc(50, 0), rest]
    case .upAndDown: return [arc(0, 40), rest]
    case .toAndFro:
      return [
        .sway(duration: Self.duration, lateral: .init(), vertical: .init(), ahead: .init(amplitude: 0.3, period: 2)),
        rest,
      ]
    }
  }
}
