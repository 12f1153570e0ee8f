import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct MotionAlternativesTests {
  /// A hand that swings before a peer, which goes off at `speed`, m/s, for `duration` seconds, or across the line of sight; what is believed of it
  /// and its rival.
  private struct Trial {
    var random: SeededRandom
    let speed, duration: Double
    let across: Bool
    /// Seconds into its swing at which the hand begins.
    let phase: Double
    var belief: PeerFilter
    var rival: MotionAlternatives
    /// 1-sigma of the radio's lasting error from the third second on, metres, and the error now; `listens`: whether a withLargerNoise radio is thought of.
    let loud: Double
    var error = 0.0

    init(seed: UInt64, speed: Double, duration: Double = .infinity, across: Bool = false, phase: Double = 0, loud: Double = 0, listens: Bool = true) {
      self.loud = loud
      self.phase = phase
      self.across = across
      random = SeededRandom(seed: seed)
      (self.speed, self.duration) = (speed, duration)
      let configuration = FinderConfiguration()
      let layout = LinkLayout(antennas: [])
      var covariance = [Double](repeating: 0, count: layout.dimension * layout.dimension)
      func set(_ k: Int, _ sigma: Double) { covariance[k * (layout.dimension + 1)] = sigma * sigma }
      for k in 0..<3 { set(k, 0.15) }
      set(layout.bias, 0.1)
      set(layout.scale, 0.01)
      set(layout.coloured.lowerBound, 0.06)
      var mean = [Double](repeating: 0, count: layout.dimension)
      (mean[0], mean[1]) = (5, 1)
      rival = MotionAlternatives(
        limit: configuration.movingLogOdds, restLimit: configuration.stoppedLogOdds,
        noiseIncreaseLogOdds: listens ? configuration.noiseIncreaseLogOdds : .infinity)
      let device = Vector3(0, 0.5 * sin(2 * phase), 0.3 * sin(1.3 * phase))
      let first = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0), range: (Vector3(5, 1, 0) - device).norm, antenna: device, device: device)
      belief = PeerFilter(
        [.init(share: 1, mean: mean, covariance: covariance, free: 0.9)], last: first,
        noise: RangeNoise(white: 0.05, coloured: 0.06, correlationTime: 2, correlationLength: 20),
        sight: NLOSRateEstimator(configuration.ranging), configuration: configuration.ranging, layout: layout)
      rival.renew(from: belief)
    }

    private func device(_ seconds: Double) -> Vector3 {
      Vector3(0, 0.5 * sin(2 * (seconds + phase)), 0.3 * sin(1.3 * (seconds + phase)))
    }

    func peer(_ seconds: Double) -> Vector3 {
      let way = speed * min(seconds, duration)
      return across ? Vector3(5, 1 + way, 0) : Vector3(5 + way, 1, 0)
    }

    /// The range number `k`, one every tenth of a second; true when the rival takes over.
    mutating func take(_ k: Int) -> Bool {
      let seconds = 0.1 * Double(k)
      let device = self.device(seconds)
      if seconds > 3 { error = 0.9 * error + (1 - 0.9 * 0.9).squareRoot() * loud * random.gaussian() }
      let range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        range: (peer(seconds) - device).norm + error + 0.05 * random.gaussian(), antenna: device, device: device)
      let logPredictiveDensity = belief.update(range)?.logDensity
      switch rival.weigh(range, logPredictiveDensity: logPredictiveDensity, lost: AccumulatedDrift(), seconds: 0.1) {
      case .rival: return true
      case .largerNoise:
        belief = belief.withLargerNoise ?? belief
        rival.dismiss()
      case .belief: break
      }
      rival.renew(from: belief)
      return false
    }
  }

  /// The moments at which a walk is as likely as not and at which the rival takes over, seconds; the peer goes off at `speed`, m/s.
  private static func moments(seed: UInt64, speed: Double) -> (doubted: Double?, taken: Double?, highest: Double) {
    var trial = Trial(seed: seed, speed: speed)
    var (doubted, highest): (Double?, Double) = (nil, 0)
    for k in 1...50 {
      let taken = trial.take(k)
      highest = max(highest, trial.rival.probability)
      if trial.rival.probability > 0.5, doubted == nil { doubted = 0.1 * Double(k) }
      if taken { return (doubted, 0.1 * Double(k), highest) }
    }
    return (doubted, nil, highest)
  }

  /// Who goes a step and stands again is not forgotten: what tells of it comes in while nobody isMoving any more.
  @Test func aWalkOfAStepIsNoticedAfterwards() {
    var (noticed, far) = (0, 0.0)
    for seed in 1...24 {
      var trial = Trial(seed: UInt64(seed), speed: 0.8, duration: 0.8)
      let taken = (1...100).contains { trial.take($0) }
      guard taken || trial.rival.probability > 0.5, let found = trial.rival.posterior?.merged else { continue }
      noticed += 1
      far = max(far, (Vector3(found.mean[0], found.mean[1], found.mean[2]) - trial.peer(100)).norm)
    }
    print("a walk of a step: noticed by \(noticed) of 24, \(far) m off at most")
    #expect(noticed >= 20 && far < 1)
  }

  /// A walk across the line of sight changes the ranges only after a while: it is doubted within three seconds, wherever the hand is in its swing.
  @Test func aWalkAcrossIsNoticed() {
    for phase in [0, 0.4, 0.8, 1.2] {
      let moments = (1...60 as ClosedRange<UInt64>).map { seed in
        var trial = Trial(seed: seed, speed: 0.8, across: true, phase: phase)
        return (1...80).first { trial.take($0) || trial.rival.probability > 0.5 }.map { 0.1 * Double($0) } ?? .infinity
      }.sorted()
      print("a walk across, \(phase) s into the swing: noticed by half after \(moments[30]) s, by nine in ten after \(moments[54]) s")
      #expect(moments[30] <= 2 && moments[54] <= 3)
    }
  }

  /// Who goes off is doubted first and followed then, within two seconds.
  @Test func aWalkIsDoubtedBeforeItIsBelieved() throws {
    for seed in 1...20 {
      let (doubted, taken, _) = Self.moments(seed: UInt64(seed), speed: 1)
      let (first, second) = (try #require(doubted), try #require(taken))
      #expect(first <= second && second <= 2, "doubted after \(first) s, followed after \(second) s")
    }
  }

  /// A radio that begins to err by four times as much passes for a peer that isMoving less than half as often where that is thought of.
  @Test func aLouderRadioIsNoWalk() {
    func isMoving(listens: Bool) -> Int {
      (1...40 as ClosedRange<UInt64>).count { seed in
        var trial = Trial(seed: seed, speed: 0, loud: 0.24, listens: listens)
        return (1...200).contains { trial.take($0) }
      }
    }
    let (with, without) = (isMoving(listens: true), isMoving(listens: false))
    print("a radio four times as loud: a walk to \(with) of 40, to \(without) without thinking of it")
    #expect(2 * with < without && without >= 20)
  }

  /// A withLargerNoise radio is the same belief; what it will err by is twice as much.
  @Test func aLouderRadioIsTheSameBelief() throws {
    let belief = Trial(seed: 1, speed: 0).belief
    let withLargerNoise = try #require(belief.withLargerNoise)
    let (a, b) = (try #require(belief.merged), try #require(withLargerNoise.merged))
    #expect(a.mean == b.mean && a.covariance == b.covariance)
    let (noise, twice) = (try #require(belief.noise), try #require(withLargerNoise.noise))
    #expect(abs(twice.coloured - 2 * noise.coloured) < 1e-12 && twice.white == noise.white)
    var loudest = withLargerNoise
    for _ in 0..<10 { loudest = loudest.withLargerNoise ?? loudest }
    #expect(loudest.noise!.coloured <= 0.4 && loudest.withLargerNoise == nil, "there is an end")
  }

  /// Who stands is hardly doubted and never followed.
  @Test func whoStandsIsLeftAlone() {
    for seed in 1...40 {
      let (_, taken, highest) = Self.moments(seed: UInt64(seed), speed: 0)
      #expect(taken == nil && highest < 0.1)
    }
  }

  /// A fresh belief with some ranges to a peer that goes off along the line of sight at `speed`, m/s, from a device that rests, and its rival.
  private static func open(speed: Double, share: Double, ranges: Int) -> (belief: PeerFilter, rival: MotionAlternatives) {
    let configuration = FinderConfiguration()
    var random = SeededRandom(seed: 7)
    var belief = PeerFilter(configuration: configuration.ranging, antennas: [], statedNoise: nil)
    var rival = MotionAlternatives(
      limit: configuration.movingLogOdds, restLimit: configuration.stoppedLogOdds, noiseIncreaseLogOdds: configuration.noiseIncreaseLogOdds,
      share: share)
    for k in 0..<ranges {
      let range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        range: 5 + 0.1 * speed * Double(k) + 0.05 * random.gaussian(), antenna: .zero, device: .zero)
      let logPredictiveDensity = belief.update(range)?.logDensity
      _ = rival.weigh(range, logPredictiveDensity: logPredictiveDensity, lost: AccumulatedDrift(), seconds: 0.1)
      rival.renew(from: belief.hasBegun ? belief : nil, isDirectionKnown: false)
    }
    return (belief, rival)
  }

  /// Beside a belief without a direction a walk is as likely beforehand as it is said to be, and remains open until the ranges have settled it.
  @Test func aWalkDuringTheSearchIsWeighed() {
    let first = Self.open(speed: 0, share: 0.02, ranges: 3).rival
    #expect(first.isOpen && abs(first.probability - 0.02) < 1e-9)
    let still = Self.open(speed: 0, share: 0.02, ranges: 20).rival
    let moving = Self.open(speed: 1, share: 0.02, ranges: 20).rival
    #expect(still.probability < 0.005 && moving.probability > 0.9)
    #expect(!Self.open(speed: 0, share: 0, ranges: 3).rival.isOpen)
  }

  /// A walk that has been given up for a peer that stands is still as likely as not, and open.
  @Test func aWalkThatEndsIsNotForgotten() {
    var (belief, rival) = Self.open(speed: 0, share: 0.02, ranges: 20)
    rival.dismiss()
    #expect(!rival.isOpen && rival.probability == 0)
    belief = belief.moving
    rival.seedFrom(with: belief)
    #expect(rival.isOpen && abs(rival.probability - 0.5) < 1e-9)
  }
}
