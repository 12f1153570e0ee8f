import Foundation
import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

/// Radios with next to no lasting error, which no search of ten seconds can tell from those with a little.
@Suite struct QuietRadiosTests {
  @Test(arguments: [1, 2, 4]) func fourTimesAsManyAreQuiet(antennas: Int) {
    let configuration = RangingConfiguration()
    let noises = configuration.weighedNoises(stated: nil, antennaCount: antennas)
    let shares = noises.map { exp($0.logPrior) }
    #expect(abs(shares.reduce(0, +) - 1) < 1e-12 && abs(shares[0] - 4 * shares[1]) < 1e-12)
    #expect(Set(shares.dropFirst().map { ($0 * 1e9).rounded() }).count == 1, "the others alike")
    // What two antennas differ by is taken for a direction: none of them is quiet.
    #expect(noises[0].noise.coloured == (antennas == 1 ? 0.005 : 0.02))
    #expect(noises.dropFirst().map(\.noise.coloured) == [0.04, 0.08, 0.16, 0.16, 0.16])
  }

  /// A share of 0 or 1 leaves numbers, and one side of the odds.
  @Test(arguments: [0.0, 1]) func sharesMayBeCertain(quiet: Double) {
    var configuration = RangingConfiguration()
    configuration.whiteNoisePrior = quiet
    let shares = configuration.weighedNoises(stated: nil, antennaCount: 1).map { exp($0.logPrior) }
    #expect(abs(shares[0] - quiet) < 1e-9 && abs(shares.dropFirst().reduce(0, +) - (1 - quiet)) < 1e-9)
    #expect(shares.allSatisfy { $0 > 0 })
  }

  /// A quiet radio that has begun to err errs by something.
  @Test(arguments: [(0.005, 0.04), (0.02, 0.04), (0.03, 0.06), (0.16, 0.32)])
  func louderIsLoud(coloured: Double, withLargerNoise: Double) throws {
    let noise = RangeNoise(white: 0.1, degrees: 30, coloured: coloured, correlationTime: 2, correlationLength: 20)
    let found = try #require(noise.withLargerNoise)
    #expect(abs(found.coloured - withLargerNoise) < 1e-12)
    #expect(found.white == noise.white && found.degrees == noise.degrees && found.correlationTime == 2)
  }

  /// How somebody isMoving is not quite what is assumed of it: a peer that does has a radio that errs by something, and keeps it when it stands.
  @Test func whoWalksIsNotQuiet() throws {
    let configuration = RangingConfiguration()
    var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
    var random = SeededRandom(seed: 76)
    let trial = RangingTrial(.arc, seconds: 10, random: &random, radio: .init(white: 0.02, coloured: 0))
    for reading in trial.readings { posterior.update(ExactPosteriorTests.range(reading)) }
    let quiet = try #require(posterior.noise)
    #expect(quiet.coloured < configuration.foundPeerNoise)
    for other in [posterior.moving, posterior.movingCoarse, posterior.moving.stationary] {
      let noise = try #require(other.noise)
      #expect(noise.coloured >= configuration.foundPeerNoise - 1e-12)
    }
    // Nor is it one that isMoving from its first range on, even where no noise but the quiet one is thought of.
    var quietOnly = configuration
    quietOnly.noiseCandidates = [[0.005, 2]]
    var carried = PeerFilter(configuration: quietOnly, antennas: [""], statedNoise: nil).moving
    for reading in trial.readings { carried.update(ExactPosteriorTests.range(reading)) }
    #expect(try #require(carried.noise).coloured >= configuration.foundPeerNoise - 1e-12)
  }

  /// Not knowing that a radio is white costs less of an interval than it did when it was taken for as unlikely as any other.
  @Test func whiteRadiosPayLittle() {
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
      let seen = posteriors.map { RadiosTests.azimuth($0, from: device) }
      guard seen[0].sigma < Angle.degrees(10) else { continue }
      for k in 0..<2 { ratios[k].append(seen[k + 1].sigma / seen[0].sigma) }
      let d = trial.peer - device
      held += abs(Angle.wrapped(seen[2].mean - atan2(d.y, d.x))) <= 1.645 * seen[2].sigma ? 1 : 0
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
