import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct ModelBankTests {
  /// A hand that swings before a peer, which moves away at `speed`, m/s, for `duration` seconds, or across the line of
  /// sight; the incumbent and its alternatives.
  private struct Trial {
    var random: SeededRandom
    let speed, duration: Double
    let across: Bool
    /// Seconds into its swing at which the hand starts.
    let phase: Double
    var incumbent: PeerFilter
    var bank: ModelBank
    /// 1-sigma of the radio's lasting error from the third second on, metres, and the error now;
    /// `considersNoiseIncrease`: whether the larger noise is an alternative.
    let lasting: Double
    var error = 0.0

    init(
      seed: UInt64, speed: Double, duration: Double = .infinity, across: Bool = false, phase: Double = 0,
      lasting: Double = 0, considersNoiseIncrease: Bool = true
    ) {
      self.lasting = lasting
      self.phase = phase
      self.across = across
      random = SeededRandom(seed: seed)
      (self.speed, self.duration) = (speed, duration)
      var configuration = FinderConfiguration()
      if !considersNoiseIncrease { configuration.noiseIncreaseLogOdds = .infinity }
      let layout = LinkLayout(antennas: [])
      var covariance = [Double](repeating: 0, count: layout.dimension * layout.dimension)
      func set(_ k: Int, _ sigma: Double) { covariance[k * (layout.dimension + 1)] = sigma * sigma }
      for k in 0..<3 { set(k, 0.15) }
      set(layout.bias, 0.1)
      set(layout.scale, 0.01)
      set(layout.coloured.lowerBound, 0.06)
      var mean = [Double](repeating: 0, count: layout.dimension)
      (mean[0], mean[1]) = (5, 1)
      bank = ModelBank(configuration)
      let device = Vector3(0, 0.5 * sin(2 * phase), 0.3 * sin(1.3 * phase))
      let first = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0), range: (Vector3(5, 1, 0) - device).norm, antenna: device, device: device)
      incumbent = PeerFilter(
        [.init(probability: 1, mean: mean, covariance: covariance, losProbability: 0.9)], last: first,
        noise: RangeNoise(white: 0.05, coloured: 0.06, correlationTime: 2, correlationLength: 20),
        nlosRate: NLOSRateEstimator(configuration.ranging), configuration: configuration.ranging, layout: layout)
      bank.respawn(from: incumbent)
    }

    private func device(_ seconds: Double) -> Vector3 {
      Vector3(0, 0.5 * sin(2 * (seconds + phase)), 0.3 * sin(1.3 * (seconds + phase)))
    }

    func peer(_ seconds: Double) -> Vector3 {
      let displacement = speed * min(seconds, duration)
      return across ? Vector3(5, 1 + displacement, 0) : Vector3(5 + displacement, 1, 0)
    }

    /// Processes range number `k`, one every tenth of a second; true when the alternative is promoted.
    mutating func process(_ k: Int) -> Bool {
      let seconds = 0.1 * Double(k)
      let device = self.device(seconds)
      if seconds > 3 { error = 0.9 * error + (1 - 0.9 * 0.9).squareRoot() * lasting * random.gaussian() }
      let range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        range: (peer(seconds) - device).norm + error + 0.05 * random.gaussian(), antenna: device, device: device)
      let logPredictiveDensity = incumbent.update(range)?.logDensity
      switch bank.update(range, logPredictiveDensity: logPredictiveDensity, lost: AccumulatedDrift(), seconds: 0.1) {
      case .promote: return true
      case .enlargeNoise:
        incumbent = incumbent.withLargerNoise ?? incumbent
        bank.forgetMotions()
      case .restart, .keep: break
      }
      bank.respawn(from: incumbent)
      return false
    }
  }

  /// The times at which motion is as likely as not and at which the alternative is promoted, seconds; the peer moves
  /// away at `speed`, m/s.
  private static func moments(seed: UInt64, speed: Double) -> (detected: Double?, promoted: Double?, highest: Double) {
    var trial = Trial(seed: seed, speed: speed)
    var (detected, highest): (Double?, Double) = (nil, 0)
    for k in 1...50 {
      let promoted = trial.process(k)
      highest = max(highest, trial.bank.motionProbability)
      if trial.bank.motionProbability > 0.5, detected == nil { detected = 0.1 * Double(k) }
      if promoted { return (detected, 0.1 * Double(k), highest) }
    }
    return (detected, nil, highest)
  }

  /// A step of motion is not forgotten: its evidence comes in while the peer is stationary again.
  @Test func aShortMotionIsDetectedAfterwards() {
    var (detected, far) = (0, 0.0)
    for seed in 1...24 {
      var trial = Trial(seed: UInt64(seed), speed: 0.8, duration: 0.8)
      let promoted = (1...100).contains { trial.process($0) }
      guard promoted || trial.bank.motionProbability > 0.5, let found = trial.bank.motionPosterior?.merged else {
        continue
      }
      detected += 1
      far = max(far, (Vector3(found.mean[0], found.mean[1], found.mean[2]) - trial.peer(100)).norm)
    }
    print("a short motion: detected by \(detected) of 24, \(far) m off at most")
    expectFrequency(detected, of: 24, atLeast: 0.97, "detected")
    // Beyond a metre it is the motion that is wrong, not its end.
    #expect(far < 1)
  }

  /// Motion across the line of sight changes the ranges only after a while: it is detected within three seconds, at any
  /// phase of the hand's swing.
  @Test func tangentialMotionIsDetected() {
    for phase in [0, 0.4, 0.8, 1.2] {
      let moments = (1...60 as ClosedRange<UInt64>).map { seed in
        var trial = Trial(seed: seed, speed: 0.8, across: true, phase: phase)
        return (1...80).first { trial.process($0) || trial.bank.motionProbability > 0.5 }.map { 0.1 * Double($0) }
          ?? .infinity
      }.sorted()
      print(
        "tangential motion, \(phase) s into the swing: half after \(moments[30]) s, 90 % after \(moments[54]) s"
      )
      #expect(moments[30] <= 2 && moments[54] <= 3)
    }
  }

  /// A peer that moves away is first detected and then followed, within two seconds.
  @Test func motionIsDetectedBeforeItIsPromoted() throws {
    for seed in 1...20 {
      let (detected, promoted, _) = Self.moments(seed: UInt64(seed), speed: 1)
      let (first, second) = (try #require(detected), try #require(promoted))
      #expect(first <= second && second <= 2, "detected after \(first) s, followed after \(second) s")
    }
  }

  /// A radio whose errors grow to four times passes for a moving peer less than half as often where larger noise is an
  /// alternative.
  @Test func largerNoiseIsNotTakenForMotion() {
    func isMoving(considersNoiseIncrease: Bool) -> Int {
      (1...40 as ClosedRange<UInt64>).count { seed in
        var trial = Trial(seed: seed, speed: 0, lasting: 0.24, considersNoiseIncrease: considersNoiseIncrease)
        return (1...200).contains { trial.process($0) }
      }
    }
    let (with, without) = (isMoving(considersNoiseIncrease: true), isMoving(considersNoiseIncrease: false))
    print("four times the noise: taken for motion by \(with) of 40, by \(without) without the alternative")
    #expect(2 * with < without && without >= 20)
  }

  /// Larger noise keeps the posterior; the predicted errors double.
  @Test func largerNoiseKeepsThePosterior() throws {
    let incumbent = Trial(seed: 1, speed: 0).incumbent
    let noisier = try #require(incumbent.withLargerNoise)
    let (a, b) = (try #require(incumbent.merged), try #require(noisier.merged))
    #expect(a.mean == b.mean && a.covariance == b.covariance)
    let (noise, twice) = (try #require(incumbent.noise), try #require(noisier.noise))
    #expect(abs(twice.coloured - 2 * noise.coloured) < 1e-12 && twice.white == noise.white)
    var largest = noisier
    for _ in 0..<10 { largest = largest.withLargerNoise ?? largest }
    #expect(largest.noise!.coloured <= 0.4 && largest.withLargerNoise == nil, "there is an end")
  }

  /// A stationary peer hardly raises the probability of motion and is never followed.
  @Test func aStationaryPeerCausesNoAlarm() {
    for seed in 1...40 {
      let (_, promoted, highest) = Self.moments(seed: UInt64(seed), speed: 0)
      #expect(promoted == nil && highest < 0.1)
    }
  }

  /// A new incumbent with some ranges to a peer that moves away along the line of sight at `speed`, m/s, from a
  /// stationary device, and its alternatives.
  private static func open(speed: Double, movingPrior: Double, ranges: Int) -> (
    incumbent: PeerFilter, bank: ModelBank
  ) {
    var configuration = FinderConfiguration()
    configuration.movingPrior = movingPrior
    var random = SeededRandom(seed: 7)
    var incumbent = PeerFilter(configuration: configuration.ranging, antennas: [], statedNoise: nil)
    var bank = ModelBank(configuration)
    for k in 0..<ranges {
      let range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        range: 5 + 0.1 * speed * Double(k) + 0.05 * random.gaussian(), antenna: .zero, device: .zero)
      let logPredictiveDensity = incumbent.update(range)?.logDensity
      _ = bank.update(range, logPredictiveDensity: logPredictiveDensity, lost: AccumulatedDrift(), seconds: 0.1)
      bank.respawn(from: incumbent.hasBegun ? incumbent : nil, isDirectionKnown: false)
    }
    return (incumbent, bank)
  }

  /// Beside an incumbent without a direction, motion has its prior probability and remains open until the ranges
  /// decide.
  @Test func motionDuringTheSearchIsAnAlternative() {
    let first = Self.open(speed: 0, movingPrior: 0.02, ranges: 3).bank
    #expect(first.isMotionOpen && abs(first.motionProbability - 0.02) < 1e-9)
    let still = Self.open(speed: 0, movingPrior: 0.02, ranges: 20).bank
    let moving = Self.open(speed: 1, movingPrior: 0.02, ranges: 20).bank
    #expect(still.motionProbability < 0.005 && moving.motionProbability > 0.9)
    #expect(!Self.open(speed: 0, movingPrior: 0, ranges: 3).bank.isMotionOpen)
  }

  /// A motion that was replaced by a stationary peer is still as likely as not, and open.
  @Test func anEndedMotionStaysAnAlternative() {
    var (incumbent, bank) = Self.open(speed: 0, movingPrior: 0.02, ranges: 20)
    bank.forgetMotions()
    #expect(!bank.isMotionOpen && bank.motionProbability == 0)
    incumbent = incumbent.moving
    bank.seed(with: incumbent)
    #expect(bank.isMotionOpen && abs(bank.motionProbability - 0.5) < 1e-9)
  }
}
