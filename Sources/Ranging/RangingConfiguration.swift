import Foundation
import Geometry

/// What is assumed of a link before its first range. One setting serves every radio: what differs between radios
/// (the noise) is estimated per link.
public struct RangingConfiguration: Equatable, Sendable {
  /// Directions in the lattice of a new posterior: those that live are split where the range bends,
  /// and follow the exact posterior. Fewer, down to 100, where `hypothesisLimit` has no room for all under every noise that is left.
  public var directions = 150
  /// Prior 1-sigma of the elevation of a peer, radians; people look for things near their own level.
  public var elevationPrior = 35 * Double.pi / 180
  /// Prior 1-sigma of the constant range bias of a link, metres.
  public var biasPrior = 0.15
  /// Prior 1-sigma of the scale error of a link, a ratio: the radio's, and that of a trajectory from another tracker.
  public var scalePrior = 0.01
  /// Prior 1-sigma of what one antenna adds to that, metres; used when there are several antennas.
  public var antennaBiasPrior = 0.05
  /// Correlation of the coloured errors of two antennas of the device: what surrounds the peer distorts both alike. Two real devices were
  /// measured to have 0.30 and 0.54 (docs/estimator.md).
  public var antennaCorrelation = 0.45
  /// Distance over which the coloured range error decorrelates, metres.
  public var correlationLength = 20.0
  /// Candidates for the coloured error: its 1-sigma in metres, and for how long it lasts, seconds. The link's own ranges decide between
  /// them, and tell under each how large the white noise is. One for radios that have next to none, then each twice the one before, over what radios
  /// are like, and two for large errors that soon pass; why no closer ones, and why no small ones that pass: docs/estimator.md.
  public var noiseCandidates: [SIMD2<Double>] = [
    [0.005, 2], [0.04, 2], [0.08, 2], [0.16, 2], [0.16, 0.5], [0.16, 0.15],
  ]
  /// Share of the radios that are as the first of these, 0...1; the others share the rest alike. Four times as many as are as any other.
  public var whiteNoisePrior = 4.0 / 9
  /// With several antennas the coloured error of each is this at least, 1-sigma, metres: the phase centre of an antenna moves by centimetres with the
  /// direction that it is seen from, and what antennas differ by is taken for the direction.
  public var antennaPhaseCenterSigma = 0.02
  /// Once a peer is found, or isMoving, the coloured error of its link is this at least, 1-sigma, metres: what the search told of the radio it told of one corner
  /// of the room, and the filter has one noise for the minutes to come; and how somebody isMoving is not quite what is assumed of it.
  public var foundPeerNoise = 0.04
  /// 1-sigma of all noise, metres, where the recording states none.
  public var assumedNoise = 0.1
  /// What is stated or assumed of the noise counts as much as so many ranges of the link; from 1e9 on it is taken as it is.
  public var statedNoisePseudoCount = 3.0
  /// Half of the noises that recordings state are within this of the truth, in units of log(sigma): within a fifth. One in ten is off by a factor of
  /// three and a half: Student's distribution with one degree of freedom, for who errs in such a figure errs by much.
  public var statedNoiseLogWidth = 0.2
  /// Random walk of a peer relative to the device that no model explains, m/sqrt(s): multipath that repeats at the same
  /// place, axes a degree off, a peer that is nudged. It bounds how sure repetition can make us.
  public var peerRandomWalk = 0.01
  /// How fast a peer is when it isMoving, 1-sigma of each level axis, m/s: somebody who strolls.
  public var peerSpeedSigma = 0.8
  /// The same of the vertical axis: stairs, a hand that is lowered.
  public var peerVerticalSpeedSigma = 0.15
  /// How long it keeps on in one direction, seconds.
  public var peerVelocityTime = 4.0
  /// Rate at which line of sight is expected to be lost at first, 1/s; a link learns its own (`NLOSRateEstimator`). A larger one costs every link that
  /// is never blocked (docs/estimator.md).
  public var losLossRate = 0.05
  /// That expectation is worth as much as so many spells of the link's own: below 1, some links are hardly ever blocked and others often.
  public var nlosRatePseudoCount = 0.3
  /// Rate at which it comes back, 1/s.
  public var losReturnRate = 1.5
  /// The excess of a range when the sight gets blocked is one-sided, and small ones are the commonest: a normal distribution
  /// about this many metres, of which only the part above zero counts.
  public var nlosMean = 0.0
  /// Spread of that normal distribution, metres. A spell has one excess: a reflection stays the first path while the direct one
  /// is blocked.
  public var nlosSpread = 0.8
  /// The same of the few that are several metres: a wall between, a reflection from across the room.
  public var longNLOSSpread = 3.0
  /// Share of these.
  public var longNLOSProbability = 0.15
  /// How the excess wanders within a spell, m/sqrt(s).
  public var nlosRandomWalk = 0.1
  /// White noise of a blocked range beyond the link's own, metres.
  public var nlosNoise = 0.05
  /// Share of the ranges that are wrong altogether, on either side.
  public var rangeOutlierProbability = 0.01
  /// Half of those are off by less than this, metres.
  public var rangeOutlierScale = 3.0
  /// Angles of arrival are taken within this angle of where the array looks, degrees: beyond it arrays tell little.
  public var aoaConeDegrees = 60.0
  /// Angles of arrival are trusted no better than this, 1-sigma, degrees, whatever the recording states; and what it does not state
  /// is taken for twice as much.
  public var aoaFloorDegrees = 3.0
  /// By how much an array is off for good, 1-sigma, degrees: how it sits, how its phases were calibrated. Its angles together tell a direction no
  /// better than 1.4 times this (`AoABias`).
  public var aoaBiasDegrees = 2.0
  /// Angles of arrival err alike for this long, seconds: pattern and reflections change as the device turns.
  public var aoaCorrelationTime = 0.5
  /// Share of the angles of arrival that are wrong altogether while the sight is free.
  public var aoaOutlierProbability = 0.1
  /// Hypotheses below this share of the best one are dropped.
  public var pruneBelow = 1e-6
  /// A limit to the number of hypotheses of one link, beyond which none is split; half of it where the peer isMoving, and with
  /// several antennas as many as cost the same. Four times as many make intervals on a straight walk hardly narrower (docs/estimator.md).
  public var hypothesisLimit = 1500

  /// The defaults.
  public init() {}

  /// Candidates for the noise of a link, and the logarithms of their priors but for a constant.
  ///
  /// - Parameters:
  ///   - stated: the total 1-sigma that the recording states, metres.
  ///   - antennaCount: of the device.
  package func weighedNoises(stated: Double?, antennaCount: Int) -> [(noise: RangeNoise, logPrior: Double)] {
    let others = Double(max(noiseCandidates.count - 1, 1))
    return noiseCandidates.enumerated().map { index, candidate in
      let noise = RangeNoise(
        total: stated ?? assumedNoise, degrees: statedNoisePseudoCount,
        coloured: antennaCount > 1 ? max(candidate.x, antennaPhaseCenterSigma) : candidate.x,
        correlationTime: candidate.y, correlationLength: correlationLength)
      let share = index == 0 ? whiteNoisePrior : (1 - whiteNoisePrior) / others
      // A share of 0 is all but none: a logarithm of it would be no number to reckon with.
      return (noise, log(max(share, 1e-12)) + (stated.map { logLikelihood(ofStating: $0, of: noise) } ?? 0))
    }
  }

  /// Logarithm of how often a total 1-sigma is stated of such a radio, but for a constant; metres.
  private func logLikelihood(ofStating stated: Double, of noise: RangeNoise) -> Double {
    let off = log(noise.total / stated) / statedNoiseLogWidth
    return -log1p(off * off)
  }

  /// `hypothesisLimit` for a link: where a hypothesis is larger there are fewer, and where the peer isMoving half of that.
  func hypothesisLimit(for layout: LinkLayout) -> Int {
    let one = GaussianSum.cellSize(LinkLayout(antennas: []))
    let this = GaussianSum.cellSize(LinkLayout(antennas: layout, isMoving: false))
    return hypothesisLimit * one / this / (layout.isMoving ? 2 : 1)
  }

  /// Rate at which sights change, 1/s.
  package var losTransitionRate: Double { losLossRate + losReturnRate }

  /// How a peer isMoving.
  package var walk: PeerVelocityModel { PeerVelocityModel(speed: Vector3(peerSpeedSigma, peerSpeedSigma, peerVerticalSpeedSigma), memory: peerVelocityTime) }
}
