import Foundation
import Geometry
import SensorData

/// How the hypotheses go on from range to range.
extension PeerFilter {
  /// Until the device has moved the direction is open: each noise has one pair of hypotheses about the distance.
  mutating func begin(at first: Range) {
    hypotheses = GaussianSum(
      folded: first, configuration, layout: layout, statedNoise: statedNoise, knowledge: knowledge)
    if isMoving { hypotheses!.noises = carried(hypotheses!.noises) }
    isDirectionUnobserved = true
    last = first
    normalize()
  }

  /// The device has moved: from here on every direction is tried.
  private mutating func spawnDirections(device: Vector3) {
    isDirectionUnobserved = false
    pruneNoises(below: Self.unlikelyShare)
    // A walker's hypotheses are larger, and most of them are rivals: only as many noises as there is room for, the likeliest.
    if isMoving { pruneNoises(but: max(limit / (2 * Self.fewestOfWalkers), 1)) }
    // How fast the distance changed says nothing of a velocity in the world before there is a direction.
    if isMoving { hypotheses = hypotheses!.stationary().moving(configuration.walk) }
    // Each noise has every direction: with many of them left, a range would cost more here than ever after.
    let room = max(limit / hypotheses!.count, isMoving ? Self.fewestOfWalkers : Self.fewestDirections)
    hypotheses = withDirections(hypotheses!, directions: min(configuration.directions, room))
    hypotheses!.drift(position: .zero, yawVariance: rangeOnlyYawVariance, device: device)
    rangeOnlyYawVariance = 0
    normalize()
  }

  mutating func take(_ range: Range) -> Outcome {
    let previous = last ?? range
    let seconds = abs(range.timestamp.seconds(since: previous.timestamp))
    last = range
    sight.note(seconds: seconds, free: free)
    if isDirectionUnobserved, !range.isVelocityKnown { hypotheses!.follow(to: range.antenna) }
    let away = (range.antenna - hypotheses!.anchor).norm
    if isDirectionUnobserved, away > Self.stillRadius || !range.cosines.isEmpty { spawnDirections(device: previous.device) }
    hypotheses!.predict(
      seconds: seconds, metres: (range.device - previous.device).norm,
      antennaCorrelation: configuration.antennaCorrelation)
    if isMoving { hypotheses!.walk(seconds: seconds, configuration.walk) }
    hypotheses!.drift(
      position: (configuration.peerRandomWalk * configuration.peerRandomWalk * seconds) * Matrix3.identity,
      yawVariance: 0,
      device: range.device)
    if let blocked = range.reportedNLOS {
      hypotheses!.weigh(ReportedNLOS(blocked: blocked, seconds: seconds, rate: configuration.losTransitionRate))
    }
    if !isDirectionUnobserved {
      hypotheses!.splitWhereCurved(
        antenna: range.antenna, limit: limit)
    }
    let verdict = hypotheses!.update(
      RangeEvidence(
        range: range.range, antenna: isDirectionUnobserved ? hypotheses!.anchor : range.antenna,
        columns: layout.columns(of: range.antennaID), seconds: seconds,
        // The way to the anchor, seen along a direction that is open: its mean square.
        extraVariance: range.extraVariance + (isDirectionUnobserved ? away * away / 3 : 0), configuration: ofThisLink))
    take(range.cosines, of: range)
    taken += 1
    normalize()
    if taken % 10 == 0 {
      pruneNoises(below: Self.refutedShare)
      pruneNegligible()
    }
    // One noise after the other, so that no range waits for all of them, nor every range for the last that is left.
    let turn = taken % max(hypotheses!.noises.count, Self.mergingPeriod)
    if !isDirectionUnobserved, turn < hypotheses!.noises.count { hypotheses!.mergeDuplicates(noise: turn) }
    prune()
    return Outcome(
      free: free * verdict.regular, innovation: verdict.innovation, sigma: verdict.variance.squareRoot(),
      logDensity: verdict.logDensity)
  }

  /// The configuration, with what has been learnt of the sight.
  private var ofThisLink: RangingConfiguration {
    var learnt = configuration
    learnt.losLossRate = sight.losLossRate
    return learnt
  }

  /// Takes angles of arrival in, after the range that they came with has told whether its sight was free.
  private mutating func take(_ cosines: [DirectionCosine], of range: Range) {
    guard !cosines.isEmpty else { return }
    let since = lastAngle.map { abs(range.timestamp.seconds(since: $0)) }
    lastAngle = range.timestamp
    if isMoving { angleOffset.move(by: configuration.peerSpeedSigma * (since ?? 0) / max(range.range, 1)) }
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
