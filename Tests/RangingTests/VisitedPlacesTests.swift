import Foundation
import Geometry
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Errors that are a function of the place: what is new, what is known, and what a rest tells.
@Suite struct VisitedPlacesTests {
  private static let field = RangeNoise(
    white: 0.05, coloured: 0.2, correlationTime: .infinity, correlationLength: 0.8, isOfPlace: true)

  /// Outward, in steps of any size, the correlation with where it began is `exp(-d^2 / (2 l^2))`.
  @Test(arguments: [0.001, 0.013, 0.1]) func stepsMultiplyToTheFieldsCorrelation(step: Double) {
    var places = VisitedPlaces(length: 0.8)
    var correlation = 1.0, d = 0.0
    while d < 0.39 {
      if case .new(let change) = places.visit(Vector3(d, 0, 0)) {
        correlation *= Self.field.memory(after: 0.1, metres: step, change: change)
      } else {
        Issue.record("a straight path has only new places")
      }
      d += step
    }
    d -= step
    #expect(abs(correlation - exp(-d * d / (2 * 0.64))) < 1e-9)
  }

  /// A return is known, however often; a new place after it is as far as it is from the last new one.
  @Test func aReturnIsKnown() {
    var places = VisitedPlaces(length: 0.8)
    let out = stride(from: 0.0, through: 1.2, by: 0.05).map { Vector3($0, 0, 0) }
    for place in out { _ = places.visit(place) }
    let back = out.reversed().dropFirst(8).map { places.visit($0) }
    #expect(back.allSatisfy { $0 == .known })
    let beyond = places.visit(Vector3(-0.3, 0, 0))
    guard case .new(let change) = beyond else { return #expect(Bool(false), "beyond the start is new") }
    // The last new place may be the far end or one cube before it.
    #expect(change <= 1.5 * 1.5 + 1e-9 && change > 1.3 * 1.3)
  }

  /// A trembling hand changes no place.
  @Test func tremorIsNoChange() {
    var places = VisitedPlaces(length: 0.8)
    var random = SeededRandom(seed: 5)
    var sum = 0.0
    for _ in 0..<2000 {
      if case .new(let change) = places.visit(0.003 * random.gaussian3()) { sum += change }
    }
    #expect(sum < 0.02 * 0.02)
  }

  /// Ten seconds of quiet ranges at rest leave errors of the place possible: their probability falls by less than half. Errors that
  /// change in time are refuted.
  @Test func aQuietRestRefutesNoErrorOfThePlace() throws {
    var configuration = RangingConfiguration()
    configuration.multipathPrior = 0.1
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    var random = SeededRandom(seed: 9)
    let trial = RangingTrial(.still, seconds: 10, peer: Vector3(3, -3, 1), random: &random, radio: .init(white: 0.01, coloured: 0))
    for reading in trial.readings { posterior.update(RangingPosterior.range(reading)) }
    let noises = try #require(posterior.linkKnowledge).noises
    let ofPlace = noises.filter(\.noise.isOfPlace).reduce(0) { $0 + $1.probability }
    let largeInTime = noises.filter { !$0.noise.isOfPlace && $0.noise.coloured > 0.1 }.reduce(0) { $0 + $1.probability }
    print("after a rest: errors of the place \(ofPlace), large errors in time \(largeInTime)")
    #expect(ofPlace > configuration.multipathPrior / 2)
    #expect(largeInTime < 0.01)
  }

  /// Of the prior, the classes of the place have their part, and the others keep their proportions; without, there are none.
  @Test(arguments: [0, 0.1]) func thePriorIsShared(multipath: Double) {
    var configuration = RangingConfiguration()
    configuration.multipathPrior = multipath
    let priors = configuration.noisePriors(stated: nil, antennaCount: 1).map { (isOfPlace: $0.noise.isOfPlace, prior: exp($0.logPrior)) }
    let ofPlace = priors.filter(\.isOfPlace).map(\.prior), inTime = priors.filter { !$0.isOfPlace }.map(\.prior)
    #expect(ofPlace.count == (multipath > 0 ? configuration.multipathCandidates.count : 0))
    #expect(abs(ofPlace.reduce(0, +) - multipath) < 1e-12 && abs(inTime.reduce(0, +) - (1 - multipath)) < 1e-12)
    #expect(abs(inTime[0] - 4 * inTime[1]) < 1e-12)
  }

  /// What is put back after an update is as before, with its probability; the others keep their ratios.
  @Test func restoringKeepsProbabilities() {
    var random = SeededRandom(seed: 21)
    var set = RandomGaussianSum.make(&random, antennas: [""], count: 6)
    let before = set
    let after = {
      _ = set.update(
        RangeObservation(
          range: 4, antenna: .zero, columns: set.layout.columns(of: ""), seconds: 0.1, extraVariance: 0,
          configuration: RangingConfiguration()))
      return set
    }()
    let density = set.restore([true, false], from: before)
    func shares(_ set: GaussianSum) -> [Double] {
      let best = set.logWeight.max()!
      let weights = set.logWeight.map { exp($0 - best) }
      return weights.map { $0 / weights.reduce(0, +) }
    }
    let (old, new, updated) = (shares(before), shares(set), shares(after))
    func first(_ shares: [Double]) -> Double { zip(shares, set.noise).reduce(0) { $0 + ($1.1 == 0 ? $1.0 : 0) } }
    #expect(abs(first(old) - first(new)) < 1e-12)
    let others = set.noise.indices.filter { set.noise[$0] == 1 && updated[$0] > 1e-9 }
    let ratios = others.map { new[$0] / updated[$0] }
    #expect(ratios.allSatisfy { abs($0 / ratios[0] - 1) < 1e-9 })
    for i in 0..<set.count {
      #expect(set.covariance(i) == (set.noise[i] == 0 ? before : after).covariance(i))
      #expect(set.scalars(i) == (set.noise[i] == 0 ? before : after).scalars(i))
    }
    // The range's density under the others: what their weights gained.
    let gained = log(zip(after.logWeight, set.noise).reduce(0) { $0 + ($1.1 == 1 ? exp($1.0) : 0) })
    let had = log(zip(before.logWeight, set.noise).reduce(0) { $0 + ($1.1 == 1 ? exp($1.0) : 0) })
    #expect(abs((density ?? .nan) - (gained - had)) < 1e-9)
    #expect(set.noises[0] == before.noises[0] && set.noises[1] == after.noises[1])
  }
}
