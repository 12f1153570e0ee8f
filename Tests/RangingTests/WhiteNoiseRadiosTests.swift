import Foundation
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Radios with almost no coloured noise, which a search of ten seconds cannot distinguish from those with a little.
@Suite struct WhiteNoiseRadiosTests {
  @Test(arguments: [1, 2, 4]) func whiteNoisePriorIsFourTimesThatOfOthers(antennas: Int) {
    var configuration = RangingConfiguration()
    configuration.multipathPrior = 0
    configuration.posePrior = 0
    let noises = configuration.noisePriors(stated: nil, antennaCount: antennas)
    let priors = noises.map { exp($0.logPrior) }
    #expect(abs(priors.reduce(0, +) - 1) < 1e-12 && abs(priors[0] - 4 * priors[1]) < 1e-12)
    #expect(Set(priors.dropFirst().map { ($0 * 1e9).rounded() }).count == 1, "the others alike")
    // Differences between antennas pass for a direction: with several, none is without coloured noise.
    #expect(noises[0].noise.coloured == (antennas == 1 ? 0.005 : 0.02))
    #expect(noises.dropFirst().map(\.noise.coloured) == [0.04, 0.08, 0.16, 0.16])
  }

  /// Priors of 0 and 1 keep all numbers finite.
  @Test(arguments: [0.0, 1]) func priorsMayBeCertain(white: Double) {
    var configuration = RangingConfiguration()
    configuration.whiteNoisePrior = white
    configuration.multipathPrior = 0
    configuration.posePrior = 0
    let priors = configuration.noisePriors(stated: nil, antennaCount: 1).map { exp($0.logPrior) }
    #expect(abs(priors[0] - white) < 1e-9 && abs(priors.dropFirst().reduce(0, +) - (1 - white)) < 1e-9)
    #expect(priors.allSatisfy { $0 > 0 })
  }

  /// A small-noise radio with increased noise has a lower bound.
  @Test(arguments: [(0.005, 0.04), (0.02, 0.04), (0.03, 0.06), (0.16, 0.32)])
  func largerNoiseHasALowerBound(coloured: Double, withLargerNoise: Double) throws {
    let noise = RangeNoise(white: 0.1, degrees: 30, coloured: coloured, correlationTime: 2, correlationLength: 20)
    let found = try #require(noise.withLargerNoise)
    #expect(abs(found.coloured - withLargerNoise) < 1e-12)
    #expect(found.white == noise.white && found.degrees == noise.degrees && found.correlationTime == 2)
  }

  /// The velocity model is approximate: the radio of a moving peer has coloured noise, and keeps it when the peer
  /// stops.
  @Test func movingPeersHaveColouredNoise() throws {
    let configuration = RangingConfiguration()
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    var random = SeededRandom(seed: 76)
    let trial = RangingTrial(.arc, seconds: 10, random: &random, radio: .init(white: 0.02, coloured: 0))
    for reading in trial.readings { posterior.update(RangingPosterior.range(reading)) }
    let searching = try #require(posterior.noise)
    #expect(searching.coloured < configuration.foundPeerNoise)
    for other in [posterior.moving, posterior.underWay, posterior.moving.stationary] {
      let noise = try #require(other.noise)
      #expect(noise.coloured >= configuration.foundPeerNoise - 1e-12)
    }
    // The same for a peer that moves from its first range on, even if the only candidate is white noise.
    var whiteOnly = configuration
    whiteOnly.noiseCandidates = [[0.005, 2]]
    var moving = PeerFilter(configuration: whiteOnly, antennas: [""], statedNoise: nil).moving
    for reading in trial.readings { moving.update(RangingPosterior.range(reading)) }
    #expect(try #require(moving.noise).coloured >= configuration.foundPeerNoise - 1e-12)
  }
}
