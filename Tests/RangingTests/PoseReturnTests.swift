import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import Testing

/// What the ranges at a pose that the device comes back to tell of the radio: whether its errors are bound to the pose or change in time.
@Suite struct PoseReturnTests {
  private static let peer = Vector3(4, 1, 0.4)

  /// The probability of coloured classes in time after a minute (white noise alone is neither in time nor of the pose), in which a hand goes round ten poses, more than position and bias explain, half a second each.
  ///
  /// - Parameter error: of a range, by its pose and the seconds since the one before, metres.
  private static func probabilityInTime(
    seed: UInt64, error: (Int, Double, inout SeededRandom) -> Double
  ) throws -> Double {
    var random = SeededRandom(seed: seed), poses = PoseHistory()
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
    let places = (0..<10).map {
      Vector3(1.5 * cos(0.628 * Double($0)), 1.5 * sin(0.628 * Double($0)), 0.2 * Double($0 % 3))
    }
    for k in 0..<480 {
      let (t, corner) = (0.125 * Double(k), k / 4 % 10)
      let pose = Pose(rotation: .identity, translation: places[corner])
      let range = (peer - pose.translation).norm + error(corner, 0.125, &random) + 0.05 * random.gaussian()
      var placed = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t), range: range, antenna: pose.translation,
        device: pose.translation)
      placed.pose = poses.visit(pose, by: nil)
      let outcome = posterior.update(placed)
      poses.remember(range, antenna: pose.translation, by: nil, losProbability: outcome?.losProbability ?? 1)
    }
    return try #require(posterior.linkKnowledge).noises.reduce(0) {
      $0 + ($1.noise.law == .time && $1.noise.coloured > 0.01 ? $1.probability : 0)
    }
  }

  /// The same error at every visit of a pose: of eight radios none is taken to change in time.
  @Test func anErrorThatComesBackIsThePoses() throws {
    for seed in 0..<8 as Range<UInt64> {
      var draw = SeededRandom(seed: 900 + seed)
      let field = (0..<10).map { _ in 0.08 * draw.gaussian() }
      let found = try Self.probabilityInTime(seed: seed) { corner, _, _ in field[corner] }
      #expect(found < 0.1, "\(seed): \(found)")
    }
  }

  /// Spells of NLOS at returns are the chain's to explain: they do not tell that the error changes in time.
  @Test func obstructionsAtReturnsTellNothingOfThePose() throws {
    for seed in 0..<8 as Range<UInt64> {
      var draw = SeededRandom(seed: 900 + seed)
      let field = (0..<10).map { _ in 0.08 * draw.gaussian() }
      var count = 0
      let found = try Self.probabilityInTime(seed: seed) { corner, _, _ in
        count += 1
        return field[corner] + (count > 60 && count % 50 < 8 ? 0.6 : 0)
      }
      #expect(found < 0.1, "\(seed): \(found)")
    }
  }

  /// While there is one component a candidate, the log odds of two grow with the evidence, the less the more their laws miss; where these miss all, not.
  @Test func aMisfitWeakensTheEvidence() throws {
    func logOdds(_ misfit: Double) throws -> Double {
      var configuration = RangingConfiguration()
      (configuration.posePrior, configuration.multipathPrior) = (0, 0)
      (configuration.nlosRatePseudoCount, configuration.noiseMisfit) = (1e9, misfit)
      var random = SeededRandom(seed: 4)
      var posterior = PeerFilter(configuration: configuration, antennas: [""], statedNoise: nil)
      for k in 0..<30 {
        _ = posterior.update(
          PeerFilter.Range(
            timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: 2 * Double(k)),
            range: 5 + 0.15 * random.gaussian(), antenna: .zero, device: .zero))
      }
      let noises = try #require(posterior.linkKnowledge).noises
      let probabilities = [0.04, 0.16].map { size in
        noises.first { $0.noise.coloured == size && $0.noise.correlationTime == 2 }?.probability ?? 0
      }
      return log(probabilities[1] / probabilities[0])
    }
    let (whole, half, none) = (try logOdds(0), try logOdds(0.15), try logOdds(1e6))
    #expect(abs(whole) > 0.5 && abs(none) < 1e-6)
    // The white noise of the ranges is 0.15 m, and is learnt.
    #expect(half / whole > 0.3 && half / whole < 0.7, "\(none) \(half) \(whole)")
  }

  /// The chain that the kernel runs: after a long time what the rates say, at once what was known.
  @Test func theChanceOfLineOfSightFollowsTheChain() {
    var observation = RangeObservation(
      range: 5, antenna: .zero, columns: LinkLayout(antennas: []).columns(of: nil), seconds: 0, extraVariance: 0,
      configuration: RangingConfiguration())
    #expect(observation.losProbability(after: 0.3) == 0.3)
    observation.seconds = 1000
    let (loss, recovery) = (observation.configuration.losLossRate, observation.configuration.losReturnRate)
    #expect(abs(observation.losProbability(after: 0) - recovery / (loss + recovery)) < 1e-12)
    #expect(abs(observation.losProbability(after: 1) - recovery / (loss + recovery)) < 1e-12)
  }

  /// A Gauss-Markov error of the same size that lasts for two seconds: none is taken to be bound to the pose, which has three quarters of the prior.
  @Test func anErrorThatDoesNotIsNot() throws {
    for seed in 0..<8 as Range<UInt64> {
      var state = 0.0
      let found = try Self.probabilityInTime(seed: seed) { _, seconds, random in
        let memory = exp(-seconds / 2)
        state = memory * state + 0.08 * (1 - memory * memory).squareRoot() * random.gaussian()
        return state
      }
      #expect(found > 0.9, "\(seed): \(found)")
    }
  }
}
