import Foundation
import Geometry
import SensorData

/// Recursion from range to range.
extension PeerFilter {
  /// Until the device has moved, the direction is unobserved: each noise candidate has one pair.
  mutating func initialize(at first: Range) {
    hypotheses = GaussianSum(
      rangeOnly: first, configuration, layout: layout, statedNoise: statedNoise, knowledge: knowledge)
    if isMoving { hypotheses!.noises = carried(hypotheses!.noises) }
    isDirectionUnobserved = true
    last = first
    normalize()
  }

  /// The device has moved: spawns a lattice of directions.
  private mutating func spawnDirections(device: Vector3) {
    isDirectionUnobserved = false
    pruneNoises(below: Self.unlikelyProbability)
    // The state of a moving peer is larger, and most such filters are alternatives: only the likeliest noise candidates
    // are kept.
    if isMoving { pruneNoises(but: max(limit / (2 * Self.fewestDirectionsIfMoving), 1)) }
    // The range rate does not observe a velocity in the world before there is a direction.
    if isMoving { hypotheses = hypotheses!.stationary().moving(configuration.peerVelocityModel) }
    // Every noise candidate gets all directions, so the number of candidates limits that of directions.
    let room = max(limit / hypotheses!.count, isMoving ? Self.fewestDirectionsIfMoving : Self.fewestDirections)
    hypotheses = withDirections(hypotheses!, directions: min(configuration.directions, room))
    hypotheses!.drift(position: .zero, yawVariance: rangeOnlyYawVariance, device: device)
    rangeOnlyYawVariance = 0
    normalize()
  }

  mutating func process(_ range: Range) -> Outcome {
    let previous = last ?? range
    let seconds = abs(range.timestamp.seconds(since: previous.timestamp))
    last = range
    nlosRate.record(seconds: seconds, losProbability: losProbability)
    if isDirectionUnobserved, !range.isVelocityKnown { hypotheses!.moveAnchor(to: range.antenna) }
    let away = (range.antenna - hypotheses!.anchor).norm
    if isDirectionUnobserved, away > Self.stillRadius || !range.cosines.isEmpty {
      spawnDirections(device: previous.device)
    }
    let visits = visits(at: range.device)
    let metres = (range.device - previous.device).norm
    let pose = range.pose ?? PoseVisit(path: metres)
    hypotheses!.predict(
      seconds: seconds, metres: metres, pose: pose, changes: visits?.map(\.change),
      antennaCorrelation: configuration.antennaCorrelation)
    if isMoving { hypotheses!.movePeer(seconds: seconds, configuration.peerVelocityModel) }
    hypotheses!.drift(
      position: (configuration.peerRandomWalk * configuration.peerRandomWalk * seconds) * Matrix3.identity,
      yawVariance: 0,
      device: range.device)
    if let probability = range.reportedNLOS {
      hypotheses!.update(
        with: ReportedNLOS(probability: probability, seconds: seconds, rate: configuration.losTransitionRate))
    }
    if !isDirectionUnobserved {
      hypotheses!.splitWhereCurved(
        antenna: range.antenna, limit: limit)
    }
    var known: [Double]?
    if pose.revisits > 0 {
      normalize()
      known = noiseProbabilities(hypotheses!)
    }
    let isUntold = visits?.map { $0.isBetween && !isDirectionUnobserved } ?? []
    let before = isUntold.contains(true) ? hypotheses : nil
    let result = hypotheses!.update(
      RangeObservation(
        range: range.range, antenna: isDirectionUnobserved ? hypotheses!.anchor : range.antenna,
        columns: layout.columns(of: range.antennaID), seconds: seconds,
        // Displacement from the anchor along an unobserved direction: its mean square.
        extraVariance: range.extraVariance + (isDirectionUnobserved ? away * away / 3 : 0),
        configuration: linkConfiguration))
    let density = before.flatMap { hypotheses!.restore(isUntold, from: $0) } ?? result.logDensity
    if let known { keepProbabilities(known) }
    update(with: range.cosines, of: range)
    rangeCount += 1
    normalize()
    let untold = before == nil ? 0 : zip(noiseProbabilities(hypotheses!), isUntold).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
    if rangeCount % 10 == 0 {
      pruneNoises(below: Self.refutedProbability)
      pruneNegligible()
    }
    // One noise candidate per range, to spread the cost.
    let candidate = rangeCount % max(hypotheses!.noises.count, Self.mergingPeriod)
    if !isDirectionUnobserved, candidate < hypotheses!.noises.count { hypotheses!.mergeDuplicates(noise: candidate) }
    prune()
    return Outcome(
      losProbability: losProbability * result.regular, innovation: result.innovation,
      sigma: result.variance.squareRoot(),
      logDensity: density, isTelling: untold < Self.unlikelyUntold)
  }

  /// At an arrival where the device has been before, errors of the pose are as free as if they were unknown, which they are not: their candidates' likelihoods are
  /// no evidence against the others. Keeps the probabilities of these candidates.
  ///
  /// - Parameter before: probabilities of all before the update.
  private mutating func keepProbabilities(_ before: [Double]) {
    let bound = hypotheses!.noises.map { $0.law == .pose }
    guard bound.contains(true), bound.contains(false) else { return }
    normalize()
    let after = noiseProbabilities(hypotheses!)
    func share(_ p: [Double], _ isBound: Bool) -> Double {
      zip(p, bound).reduce(0) { $0 + ($1.1 == isBound ? $1.0 : 0) }
    }
    let (others, othersBefore) = (share(after, false), share(before, false))
    guard others > 0, othersBefore > 0 else { return }
    let gains = before.indices.map { k in
      bound[k] && after[k] > 0 && before[k] > 0 ? log(before[k] / othersBefore * others / after[k]) : 0
    }
    for i in 0..<hypotheses!.count { hypotheses!.logWeight[i] += gains[Int(hypotheses!.noise[i])] }
  }

  /// Of each noise candidate, whether it learns nothing here, and the change of the place, m^2; neither of errors that are no function of the place. Nil where there
  /// is none, and for a moving peer, whose own place changes.
  private mutating func visits(at place: Vector3) -> [(isBetween: Bool, change: Double)]? {
    guard !isMoving, hypotheses!.noises.contains(where: \.isOfPlace) else { return nil }
    var found: [Double: (isBetween: Bool, change: Double)] = [:]
    return hypotheses!.noises.map { noise in
      guard noise.isOfPlace else { return (false, 0) }
      let length = noise.correlationLength
      if let visit = found[length] { return visit }
      let visit: (isBetween: Bool, change: Double) =
        switch places[length, default: VisitedPlaces(length: length)].visit(place) {
        case .same: (false, 0)
        case .between: (true, 0)
        case .new(let change): (false, change)
        }
      found[length] = visit
      return visit
    }
  }

  /// The configuration with the link's NLOS rate.
  private var linkConfiguration: RangingConfiguration {
    var learnt = configuration
    learnt.losLossRate = nlosRate.losLossRate
    return learnt
  }

  /// Updates by angles of arrival, after their range has updated the LOS probability.
  private mutating func update(with cosines: [DirectionCosine], of range: Range) {
    guard !cosines.isEmpty else { return }
    let since = lastAoA.map { abs(range.timestamp.seconds(since: $0)) }
    lastAoA = range.timestamp
    if isMoving { aoaBias.move(by: configuration.peerSpeedSigma * (since ?? 0) / max(range.range, 1)) }
    let weight = aoaBias.weight(of: cosines, independence: since.map { aoaErrors.weight(after: $0) } ?? 1)
    let weights = hypotheses!.logWeight
    // Residuals at the likeliest component.
    let best = hypotheses!.position(weights.indices.max { weights[$0] < weights[$1] }!) - range.antenna
    aoaErrors.record(
      cosines.map { ($0.cosine - $0.model(best).cosine) / $0.variance.squareRoot() }, at: range.timestamp)
    for cosine in cosines { hypotheses!.update(cosine, antenna: range.antenna, weight: weight, configuration) }
  }

  /// Drops the noise candidates below a probability, never all.
  private mutating func pruneNoises(below limit: Double) {
    let probabilities = noiseProbabilities(hypotheses!)
    let limit = min(limit, probabilities.max() ?? 0)
    let noise = hypotheses!.noise
    hypotheses!.filter { probabilities[Int(noise[$0])] >= limit }
  }

  /// Drops the least likely pairs, which together have `negligibleProbability`: late in a search a third of all pairs
  /// are below a thousandth.
  private mutating func pruneNegligible() {
    normalize()
    let pairs = stride(from: 0, to: normalized.count, by: 2).map { normalized[$0] + normalized[$0 + 1] }
    var left = Self.negligibleProbability
    let kept = pairs.sorted().first { probability in
      left -= probability
      return left < 0
    }
    guard let kept else { return }
    hypotheses!.filter { pairs[$0 / 2] >= kept }
  }

  /// Keeps the `count` likeliest noise candidates, at least one.
  mutating func pruneNoises(but count: Int) {
    let probabilities = noiseProbabilities(hypotheses!).sorted(by: >)
    if count < probabilities.count { pruneNoises(below: probabilities[count - 1]) }
  }

  /// Drops the pairs that are far less likely than the best.
  private mutating func prune() {
    guard let best = hypotheses?.logWeight.max() else { return }
    hypotheses!.dropPairs(below: best + log(configuration.pruneBelow))
    if hypotheses!.count != normalized.count { normalize() }
  }

  mutating func normalize() {
    guard hypotheses != nil else { return }
    hypotheses!.relateWeightsToBest()
    normalized = Self.weights(hypotheses!.logWeight)
  }
}
