import Foundation
import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

/// Radios with almost no coloured noise, which a search of ten seconds cannot distinguish from those with a little.
@Suite struct WhiteNoiseRadiosTests {
  @Test(arguments: [1, 2, 4]) func whiteNoisePriorIsFourTimesThatOfOthers(antennas: Int) {
    let configuration = RangingConfiguration()
    let noises = configuration.noisePriors(stated: nil, antennaCount: antennas)
    let priors = noises.map { exp($0.logPrior) }
    #expect(abs(priors.reduce(0, +) - 1) < 1e-12 && abs(priors[0] - 4 * priors[1]) < 1e-12)
    #expect(Set(priors.dropFirst().map { ($0 * 1e9).rounded() }).count == 1, "the others alike")
    // Differences between antennas pass for a direction: with several, none is without coloured noise.
    #expect(noises[0].noise.coloured == (antennas == 1 ? 0.005 : 0.02))
    #expect(noises.dropFirst().map(\.noise.coloured) == [0.04, 0.08, 0.16, 0.16, 0.16])
  }

  /// Priors of 0 and 1 keep all numbers finite.
  @Test(arguments: [0.0, 1]) func priorsMayBeCertain(white: Double) {
    var configuration = RangingConfiguration()
    configuration.whiteNoisePrior = white
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
    for reading in trial.readings { posterior.update(ExactPosteriorTests.range(reading)) }
    let searching = try #require(posterior.noise)
    #expect(searching.coloured < configuration.foundPeerNoise)
    for other in [posterior.moving, posterior.movingCoarse, posterior.moving.stationary] {
      let noise = try #require(other.noise)
      #expect(noise.coloured >= configuration.foundPeerNoise - 1e-12)
    }
    // The same for a peer that moves from its first range on, even if the only candidate is white noise.
    var whiteOnly = configuration
    whiteOnly.noiseCandidates = [[0.005, 2]]
    var moving = PeerFilter(configuration: whiteOnly, antennas: [""], statedNoise: nil).moving
    for reading in trial.readings { moving.update(ExactPosteriorTests.range(reading)) }
    #expect(try #require(moving.noise).coloured >= configuration.foundPeerNoise - 1e-12)
  }

  /// An unknown white radio widens the interval less than under equal priors.
  @Test func whiteRadiosLoseLittle() {
    var alike = RangingConfiguration()
    alike.noiseCandidates[0].x = 0.02
    alike.whiteNoisePrior = 0.25
    var known = RangingConfiguration()
    known.noiseCandidates = [[0.001, 2]]
    known.statedNoisePseudoCount = .infinity
    var random = SeededRandom(seed: 74)
    var ratios: [[Double]] = [[], []], held = 0
    for _ in 0..<80 {
      let radio = RangingTrial.Radio(white: 0.1, coloured: 0)
      let trial = RangingTrial(.arcAndVertical, seconds: 8, random: &random, radio: radio)
      var posteriors = [known, alike, RangingConfiguration()].map {
        PeerFilter(configuration: $0, antennas: [""], statedNoise: 0.1)
      }
      for reading in trial.readings { for i in 0..<3 { posteriors[i].update(ExactPosteriorTests.range(reading)) } }
      let device = trial.readings[trial.readings.count - 1].device
      let estimates = posteriors.map { RadiosTests.azimuth($0, from: device) }
      guard estimates[0].sigma < Angle.degrees(10) else { continue }
      for k in 0..<2 { ratios[k].append(estimates[k + 1].sigma / estimates[0].sigma) }
      let d = trial.peer - device
      held += abs(Angle.wrapped(estimates[2].mean - atan2(d.y, d.x))) <= 1.645 * estimates[2].sigma ? 1 : 0
    }
    let medians = ratios.map(ExactPosteriorTests.median)
    print(
      "\(ratios[0].count) white radios: 1-sigma over that of known ones, alike \(medians[0]), now \(medians[1]), held \(held)"
    )
    #expect(ratios[0].count >= 40)
    #expect(medians[1] < 1.15 && medians[1] < medians[0])
    #expect(Double(held) >= 0.82 * Double(ratios[0].count))
  }
}
