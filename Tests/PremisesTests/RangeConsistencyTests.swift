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

  /// Tests a link once a second, with deterministic errors of a few centimetres; the outcomes, nil where nothing was found.
  private static func outcomes(
    seconds: Double = 24, moves: Bool = false, late: Double = 0, _ range: (Double) -> Double = { $0 }
  ) -> [RangeConsistency.Outcome?] {
    var link = RangeConsistency(), path = PathHistory()
    var outcomes: [RangeConsistency.Outcome?] = []
    for k in 0...Int(seconds * 20) {
      let t = Double(k) / 20
      path.append(Pose(rotation: .identity, translation: place(t)), at: time(t))
      guard k % 2 == 0 else { continue }
      let measured = t - late
      let peer = moves && measured > 10 ? peer + Vector3(-0.7, 0.5, 0) * min(measured - 10, 6) : peer
      let error = 0.06 * sin(Double(k) * 1.7) + 0.05 * sin(0.4 * t)
      link.append(range: range((peer - place(measured)).norm + error), at: time(t))
      if k % 20 == 0 { outcomes.append(link.test(path)) }
    }
    return outcomes
  }

  private static func refuted(_ outcomes: [RangeConsistency.Outcome?]) -> [RangeConsistency.Outcome] {
    outcomes.compactMap { $0 }.filter { $0.ratio > PremiseMonitor.limit }
  }

  @Test func aTrueLinkIsNeverOpen() {
    #expect(Self.outcomes().allSatisfy { ($0?.ratio ?? 0) < 1 })
  }

  @Test(arguments: [-0.75, -0.5, 0.5, 1, 2]) func aDelayIsFound(late: Double) throws {
    let outcomes = Self.outcomes(late: late)
    let found = try #require(Self.refuted(outcomes).last, "\(outcomes)")
    guard case .clock(let seconds) = found.cause else { return #expect(Bool(false), "\(found)") }
    #expect(abs(seconds - late) <= 0.25)
  }

  @Test(arguments: [2.0, 0.5, 3.28084, 0.01]) func aFactorIsFound(factor: Double) throws {
    let outcomes = Self.outcomes { factor * $0 }
    let found = try #require(Self.refuted(outcomes).last, "\(outcomes)")
    #expect(found.cause == .scale(factor))
  }

  @Test func rangesThatShortenAreFound() throws {
    let outcomes = Self.outcomes { 9 - $0 }
    let found = try #require(Self.refuted(outcomes).last, "\(outcomes)")
    #expect(found.cause == .sign)
  }

  @Test func millimetresAreImpossible() {
    var link = RangeConsistency()
    for k in 0..<9 { link.append(range: 1000 * (4 + 0.01 * Double(k)), at: Self.time(0.1 * Double(k))) }
    #expect(link.impossible != nil)
  }

  @Test func aPeerThatMovesIsNoDelay() {
    #expect(Self.refuted(Self.outcomes(moves: true)).isEmpty)
  }

  @Test func outliersAndLongRangesAreNoFault() {
    var k = 0
    let outcomes = Self.outcomes { distance in
      k += 1
      return distance + (k % 40 < 6 ? 1.2 : 0) + (k % 33 == 0 ? 6 : 0)
    }
    #expect(Self.refuted(outcomes).isEmpty, "\(outcomes)")
  }
}
