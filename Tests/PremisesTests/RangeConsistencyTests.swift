import Foundation
import Geometry
import SensorData
import Testing

import Premises

/// What the range test names, on links of which the truth is known.
@Suite struct RangeConsistencyTests {
  private static func time(_ t: Double) -> Timestamp { Timestamp(nanoseconds: 7_000_000_000).advanced(bySeconds: t) }
  private static let peer = Vector3(4, 2, 0.5)

  /// A walk with turns: nothing about it repeats with a period that a delay could hide in.
  private static func place(_ t: Double) -> Vector3 {
    Vector3(1.6 * sin(0.7 * t) + 0.02 * t * t * cos(0.3 * t), 1.4 * cos(0.45 * t + 1), 0.3 * sin(0.9 * t))
  }

  /// Deterministic errors of a few centimetres, and what a radio may do to a range.
  private static func link(
    seconds: Double = 30, moves: Bool = false, _ range: (Double) -> Double = { $0 }, late: Double = 0
  ) -> RangeConsistency {
    var link = RangeConsistency()
    for k in 0...Int(seconds * 20) {
      let t = Double(k) / 20
      link.append(position: place(t), at: time(t))
      guard k % 2 == 0 else { continue }
      let measured = t - late
      let peer = moves && measured > 10 ? peer + Vector3(-0.7, 0.5, 0) * min(measured - 10, 6) : peer
      let error = 0.06 * sin(Double(k) * 1.7) + 0.05 * sin(0.4 * t)
      link.append(range: range((peer - place(measured)).norm + error), at: time(t))
    }
    return link
  }

  @Test func aTrueLinkIsNotRefuted() {
    var link = Self.link()
    let outcome = link.test()
    #expect(outcome == nil && link.impossible == nil)
  }

  @Test func aDelayIsFound() throws {
    var link = Self.link(late: 1)
    let outcome = link.test()
    let found = try #require(outcome)
    guard case .clock(let late) = found.cause else { return #expect(Bool(false), "\(found)") }
    #expect(abs(late - 1) <= 0.25 && found.ratio > PremiseMonitor.limit)
  }

  @Test func millimetresAreImpossible() {
    #expect(Self.link { 1000 * $0 }.impossible != nil)
  }

  @Test func aPeerThatMovesIsNoDelay() {
    var link = Self.link(moves: true)
    let found = link.test()
    #expect(found == nil || found!.ratio < PremiseMonitor.limit, "\(String(describing: found))")
  }
}
