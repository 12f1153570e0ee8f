import Foundation
import Geometry
import Ranging
import RangingTestSupport
import SensorData
import Simulation
import TestSupport
import Testing

/// Errors that are a function of the place: what is new, what is known, and what a rest tells.
@Suite struct VisitedPlacesTests {
  private static let field = RangeNoise(
    white: 0.05, coloured: 0.2, correlationTime: .infinity, correlationLength: 0.8, law: .place)

  /// Outward, in steps of any size, a place is sampled every 1.5 l or the step after it, with the field's correlation
  /// `exp(-d^2 / (2 l^2))`.
  @Test(arguments: [0.04, 0.13, 0.5, 3]) func sampledPlacesAreApart(step: Double) {
    var places = VisitedPlaces(length: 0.8)
    var last = 0.0, samples = 0
    for d in stride(from: 0.0, to: 12, by: step) {
      guard case .new(let change) = places.visit(Vector3(d, 0, 0)) else { continue }
      #expect(d - last >= 1.2 - 1e-9 && d - last < 1.2 + step + 1e-9)
      #expect(abs(change - (d - last) * (d - last)) < 1e-9)
      let correlation = Self.field.memory(after: 0.1, metres: step, change: change)
      #expect(abs(correlation - exp(-(d - last) * (d - last) / (2 * 0.64))) < 1e-9)
      (last, samples) = (d, samples + 1)
    }
    #expect(samples >= 3)
  }

  /// A way back to and fro tells nothing, and the last sampled place is the same when it is come back to.
  @Test func aReturnTellsNothing() {
    var places = VisitedPlaces(length: 0.8)
    let out = stride(from: 0.0, through: 2.5, by: 0.05).map { Vector3($0, 0, 0) }
    let visits = out.map { places.visit($0) }
    let sampled = zip(out, visits).filter { if case .new = $0.1 { true } else { false } }.map(\.0)
    #expect(sampled.count == 2)
    let back = out.reversed().map { (place: $0, visit: places.visit($0)) }
    for (place, visit) in back {
      let isLast = (place - sampled[1]).norm < 0.03
      #expect(visit == (isLast ? .same : .between), "\(place)")
    }
  }

  /// A trembling hand is in one place.
  @Test func tremorIsTheSamePlace() {
    var places = VisitedPlaces(length: 0.8)
    var random = SeededRandom(seed: 5)
    for _ in 0..<2000 { #expect(places.visit(0.003 * random.gaussian3()) == .same) }
  }

  /// Places that are no numbers, or beyond any map, tell nothing.
  @Test func noPlaceTellsNothing() {
    var places = VisitedPlaces(length: 0.3)
    #expect(places.visit(Vector3(.nan, 0, 0)) == .between)
    #expect(places.visit(Vector3(1e300, 0, 0)) == .between)
    #expect(places.visit(.zero) == .same)
  }

  /// The posterior of errors of the place, and of large ones in time, after ten seconds at rest.
  private func afterRest(white: Double) throws -> (ofPlace: Double, largeInTime: Double) {
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
    var random = SeededRandom(seed: 9)
    let trial = RangingTrial(
      .still, seconds: 10, peer: Vector3(3, -3, 1), random: &random, radio: .init(white: white, coloured: 0))
    for reading in trial.readings { posterior.update(RangingPosterior.range(reading)) }
    let noises = try #require(posterior.linkKnowledge).noises
    return (
      noises.filter(\.noise.isOfPlace).reduce(0) { $0 + $1.probability },
      noises.filter { !$0.noise.isOfPlace && $0.noise.coloured > 0.1 }.reduce(0) { $0 + $1.probability }
    )
  }

  /// Ten seconds of quiet ranges at rest leave errors of the place possible, at more than half of their prior; large
  /// errors that change in time are refuted.
  @Test func aQuietRestRefutesNoErrorOfThePlace() throws {
    let (ofPlace, largeInTime) = try afterRest(white: 0.01)
    print("after a quiet rest: errors of the place \(ofPlace), large errors in time \(largeInTime)")
    #expect(ofPlace > RangingConfiguration().multipathPrior / 2)
    #expect(largeInTime < 0.01)
  }

  /// Of a radio that scatters by a decimetre, which is what radios err in all, there are none.
  @Test func aNoisyRadioHasNone() throws {
    #expect(try afterRest(white: 0.1).ofPlace < 0.002)
  }

  /// Of the prior, the classes of the place have their part, less the quietness that the assumed noise of 0.1 m lacks;
  /// the others keep their proportions; without, there are none.
  @Test(arguments: [0, 0.3]) func thePriorIsShared(multipath: Double) {
    var configuration = RangingConfiguration()
    configuration.multipathPrior = multipath
    let priors = configuration.noisePriors(stated: nil, antennaCount: 1).map {
      (isOfPlace: $0.noise.isOfPlace, prior: exp($0.logPrior))
    }
    let ofPlace = priors.filter(\.isOfPlace).map(\.prior), inTime = priors.filter { !$0.isOfPlace }.map(\.prior)
    #expect(ofPlace.count == (multipath > 0 ? configuration.multipathCandidates.count : 0))
    #expect(abs(ofPlace.reduce(0, +) - multipath / (1 + pow(0.1 / 0.03, 8))) < 1e-12)
    #expect(abs(inTime.reduce(0, +) - (1 - multipath)) < 1e-12)
    #expect(abs(inTime[0] - 4 * inTime[1]) < 1e-12)
  }

  /// A rest beside a quiet radio, then an arc of a hand under an error of the place that is a gradient: the ranges are
  /// nearly those of a peer elsewhere. With errors of the place its direction stays open, and no range tells another
  /// model; without them it is certain and wrong.
  @Test(arguments: [true, false]) func anArmsReachDoesNotTellAFieldFromAPeer(considersPlaces: Bool) throws {
    var configuration = RangingConfiguration()
    configuration.posePrior = 0
    if !considersPlaces { configuration.multipathPrior = 0 }
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    var random = SeededRandom(seed: 3)
    let peer = Vector3(4, 0, 0)
    var last: PeerFilter.Outcome?
    for k in 0..<100 {
      let t = 0.1 * Double(k), angle = t < 5 ? 0 : 0.7 * sin(2 * (t - 5))
      let place = Vector3(0.5 * cos(angle) - 0.5, 0.5 * sin(angle), 0.1 * sin(angle))
      // 0.4 m a metre sideways: 24 degrees of a distance's gradient.
      let range = (peer - place).norm + 0.4 * place.y + 0.01 * random.gaussian()
      last =
        posterior.update(
          PeerFilter.Range(
            timestamp: Timestamp(nanoseconds: Int64(t * 1e9)), range: range, antenna: place, device: place))
    }
    let off = posterior.gaussians.reduce(0.0) { sum, g in
      sum + (g.position.y > -4 * tan(10 * Double.pi / 180) ? g.weight : 0)
    }
    let isTelling = try #require(last).isTelling
    print("an arm's reach, errors of the place \(considersPlaces): to the side of the peer \(off)")
    #expect(considersPlaces ? off > 0.02 && !isTelling : off < 0.01 && isTelling)
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
