import Foundation
import Geometry
import SensorData

/// How the hypotheses go on from range to range.
extension PeerPosterior {
  /// Until the device has moved the direction is open: each noise has one pair of hypotheses about the distance.
  mutating func begin(at first: Range) {
    hypotheses = HypothesisSet(
      folded: first, configuration, layout: layout, statedNoise: statedNoise, knowledge: knowledge)
    if walks { hypotheses!.noises = carried(hypotheses!.noises) }
    isFolded = true
    last = first
    normalize()
  }

  /// The device has moved: from here on every direction is tried.
  private mutating func unfold(device: Vector3) {
    isFolded = false
    pruneNoises(below: Self.unlikelyShare)
    // A walker's hypotheses are larger, and most of them are rivals: only as many noises as there is room for, the likeliest.
    if walks { pruneNoises(but: max(limit / (2 * Self.fewestOfWalkers), 1)) }
    // How fast the distance changed says nothing of a velocity in the world before there is a direction.
    if walks { hypotheses = hypotheses!.standing().walking(configuration.walk) }
    // Each noise has every direction: with many of them left, a range would cost more here than ever after.
    let room = max(limit / hypotheses!.count, walks ? Self.fewestOfWalkers : Self.fewestDirections)
    hypotheses = unfolded(hypotheses!, directions: min(configuration.directions, room))
    hypotheses!.drift(position: .zero, yawVariance: foldedYawVariance, device: device)
    foldedYawVariance = 0
    normalize()
  }

  mutating func take(_ range: Range) -> Outcome {
    let previous = last ?? range
    let seconds = abs(range.timestamp.seconds(since: previous.timestamp))
    last = range
    sight.note(seconds: seconds, free: free)
    if isFolded, !range.isWayKnown { hypotheses!.follow(to: range.antenna) }
    let away = (range.antenna - hypotheses!.anchor).norm
    if isFolded, away > Self.stillRadius || !range.cosines.isEmpty { unfold(device: previous.device) }
    hypotheses!.predict(
      seconds: seconds, metres: (range.device - previous.device).norm,
      antennaCorrelation: configuration.antennaCorrelation)
    if walks { hypotheses!.walk(seconds: seconds, configuration.walk) }
    hypotheses!.drift(
      position: (configuration.peerRandomWalk * configuration.peerRandomWalk * seconds) * Matrix3.identity,
      yawVariance: 0,
      device: range.device)
    if let blocked = range.blockedGuess {
      hypotheses!.weigh(SightGuess(blocked: blocked, seconds: seconds, rate: configuration.sightRate))
    }
    if !isFolded {
      hypotheses!.splitWhereCurved(
        antenna: range.antenna, limit: limit)
    }
    let verdict = hypotheses!.update(
      RangeEvidence(
        range: range.range, antenna: isFolded ? hypotheses!.anchor : range.antenna,
        columns: layout.columns(of: range.antennaID), seconds: seconds,
        // The way to the anchor, seen along a direction that is open: its mean square.
        extraVariance: range.extraVariance + (isFolded ? away * away / 3 : 0), configuration: ofThisLink))
    take(range.cosines, of: range)
    taken += 1
    normalize()
    if taken % 10 == 0 {
      pruneNoises(below: Self.refutedShare)
      pruneNegligible()
    }
    // One noise after the other, so that no range waits for all of them, nor every range for the last that is left.
    let turn = taken % max(hypotheses!.noises.count, Self.mergingPeriod)
    if !isFolded, turn < hypotheses!.noises.count { hypotheses!.mergeDuplicates(noise: turn) }
    prune()
    return Outcome(
      free: free * verdict.regular, innovation: verdict.innovation, sigma: verdict.variance.squareRoot(),
      logDensity: verdict.logDensity)
  }

  /// The configuration, with what has been learnt of the sight.
  private var ofThisLink: RangingConfiguration {
    var learnt = configuration
    learnt.blockingRate = sight.blockingRate
    return learnt
  }

  /// Takes angles of arrival in, after the range that they came with has told whether its sight was free.
  private mutating func take(_ cosines: [AxisCosine], of range: Range) {
    guard !cosines.isEmpty else { return }
    let since = lastAngle.map { abs(range.timestamp.seconds(since: $0)) }
    lastAngle = range.timestamp
    if walks { angleOffset.move(by: configuration.walkSpeed * (since ?? 0) / max(range.range, 1)) }
    let worth = angleOffset.worth(of: cosines, alike: since.map { angles.worth(after: $0) } ?? 1)
    let weights = hypotheses!.logWeight
    // How far off they are is asked of the likeliest place.
    let best = hypotheses!.position(weights.indices.max { weights[$0] < weights[$1] }!) - range.antenna
    angles.note(
      cosines.map { ($0.cosine - $0.model(best).cosine) / $0.variance.squareRoot() }, at: range.timestamp)
    for cosine in cosines { hypotheses!.update(cosine, antenna: range.antenna, worth: worth, configuration) }
  }

  /// Gives up the noises that the ranges refute, never all: each costs as much as the right one.
  private mutating func pruneNoises(below limit: Double) {
    let shares = noiseShares(hypotheses!)
    let limit = min(limit, shares.max() ?? 0)
    let noise = hypotheses!.noise
    hypotheses!.filter { shares[Int(noise[$0])] >= limit }
  }

  /// Gives up the least likely pairs, as many as are `negligibleShare` of the posterior together: late in a search a third of all
  /// is below a thousandth.
  private mutating func pruneNegligible() {
    normalize()
    let pairs = stride(from: 0, to: normalized.count, by: 2).map { normalized[$0] + normalized[$0 + 1] }
    var left = Self.negligibleShare
    let kept = pairs.sorted().first { share in
      left -= share
      return left < 0
    }
    guard let kept else { return }
    hypotheses!.filter { pairs[$0 / 2] >= kept }
  }

  /// Gives up all noises but so many, at least one: the likeliest stay.
  mutating func pruneNoises(but count: Int) {
    let shares = noiseShares(hypotheses!).sorted(by: >)
    if count < shares.count { pruneNoises(below: shares[count - 1]) }
  }

  /// Gives up the pairs that are far less likely than the best.
  private mutating func prune() {
    guard let best = hypotheses?.logWeight.max() else { return }
    hypotheses!.dropPairs(below: best + log(configuration.pruneBelow))
    if hypotheses!.count != normalized.count { normalize() }
  }

  mutating func normalize() {
    guard hypotheses != nil else { return }
    hypotheses!.relateWeightsToBest()
    normalized = Self.shares(hypotheses!.logWeight)
  }
}
