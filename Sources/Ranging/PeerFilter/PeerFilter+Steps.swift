import Foundation
import Geometry
import LeastSquares
import SensorData

/// The range update, from range to range: prediction, spawn, split, Bayes.
extension PeerFilter {
  /// Until the device has moved, the direction is unobserved: each noise candidate has one pair.
  mutating func initialize(at first: Range) {
    hypotheses = GaussianSum(
      rangeOnly: first, configuration, layout: layout, statedNoise: statedNoise, knowledge: knowledge,
      velocity: isMoving ? velocities[0].model : nil)
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
    if isMoving { hypotheses = hypotheses!.stationary().moving(velocities) }
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
    if isMoving { hypotheses!.movePeer(seconds: seconds) }
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
    let observation = RangeObservation(
      range: range.range, antenna: isDirectionUnobserved ? hypotheses!.anchor : range.antenna,
      columns: layout.columns(of: range.antennaID), seconds: seconds,
      // Displacement from the anchor along an unobserved direction: its mean square.
      extraVariance: range.extraVariance + (isDirectionUnobserved ? away * away / 3 : 0),
      configuration: linkConfiguration)
    // Only where the candidates are weighed otherwise than by their components.
    let isReturn = pose.revisits > 0 && hypotheses!.noises.contains { $0.law == .pose }
    var candidates: [Double] = []
    if isReturn || (configuration.noiseMisfit > 0 && hypotheses!.noises.count > 1) {
      normalize()
      candidates = noiseProbabilities(hypotheses!)
    }
    let comesBack = isReturn ? predictReturn(pose.earlier, range, observation, candidates) : nil
    hypotheses!.renew(after: pose.revisits, antennaCorrelation: configuration.antennaCorrelation)
    let isUntold = visits?.map { $0.isBetween && !isDirectionUnobserved } ?? []
    let before = isUntold.contains(true) ? hypotheses : nil
    let quietness = candidates.isEmpty ? [] : hypotheses!.noises.map(\.logQuietness)
    let result = hypotheses!.update(observation)
    let whole = before.flatMap { hypotheses!.restore(isUntold, from: $0) } ?? result.logDensity
    let priors = zip(hypotheses!.noises, quietness).map { $0.logQuietness - $1 }
    let density = weigh(candidates, whole, comesBack, isUntold: isUntold, priors)
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

  /// Probability that what was measured at a visit is no mean of LOS ranges after all, and the scale of the difference then, metres. Their probabilities of
  /// LOS have sorted out most of these.
  private static let disturbed = (probability: 0.02, scale: 1.0)

  /// At an arrival where the device has been before, errors of the pose are as free for the components as if they were unknown (`RangeNoise.renewal`), so the
  /// components do not tell what these candidates predict. It is the better of two predictions: the process along the path without that freedom, and the
  /// difference to the ranges there, whatever the place of a stationary peer,
  ///
  ///     z - z' = h(p) - h(p') + e,  Var e = 2 s^2 (1 - exp(-u / l)) + w^2 (1 + 1 / n),
  ///
  /// z' the mean of n earlier ranges, from the antenna's mean place p'; h(p) - h(p') has its mean and variance over the components. The path predicts with
  /// `s^2`; NLOS and outliers are for the path to explain.
  ///
  /// - Parameter before: probabilities of the candidates before the range.
  /// - Returns: log density of the range under each candidate for an error of the pose, 1/m; nil for the others.
  private func predictReturn(
    _ earlier: EarlierRanges?, _ range: Range, _ observation: RangeObservation, _ before: [Double]
  ) -> [Double?] {
    let set = hypotheses!
    var trial = set
    let result = trial.update(observation)
    let weights = Self.weights(trial.logWeight)
    var after = [Double](repeating: 0, count: before.count), los = after
    for i in weights.indices {
      after[Int(trial.noise[i])] += weights[i]
      if i % 2 == 0 { los[Int(trial.noise[i])] += weights[i] }
    }
    let alongPath: [Double?] = set.noises.indices.map { k in
      guard set.noises[k].law == .pose, before[k] > 0, after[k] > 0 else { return nil }
      return result.logDensity + log(after[k] / before[k])
    }
    guard let earlier, !isMoving, !isDirectionUnobserved else { return alongPath }
    var (mean, square) = (0.0, 0.0)
    for i in 0..<set.count where normalized[i] > 0 {
      let place = set.position(i)
      let change = (place - range.antenna).norm - (place - earlier.antenna).norm
      mean += normalized[i] * change
      square += normalized[i] * change * change
    }
    let difference = range.range - earlier.range - mean
    let spread = max(square - mean * mean, 0)
    let expectedLOS = observation.losProbability(after: losProbability)
    return set.noises.indices.map { k in
      guard let alongPath = alongPath[k] else { return nil }
      let (noise, size) = (set.noises[k], set.noises[k].coloured * set.noises[k].coloured)
      let changed = 1 - exp(-earlier.path / noise.correlationLength)
      let white = noise.expectedVariance
      let own = spread + white / earlier.count + 2 * size * changed
      guard own < size else { return alongPath }
      let variance = own + white + range.extraVariance
      let regular = NormalDistribution.density(difference, variance: variance)
      let (p, scale) = Self.disturbed
      let isLOS = result.regular * los[k] / after[k]
      let density = (1 - p) * regular + p * exp(-abs(difference) / scale) / (2 * scale)
      return log(expectedLOS * density + (1 - isLOS) * exp(alongPath))
    }
  }

  /// Weighs the noise candidates by what they predicted of a range.
  ///
  /// With the density `p_k` of candidate k, as its components predict or at a return (`predictReturn`), its probability becomes
  ///
  ///     pi_k <- pi_k q_k p_k^eta / sum_j pi_j q_j p_j^eta,   eta = w^2 / (w^2 + m^2),
  ///
  /// w being the mean white noise, m `noiseMisfit` and q_k what has changed of its prior. A candidate that learns nothing keeps its probability. Every
  /// candidate is only like the law of a real radio: what it misses is no noise that averages out, and a quiet radio's ranges would take it for evidence, each
  /// as strong as its white noise is small. The components of
  /// one candidate share its law and are weighed in full. Source: Gruenwald and van Ommen, "Inconsistency of Bayesian inference for misspecified linear models, and
  /// a proposal for repairing it", Bayesian Analysis 12(4), 2017, doi:10.1214/17-BA1085.
  ///
  /// - Parameters:
  ///   - before: probabilities of the candidates before the range; empty where they are weighed by their components.
  ///   - density: log density of the range over all components, 1/m.
  ///   - comesBack: log densities that stand in the place of those of the components, 1/m.
  ///   - isUntold: whether a candidate learns nothing; empty: all learn.
  ///   - priors: change of the candidates' log priors, which the components' weights have.
  /// - Returns: log density of the range, 1/m.
  private mutating func weigh(
    _ before: [Double], _ density: Double, _ comesBack: [Double?]?, isUntold: [Bool], _ priors: [Double]
  ) -> Double {
    guard !before.isEmpty else { return density }
    let white = zip(before, hypotheses!.noises).reduce(0) { $0 + $1.0 * $1.1.white * $1.1.white }
    let exponent =
      configuration.noiseMisfit > 0 ? white / (white + configuration.noiseMisfit * configuration.noiseMisfit) : 1
    normalize()
    let after = noiseProbabilities(hypotheses!)
    var gains = [Double](repeating: 0, count: before.count)
    var sum = 0.0, told = (whole: 0.0, before: 0.0)
    func isTold(_ k: Int) -> Bool { isUntold.isEmpty || !isUntold[k] }
    for k in before.indices where before[k] > 0 && after[k] > 0 {
      let own = density + log(after[k] / before[k])
      let predicted = comesBack?[k] ?? own - priors[k]
      sum += before[k] * exp(predicted + priors[k])
      guard isTold(k) else { continue }
      let gain = exponent * predicted + priors[k]
      gains[k] = gain - own
      told = (told.whole + before[k] * exp(gain), told.before + before[k])
    }
    if told.before > 0, told.whole > 0 {
      let mean = log(told.whole / told.before)
      for k in before.indices where before[k] > 0 && after[k] > 0 && !isTold(k) {
        gains[k] = mean - density - log(after[k] / before[k])
      }
    }
    for i in 0..<hypotheses!.count { hypotheses!.logWeight[i] += gains[Int(hypotheses!.noise[i])] }
    return sum > 0 ? log(sum) : density
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
