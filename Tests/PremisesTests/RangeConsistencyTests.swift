import Foundation
import Geometry
import Premises
import Ranging
import SensorData
import Testing

/// What the range test names, on links of which the truth is known.
@Suite struct RangeConsistencyTests {
  private static func time(_ t: Double) -> Timestamp { Timestamp(nanoseconds: 7_000_000_000).advanced(bySeconds: t) }
  private static let peer = Vector3(4, 2, 0.5)

  /// A walk with turns: nothing about it repeats with a period that a delay could hide in.
  private static func place(_ t: Double) -> Vector3 {
    Vector3(1.6 * sin(0.7 * t) + 0.02 * t * t * cos(0.3 * t), 1.4 * cos(0.45 * t + 1), 0.3 * sin(0.9 * t))
  }

  /// Tests a link once a second, with deterministic errors of a few centimetres; the outcomes, nil where nothing was
  /// found.
  private static func outcomes(
    seconds: Double = 24, moves: Bool = false, late: Double = 0, law: ResidualLaw = ResidualLaw(),
    _ range: (Double) -> Double = { $0 }
  ) -> [RangeConsistency.Outcome?] {
    var link = RangeConsistency(law), path = PathHistory()
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

  /// The default settings with a change.
  private static func law(statedNoise: Double? = nil, _ change: (inout RangingConfiguration) -> Void = { _ in })
    -> ResidualLaw
  {
    var ranging = RangingConfiguration()
    change(&ranging)
    return ResidualLaw(ranging, statedNoise: statedNoise)
  }

  private static func refuted(_ outcomes: [RangeConsistency.Outcome?]) -> [RangeConsistency.Outcome] {
    outcomes.compactMap { $0 }.filter { $0.ratio > PremiseVerdict.limit }
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

  /// One step from the fit without a delay has the delay's sign and most of its size, whichever side the rate is taken from; none of ranges in time.
  @Test(arguments: [-0.15, -0.05, 0, 0.05, 0.15]) func aDelayIsProposed(late: Double) throws {
    func rows(_ earlier: Double) -> [LinkFit.Row] {
      (0..<90).map { k in
        let t = 1 + 0.24 * Double(k)
        return LinkFit.Row(seconds: t, range: (Self.peer - Self.place(t - late)).norm, place: Self.place(t - earlier))
      }
    }
    let fit = LinkFit(rows(0))
    for step in [RangeDelay.step, -RangeDelay.step] {
      let delay = try #require(RangeDelay.estimate(rows(0), fit, earlier: rows(step), step: step))
      #expect(abs(delay - late) < 0.01 + 0.3 * abs(late), "\(delay)")
    }
  }

  /// A radio with two antennas that smooths each is named with the length of one's memory.
  @Test func aFilterOfTwoAntennasIsFound() throws {
    let levers = [Vector3(0.02, 0, 0), Vector3(-0.02, 0, 0)]
    var link = RangeConsistency(), path = PathHistory(), newest: [[Double]] = [[], []]
    var outcomes: [RangeConsistency.Outcome?] = []
    for k in 0...480 {
      let t = Double(k) / 20
      path.append(Pose(rotation: .identity, translation: Self.place(t)), at: Self.time(t))
      let range = (Self.peer - Self.place(t) - levers[k % 2]).norm + 0.05 * sin(Double(k) * 1.7)
      newest[k % 2] = (newest[k % 2] + [range]).suffix(10)
      link.append(
        range: newest[k % 2].reduce(0, +) / Double(newest[k % 2].count), lever: levers[k % 2], at: Self.time(t))
      if k % 20 == 0 { outcomes.append(link.test(path)) }
    }
    guard case .smoothing(let named)? = Self.refuted(outcomes).last?.cause else {
      return #expect(Bool(false), "\(outcomes)")
    }
    #expect(abs(named.delay(interval: 0.1) / 0.45 - 1) < 0.35, "\(named)")
  }

  /// A radio that smooths is named, with about the length of its memory.
  @Test(arguments: [
    RangeFilter.mean(count: 10), .mean(count: 20), .exponential(weight: 0.2), .exponential(weight: 0.1),
  ])
  func aFilterIsFound(filter: RangeFilter) throws {
    var reported: [Double] = []
    var newest: [Double] = []
    let outcomes = Self.outcomes { range in
      newest.append(range)
      switch filter {
      case .mean(let count): reported.append(newest.suffix(count).reduce(0, +) / Double(min(count, newest.count)))
      case .exponential(let weight): reported.append(reported.last.map { $0 + weight * (range - $0) } ?? range)
      case .lag: break
      }
      return reported.last!
    }
    let found = try #require(Self.refuted(outcomes).last, "\(outcomes)")
    guard case .smoothing(let named) = found.cause else { return #expect(Bool(false), "\(found)") }
    #expect(abs(named.delay(interval: 0.1) / filter.delay(interval: 0.1) - 1) < 0.35, "\(named)")
    #expect(found.cause.code == "rangeFilter" && found.cause.premise == "radioClock")
  }

  @Test(arguments: [2.0, 0.5, 3.28084, 0.01]) func aFactorIsFound(factor: Double) throws {
    let outcomes = Self.outcomes { factor * $0 }
    let found = try #require(Self.refuted(outcomes).last, "\(outcomes)")
    #expect(found.cause == .scale(factor))
  }

  /// A bias beyond what radios have is named, and is none that a wider prior allows; nor is it another fault then.
  @Test(arguments: [1.5, -1.5]) func aBiasIsFoundUnlessItIsAllowed(bias: Double) throws {
    let found = try #require(Self.refuted(Self.outcomes { $0 + bias }).last)
    #expect(found.cause.code == "rangeBias")
    #expect(abs(found.bias - bias) < 0.3, "\(found.bias)")
    let allowed = Self.outcomes(law: Self.law { $0.biasPrior = 1.5 }) { $0 + bias }
    #expect(allowed.allSatisfy { ($0?.ratio ?? 0) < 1 }, "\(allowed)")
  }

  /// An antenna delay at its default, most of a range, is named as well.
  @Test(arguments: [5.0, 30, 154]) func aBiasOfAnySizeIsFound(bias: Double) throws {
    let found = try #require(Self.refuted(Self.outcomes { $0 + bias }).last)
    #expect(found.cause.code == "rangeBias")
    #expect(abs(found.bias - bias) < 0.5, "\(found.bias)")
  }

  /// Ranges 1.45 times the path, or 1 / 1.45 times, are named; none that a wider prior of the scale allows.
  @Test(arguments: [1.45, 1 / 1.45]) func aScaleIsFoundUnlessItIsAllowed(factor: Double) throws {
    guard case .scale? = Self.refuted(Self.outcomes { factor * $0 }).last?.cause else {
      return #expect(Bool(false), "no scale is named")
    }
    let allowed = Self.outcomes(law: Self.law { $0.scalePrior = 0.3 }) { factor * $0 }
    #expect(Self.refuted(allowed).isEmpty, "\(allowed)")
  }

  /// Errors as large as stated, or as a candidate of the settings, are no fault: the likeliest noise is near them.
  @Test func statedNoiseIsACandidate() {
    #expect(Self.law().candidates.map(\.total).max()! < 0.6)
    #expect(Self.law(statedNoise: 3).candidates.map(\.white).max() == 3)
    #expect(Self.law { $0.assumedNoise = 2 }.candidates.map(\.white).max() == 2)
    #expect(Self.law { $0.noiseCandidates = [[1.2, 2]] }.candidates.map(\.lasting).max() == 1.2)
    #expect(Self.law(statedNoise: 0.1) == Self.law())
  }

  /// Outliers as frequent and as large as the settings say are each nearly as likely as a good range; a tighter setting
  /// changes nothing.
  @Test func outliersAreThoseOfTheSettings() {
    let tenMetres = { (law: ResidualLaw) in
      let times = (0..<20).map { 0.24 * Double($0) }
      return ResidualLikelihood(at: times, law).evaluate(times.indices.map { $0 % 5 == 2 ? -10 : 0.02 }).logLikelihood
    }
    let usual = tenMetres(Self.law())
    #expect(tenMetres(Self.law { ($0.rangeOutlierProbability, $0.rangeOutlierScale) = (0.2, 10) }) > usual + 20)
    #expect(tenMetres(Self.law { ($0.rangeOutlierProbability, $0.rangeOutlierScale) = (0, 0.1) }) == usual)
    // The probabilities are those of one range.
    for law in [Self.law(), Self.law { $0.rangeOutlierProbability = 1 }, Self.law { $0.losReturnRate = 1e-6 }] {
      #expect(abs(law.regular + law.long + law.short - 1) < 1e-12 && law.regular > 0)
    }
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
