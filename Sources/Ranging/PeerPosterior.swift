import Foundation
import Geometry
import SensorData

/// Where one peer may be, given all its ranges: every direction the ranges allow is kept, mirror images included, until it
/// is refuted.
///
/// A Gaussian sum in anchored spherical coordinates over direction, distance, bias and noise level. Small sums (tens of
/// components) claim convergence that is false; a lattice of 150 directions that are split where the range bends follows the
/// exact Bayes posterior. The noise of
/// the link (white and coloured) is one more hidden variable: every direction is tried under every candidate.
package struct PeerPosterior {
  /// Until an antenna is this far from where the first range was taken, ranges tell distance and noise but no direction, metres:
  /// a trembling hand stays within it.
  private static let stillRadius = 0.03
  /// Noise candidates below this share of the posterior are dropped.
  private static let refutedShare = 1e-3
  /// Those below this share are not tried in every direction.
  private static let unlikelyShare = 0.02

  private let configuration: RangingConfiguration
  private let layout: LinkLayout
  private let statedNoise: Double?
  private var hypotheses: HypothesisSet?
  private var waiting: [Range] = []
  private var last: Range?
  private var lastAngle: Timestamp?
  private var normalized: [Double] = []
  private var taken = 0
  /// No direction is tried yet: the device has not moved.
  private var isFolded = true
  /// Growth of the heading's variance meanwhile, rad^2.
  private var foldedYawVariance = 0.0

  /// One range with the place where it was taken.
  package struct Range: Sendable {
    /// When.
    package var timestamp: Timestamp
    /// Metres.
    package var range: Double
    /// The antenna's position in the estimate's world, metres.
    package var antenna: Vector3
    /// The device's own position there, metres.
    package var device: Vector3
    /// Which antenna, an id of those given at the start; nil for the only one.
    package var antennaID: String?
    /// The radio's own guess that the sight is blocked, 0...1.
    package var blockedGuess: Double?
    /// What is not known of the place where it was taken, m^2 along the range.
    package var extraVariance: Double
    /// Angles of arrival that came with it.
    package var cosines: [AxisCosine] = []

    package init(
      timestamp: Timestamp, range: Double, antenna: Vector3, device: Vector3, antennaID: String? = nil,
      blockedGuess: Double? = nil,
      extraVariance: Double = 0
    ) {
      self.timestamp = timestamp
      self.extraVariance = extraVariance
      self.range = range
      self.antenna = antenna
      self.device = device
      self.antennaID = antennaID
      self.blockedGuess = blockedGuess
    }
  }

  /// What became of a range.
  package struct Outcome: Sendable {
    /// Probability that the sight was free when it was taken.
    package var free: Double
    /// Mean innovation over the posterior, metres.
    package var innovation: Double
    /// 1-sigma of that, metres.
    package var sigma: Double
    /// Logarithm of the density that was foretold for the range, 1/m.
    package var logDensity: Double
  }

  /// A posterior that knows nothing yet.
  ///
  /// - Parameters:
  ///   - antennas: ids of the device's antennas; several of them get a bias each.
  ///   - statedNoise: the total 1-sigma that the recording states, metres.
  package init(configuration: RangingConfiguration, antennas: [String], statedNoise: Double?) {
    self.configuration = configuration
    layout = LinkLayout(antennas: antennas)
    self.statedNoise = statedNoise
  }

  /// True once there are hypotheses.
  package var hasBegun: Bool { hypotheses != nil }
  /// Probability that the sight is free, after the last range.
  package var free: Double {
    guard hypotheses != nil else { return 1 }
    return stride(from: 0, to: normalized.count, by: 2).reduce(0) { $0 + normalized[$1] }
  }
  /// Number of hypotheses alive.
  package var count: Int { hypotheses?.count ?? 0 }

  /// Takes a range in. The first three are held back until their median is known: one gross error there would
  /// anchor every hypothesis at a wrong distance.
  ///
  /// Cost: O(hypotheses), 0.05 to 0.5 ms.
  @discardableResult
  package mutating func update(_ range: Range) -> Outcome? {
    guard hypotheses != nil else {
      waiting.append(range)
      guard waiting.count == 3 else { return nil }
      let held = waiting
      waiting = []
      let first = held.sorted { $0.range < $1.range }[1]
      begin(at: first)
      var outcome: Outcome?
      for other in held where other.timestamp != first.timestamp { outcome = take(other) }
      return outcome
    }
    return take(range)
  }

  /// Lets the peer drift relative to the device by what the trajectory lost since the last call.
  ///
  /// - Parameters: variances of position per axis (m^2) and heading (rad^2), and where the device is.
  package mutating func drift(positionVariance: Double, yawVariance: Double, device: Vector3) {
    foldedYawVariance += isFolded ? yawVariance : 0
    hypotheses?.drift(positionVariance: positionVariance, yawVariance: isFolded ? 0 : yawVariance, device: device)
  }

  /// The hypotheses with their shares, as if unfolded: coarsely, and as one a direction, because all directions say the same.
  private var spread: (set: HypothesisSet, shares: [Double])? {
    guard let hypotheses else { return nil }
    guard isFolded else { return (hypotheses, normalized) }
    let set = unfolded(hypotheses.merged(shares: normalized), directions: 100)
    return (set, Self.shares(set.logWeight))
  }

  private func unfolded(_ set: HypothesisSet, directions: Int) -> HypothesisSet {
    set.unfolded(over: FibonacciLattice.directions(directions)) { u in
      let elevation = asin(u.z) / configuration.elevationPrior
      return -0.5 * elevation * elevation
    }
  }

  private static func shares(_ logWeight: [Double]) -> [Double] {
    guard let best = logWeight.max() else { return [] }
    let weights = logWeight.map { exp($0 - best) }
    let sum = weights.reduce(0, +)
    return weights.map { $0 / sum }
  }

  /// The posterior over the peer's position as Gaussians; those below 1e-5 are left out. Where there are many, the posterior is
  /// broad, and those of one direction of the lattice are told as one with the mean and covariance of all.
  package var gaussians: [TargetGaussian] {
    guard let (set, normalized) = spread else { return [] }
    let listed = (0..<set.count).filter { normalized[$0] > 1e-5 }
    guard listed.count > Self.manyGaussians else { return listed.map { set.gaussian($0, weight: normalized[$0]) } }
    var merged = [TargetGaussian?](repeating: nil, count: Int(set.node.max() ?? 0) + 1)
    for i in listed {
      let gaussian = set.gaussian(i, weight: normalized[i])
      if merged[Int(set.node[i])]?.merge(gaussian) == nil { merged[Int(set.node[i])] = gaussian }
    }
    return merged.compactMap(\.self)
  }

  /// More Gaussians than this are told by directions of the lattice.
  private static let manyGaussians = 400

  /// Length of the mean direction from where the first range was taken, 0...1: near 1 when all hypotheses agree on it.
  package var agreement: Double {
    guard let set = hypotheses, !isFolded else { return 0 }
    var sum = Vector3.zero
    for i in 0..<set.count { sum += normalized[i] * set.direction[i] }
    return sum.norm
  }

  /// The whole posterior as one Gaussian over (position in the world, biases as in `LinkLayout`); the covariance
  /// row-major. For the hand-over to a filter, once one mode is left.
  package var merged: (mean: [Double], covariance: [Double])? {
    guard let (set, normalized) = spread else { return nil }
    let n = set.dimension
    func state(_ i: Int) -> [Double] {
      let t = set.position(i)
      return [t.x, t.y, t.z] + set.scalars[(i * (n - 2) + 1)..<((i + 1) * (n - 2))]
    }
    var mean = [Double](repeating: 0, count: n)
    for i in 0..<set.count { for (k, value) in state(i).enumerated() { mean[k] += normalized[i] * value } }
    var covariance = [Double](repeating: 0, count: n * n)
    for i in 0..<set.count where normalized[i] > 1e-9 {
      let offset = zip(state(i), mean).map { $0 - $1 }
      let p = set.cartesianCovariance(i)
      for r in 0..<n {
        for c in 0..<n { covariance[r * n + c] += normalized[i] * (p[r * n + c] + offset[r] * offset[c]) }
      }
    }
    return (mean, covariance)
  }

  /// The noise of the link as the posterior sees it: the candidates' variances weighted by their probabilities.
  package var noise: RangeNoise? {
    guard let set = hypotheses else { return nil }
    let candidates = zip(set.noises, noiseShares(set))
    return RangeNoise(
      white: candidates.reduce(0) { $0 + $1.1 * $1.0.white * $1.0.white }.squareRoot(),
      coloured: candidates.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured }.squareRoot(),
      correlationTime: configuration.correlationTime, correlationLength: configuration.correlationLength)
  }

  /// Shares of the noise candidates.
  private func noiseShares(_ set: borrowing HypothesisSet) -> [Double] {
    var shares = [Double](repeating: 0, count: set.noises.count)
    for i in 0..<set.count { shares[Int(set.noise[i])] += normalized[i] }
    return shares
  }

  // MARK: - The steps

  /// Until the device has moved the direction is open: each noise has one pair of hypotheses about the distance.
  private mutating func begin(at first: Range) {
    hypotheses = HypothesisSet(folded: first, configuration, layout: layout, statedNoise: statedNoise)
    isFolded = true
    last = first
    normalize()
  }

  /// The device has moved: from here on every direction is tried.
  private mutating func unfold(device: Vector3) {
    isFolded = false
    pruneNoises(below: Self.unlikelyShare)
    hypotheses = unfolded(hypotheses!, directions: configuration.directions)
    hypotheses!.drift(positionVariance: 0, yawVariance: foldedYawVariance, device: device)
    foldedYawVariance = 0
    normalize()
  }

  private mutating func take(_ range: Range) -> Outcome {
    let previous = last ?? range
    let seconds = abs(range.timestamp.seconds(since: previous.timestamp))
    last = range
    let away = (range.antenna - hypotheses!.anchor).norm
    if isFolded, away > Self.stillRadius || !range.cosines.isEmpty { unfold(device: previous.device) }
    hypotheses!.predict(
      seconds: seconds, metres: (range.device - previous.device).norm,
      antennaCorrelation: configuration.antennaCorrelation)
    hypotheses!.drift(
      positionVariance: configuration.peerRandomWalk * configuration.peerRandomWalk * seconds, yawVariance: 0,
      device: range.device)
    if let guess = range.blockedGuess { hypotheses!.weigh(radioGuess: guess) }
    if !isFolded {
      hypotheses!.splitWhereCurved(
        antenna: range.antenna, limit: configuration.hypothesisLimit)
    }
    let verdict = hypotheses!.update(
      RangeEvidence(
        range: range.range, antenna: isFolded ? hypotheses!.anchor : range.antenna,
        columns: layout.columns(of: range.antennaID), seconds: seconds,
        // The way to the anchor, seen along a direction that is open: its mean square.
        extraVariance: range.extraVariance + (isFolded ? away * away / 3 : 0), configuration: configuration))
    take(range.cosines, of: range)
    taken += 1
    normalize()
    if taken % 10 == 0 { pruneNoises(below: Self.refutedShare) }
    if taken % 10 == 0, !isFolded { hypotheses!.mergeDuplicates() }
    prune()
    return Outcome(
      free: free * verdict.regular, innovation: verdict.innovation, sigma: verdict.variance.squareRoot(),
      logDensity: verdict.logDensity)
  }

  /// Takes angles of arrival in, after the range that they came with has told whether its sight was free.
  private mutating func take(_ cosines: [AxisCosine], of range: Range) {
    guard !cosines.isEmpty else { return }
    let since = lastAngle.map { abs(range.timestamp.seconds(since: $0)) } ?? .infinity
    lastAngle = range.timestamp
    for cosine in cosines {
      hypotheses!.update(
        cosine, antenna: range.antenna, worth: min(since / configuration.angleMemory, 1), configuration)
    }
  }

  /// Gives up the noises that the ranges refute: each costs as much as the right one.
  private mutating func pruneNoises(below limit: Double) {
    let shares = noiseShares(hypotheses!)
    let noise = hypotheses!.noise
    hypotheses!.filter { shares[Int(noise[$0])] >= limit }
  }

  private mutating func prune() {
    guard let best = hypotheses?.logWeight.max() else { return }
    let weights = hypotheses!.logWeight
    let floor = best + log(configuration.pruneBelow)
    hypotheses!.filter { max(weights[$0 & ~1], weights[$0 | 1]) >= floor }
    normalize()
  }

  private mutating func normalize() {
    guard let best = hypotheses?.logWeight.max() else { return }
    for i in 0..<hypotheses!.count { hypotheses!.logWeight[i] -= best }
    normalized = Self.shares(hypotheses!.logWeight)
  }
}
