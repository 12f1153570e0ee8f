import Foundation
import Geometry
import SensorData

/// Prior and model of a link before its first range. One setting serves every radio: what differs between radios (the
/// noise) is estimated per link.
public struct RangingConfiguration: Equatable, Sendable {
  /// Number of directions in the lattice of a new posterior; they are split where the range is curved. Fewer, down to
  /// 100, where `hypothesisLimit` has no room for all under every remaining noise candidate.
  public var directions = 150
  /// Prior 1-sigma of a peer's height above the device within a storey, metres (`HeightPrior`, docs/experiments/height-prior.md).
  public var heightSigma = HeightPrior.indoors.sigma
  /// Height of a storey, metres.
  public var storeyHeight = HeightPrior.indoors.storey
  /// Prior probability that a peer is one or two storeys off, 0...1; 0 in the open.
  public var otherStoreyProbability = HeightPrior.indoors.otherStoreys
  /// Prior probability that a peer is at any height, 0...1; 1 for drones: all directions alike.
  public var anyHeightProbability = HeightPrior.indoors.anywhere
  /// Prior 1-sigma of the constant range bias of a link where the recording states none, metres (docs/experiments/link-priors.md).
  public var biasPrior = 0.15
  /// Prior 1-sigma of the scale error of a link, a ratio: that of the radio, and of an external trajectory.
  public var scalePrior = 0.01
  /// Prior 1-sigma of the constant bias of one antenna beyond that, metres; used with several antennas.
  public var antennaBiasPrior = 0.05
  /// Correlation of the coloured errors of two antennas of the device: the surroundings of the peer distort both. Two
  /// real devices had 0.30 and 0.54 (docs/experiments/antennas.md).
  public var antennaCorrelation = 0.45
  /// Distance over which the coloured range error decorrelates, metres.
  public var correlationLength = 20.0
  /// Candidates for the coloured error: its 1-sigma in metres, and its correlation time, seconds. The link's ranges
  /// decide between them, and the white noise is estimated under each. One is for radios with almost none, then each is
  /// twice the previous one, and one is for large errors of short correlation time. Why no closer ones, and no small ones of short correlation
  /// time: docs/experiments/noise-steps.md and short-correlation.md.
  public var noiseCandidates: [SIMD2<Double>] = [
    [0.005, 2], [0.04, 2], [0.08, 2], [0.16, 2], [0.16, 0.5],
  ]
  /// Candidates for an error that is bound to the pose of the device (`PoseHistory`): its 1-sigma, and the distance over
  /// which it decorrelates, both in metres; attitude decorrelates it over 75 degrees per metre of that.
  public var poseCandidates: [SIMD2<Double>] = [[0.05, 0.4], [0.1, 1.2]]
  /// Prior probability of all of these together, 0...1, shared equally; the others' are of what is left. 0 turns them off. Most radios' errors are
  /// bound to the pose; where they change in time instead, ranges from where the device comes back tell (docs/experiments/pose-errors.md).
  public var posePrior = 0.75
  /// Candidates for a coloured error that is a function of the antenna's place, as multipath is: its 1-sigma, and the length l of its correlation
  /// `exp(-d^2 / (2 l^2))`, both in metres. At rest it is a constant of that size however quiet the ranges are; only motion tells
  /// (docs/experiments/multipath-field.md).
  public var multipathCandidates: [SIMD2<Double>] = [[0.2, 0.3], [0.2, 0.8]]
  /// Prior probability of all of these together for a radio without white noise, 0...1, shared equally; the others' are of what is left. It falls with the
  /// white noise, to a half at 3 cm and to a tenth at 4 cm. 0 turns them off.
  public var multipathPrior = 0.5
  /// Prior probability of the first of these, 0...1; the others share the rest equally. The default is four times that
  /// of any other.
  public var whiteNoisePrior = 0.5
  /// What the law of every candidate misses of a radio's errors, 1-sigma, metres: by how much their likelihoods are weaker evidence between them where
  /// the white noise is small; 0 takes each for the radio's very law (docs/experiments/pose-errors.md).
  public var noiseMisfit = 0.03
  /// With several antennas, lower bound of the coloured error of each, 1-sigma, metres. The phase centre of an antenna
  /// moves by centimetres with the direction, and differences between antennas pass for the direction.
  public var antennaPhaseCenterSigma = 0.02
  /// Lower bound of the coloured error of a moving peer, 1-sigma, metres: the velocity model is approximate.
  public var foundPeerNoise = 0.04
  /// Total noise 1-sigma, metres, where the recording states none.
  public var assumedNoise = 0.1
  /// Weight of the stated or assumed noise, in ranges of the link; from 1e9 on it is fixed.
  public var statedNoisePseudoCount = 3.0
  /// Half of the stated noises are within this of the truth, in units of log(sigma): within a fifth. One in ten is off
  /// by a factor of three and a half: a Student distribution with one degree of freedom.
  public var statedNoiseLogWidth = 0.2
  /// Random walk of a peer relative to the device for unmodelled errors, m/sqrt(s): position-dependent multipath, axes
  /// a degree off, a peer that is nudged. It bounds the certainty from repetition.
  public var peerRandomWalk = 0.01
  /// Speed of a fast peer, 1-sigma of each level axis, m/s: a person walks off with it.
  public var peerSpeedSigma = 0.8
  /// The same for the vertical axis: stairs, a hand that is lowered.
  public var peerVerticalSpeedSigma = 0.15
  /// Correlation time of its velocity, seconds.
  public var peerVelocityTime = 4.0
  /// Speed of a slow peer, 1-sigma of each level axis, m/s: robots and strolling persons, as slow as 0.1 m/s. By the law of a fast one alone, a slow
  /// peer passes for a stationary one elsewhere (docs/experiments/moving-peer-search.md).
  public var slowPeerSpeedSigma = 0.35
  /// Correlation time of its velocity, seconds.
  public var slowPeerVelocityTime = 8.0
  /// Probability that a peer that may be under way since the first range is slow, 0...1.
  public var underWaySlowProbability = 0.5
  /// Probability that a peer that stood and begins to move is slow, 0...1.
  public var beginningSlowProbability = 0.2
  /// Prior rate of LOS to NLOS, 1/s; a link estimates its own (`NLOSRateEstimator`). A larger one costs every link
  /// without NLOS (docs/experiments/nlos-rate.md).
  public var losLossRate = 0.05
  /// Weight of that prior, in NLOS intervals of the link: below 1, the rate differs much between links.
  public var nlosRatePseudoCount = 0.3
  /// Rate of NLOS to LOS, 1/s.
  public var losReturnRate = 1.5
  /// Mean of the NLOS bias before truncation at zero, metres: the bias is positive, and small ones are the commonest.
  public var nlosMean = 0.0
  /// 1-sigma of that normal distribution, metres. An NLOS interval has one bias: a reflection stays the first path as
  /// long as the direct one is obstructed.
  public var nlosSpread = 0.8
  /// The same for long biases of several metres: a wall, a reflection from across the room.
  public var longNLOSSpread = 3.0
  /// Probability of a long bias.
  public var longNLOSProbability = 0.15
  /// Random walk of the bias within an NLOS interval, m/sqrt(s).
  public var nlosRandomWalk = 0.1
  /// White noise of an NLOS range beyond the link's own, metres.
  public var nlosNoise = 0.05
  /// Prior probability that a range is an outlier, on either side.
  public var rangeOutlierProbability = 0.01
  /// Scale (median size) of outliers, metres.
  public var rangeOutlierScale = 3.0
  /// Angles of arrival are used within this angle of the array's viewing direction, degrees: beyond it arrays are
  /// inaccurate.
  public var aoaConeDegrees = 60.0
  /// Lower bound of the 1-sigma of angles of arrival, degrees, whatever the recording states; where it states none,
  /// twice this.
  public var aoaFloorDegrees = 3.0
  /// Constant bias of an array, 1-sigma, degrees: mounting, phase calibration. All its angles together determine a
  /// direction no better than 1.4 times this (`AoABias`).
  public var aoaBiasDegrees = 2.0
  /// Correlation time of angle-of-arrival errors, seconds: pattern and reflections change as the device rotates.
  public var aoaCorrelationTime = 0.5
  /// Probability that an angle of arrival is an outlier under LOS.
  public var aoaOutlierProbability = 0.1
  /// Components with a weight below this, relative to the best, are dropped.
  public var pruneBelow = 1e-6
  /// Limit to the number of components of one link, beyond which none is split; half of it for a moving peer, and with
  /// several antennas the number of equal cost. Four times as many make intervals on a straight walk hardly narrower
  /// (docs/experiments/interval-width.md).
  public var hypothesisLimit = 1500

  /// The defaults.
  public init() {}

  /// The prior of the height.
  package var heightPrior: HeightPrior {
    HeightPrior(
      sigma: heightSigma, storey: storeyHeight, otherStoreys: otherStoreyProbability, anywhere: anyHeightProbability)
  }

  /// 1-sigma of a calibrated bias at least, metres: delays change with temperature and supply.
  private static let leastBias = 0.05

  /// The same with what a recording states of its radio: how certain its bias is.
  package func stating(_ radio: RadioCalibration?) -> RangingConfiguration {
    var copy = self
    if let sigma = radio?.rangeBias.standardDeviation { copy.biasPrior = max(sigma, Self.leastBias) }
    return copy
  }

  /// Noise candidates of a link, and their log priors up to a constant.
  ///
  /// - Parameters:
  ///   - stated: total 1-sigma given by the recording, metres.
  ///   - antennaCount: of the device.
  package func noisePriors(stated: Double?, antennaCount: Int) -> [(noise: RangeNoise, logPrior: Double)] {
    // A noise that is taken as given is all of it.
    let multipathPrior = statedNoisePseudoCount < RangeNoise.certain ? multipathPrior : 0
    let posePrior = statedNoisePseudoCount < RangeNoise.certain ? posePrior : 0
    let rest = (1 - multipathPrior) * (1 - posePrior)
    let others = Double(max(noiseCandidates.count - 1, 1))
    typealias Candidate = (sigma: Double, time: Double, length: Double, law: RangeNoise.Law, prior: Double)
    var candidates = noiseCandidates.enumerated().map { index, candidate in
      Candidate(
        candidate.x, candidate.y, correlationLength, .time,
        rest * (index == 0 ? whiteNoisePrior : (1 - whiteNoisePrior) / others))
    }
    if posePrior > 0 {
      let each = (1 - multipathPrior) * posePrior / Double(poseCandidates.count)
      candidates += poseCandidates.map { Candidate($0.x, .infinity, $0.y, .pose, each) }
    }
    if multipathPrior > 0 {
      let each = multipathPrior / Double(multipathCandidates.count)
      candidates += multipathCandidates.map { Candidate($0.x, .infinity, $0.y, .place, each) }
    }
    return candidates.map { candidate in
      // Of the pose or of the place: at rest it is a constant.
      let isBound = candidate.law != .time
      let total = stated ?? assumedNoise
      let coloured = antennaCount > 1 ? max(candidate.sigma, antennaPhaseCenterSigma) : candidate.sigma
      let noise = RangeNoise(
        // Its white part begins as that of white noise only, which learns as fast.
        total: isBound ? hypot(total, coloured) : total, degrees: statedNoisePseudoCount, coloured: coloured,
        correlationTime: candidate.time, correlationLength: candidate.length, law: candidate.law)
      // The logarithm of a prior of 0 must be finite.
      let stating = stated.map { stated in
        let ofTotal = logLikelihood(ofStating: stated, of: noise.total)
        // What is stated of such a radio may be its scatter at one place.
        return isBound ? max(ofTotal, logLikelihood(ofStating: stated, of: noise.white)) : ofTotal
      }
      return (noise, log(max(candidate.prior, 1e-12)) + (stating ?? 0) + noise.logQuietness)
    }
  }

  /// Log likelihood of the stated total 1-sigma of such a radio, up to a constant; metres.
  private func logLikelihood(ofStating stated: Double, of sigma: Double) -> Double {
    let off = log(sigma / stated) / statedNoiseLogWidth
    return -log1p(off * off)
  }

  /// `hypothesisLimit` for a link, scaled by the size of its components; half for a moving peer.
  func hypothesisLimit(for layout: LinkLayout) -> Int {
    let one = GaussianSum.cellSize(LinkLayout(antennas: []))
    let this = GaussianSum.cellSize(LinkLayout(antennas: layout, isMoving: false))
    return hypothesisLimit * one / this / (layout.isMoving ? 2 : 1)
  }

  /// Rate of LOS/NLOS transitions, 1/s.
  package var losTransitionRate: Double { losLossRate + losReturnRate }

  /// Velocity model of a fast peer.
  package var peerVelocityModel: PeerVelocityModel {
    PeerVelocityModel(speed: Vector3(peerSpeedSigma, peerSpeedSigma, peerVerticalSpeedSigma), memory: peerVelocityTime)
  }

  /// Velocity models of a peer that begins to move.
  var beginningVelocities: [PeerVelocityModel.Candidate] { velocities(slowProbability: beginningSlowProbability) }

  /// Velocity models of a peer that may be under way since the first range.
  var underWayVelocities: [PeerVelocityModel.Candidate] { velocities(slowProbability: underWaySlowProbability) }

  private func velocities(slowProbability: Double) -> [PeerVelocityModel.Candidate] {
    let slow = PeerVelocityModel(
      speed: Vector3(slowPeerSpeedSigma, slowPeerSpeedSigma, min(peerVerticalSpeedSigma, slowPeerSpeedSigma)),
      memory: slowPeerVelocityTime)
    return [
      .init(model: slow, probability: slowProbability),
      .init(model: peerVelocityModel, probability: 1 - slowProbability),
    ].filter { $0.probability > 0 }
  }
}
