import Datasets
import Evaluation
import Foundation
import Geometry
import LeastSquares
import SensorData
import Smoothing

/// An observer that knows the path and the fault: whether ranges can tell it at all.
///
/// Compared are the ranges and the path as they were with those that the faulty recording states, at the likeliest place
/// of the peer each, under the noise of docs/diagnoses.md: white and lasting errors, bias and scale, outliers. A fault that it
/// cannot tell, nothing can that sees less.
enum FaultOracle {
  /// Log likelihood ratio below which no observer can tell a fault: odds of twenty.
  static let telling = 3.0

  /// The log likelihood ratio of a recording as it was to the same with a fault of a family; nil where there are no
  /// ranges along a path.
  ///
  /// - Throws: `DatasetError`.
  static func ratio(_ recording: String, faulty: String, family: SetUpFault.Family) throws -> Double? {
    let path = URL(fileURLWithPath: recording)
    guard let peer = try firstPeer(Recording.open(path)) else { return nil }
    let sound = try samples(Recording.open(path), ofOdometry: false, peer)
    let found = try samples(
      Recording.open(URL(fileURLWithPath: faulty)), ofOdometry: family == .odometry, peer)
    guard !sound.isEmpty, !found.isEmpty else { return nil }
    return bestLikelihood(sound) - bestLikelihood(found)
  }

  // MARK: samples

  /// The mean of the ranges of a quarter of a second, and where the antenna was.
  private struct Sample {
    var seconds: Double
    var range: Double
    var antenna: Vector3
  }

  /// Ranges are averaged over so many seconds.
  private static let bin = 0.24

  private static func firstPeer(_ recording: Recording) throws -> String? {
    let events = try recording.events()
    while let event = try events.next() { if case .range(let range) = event.event { return range.peer } }
    return nil
  }

  private static func samples(_ recording: Recording, ofOdometry: Bool, _ peer: String) throws -> [Sample] {
    var (poses, ranges): ([GroundTruthState], [RangeMeasurement]) = ([], [])
    let events = try recording.events()
    while let event = try events.next() {
      switch event.event {
      case .range(let range) where range.peer == peer: ranges.append(range)
      case .odometry(let pose) where ofOdometry:
        poses.append(GroundTruthState(timestamp: pose.timestamp, worldFromBody: pose.worldFromSensor))
      default: break
      }
    }
    if !ofOdometry, let rows = try recording.groundTruthStates() {
      while let row = try rows.next() { poses.append(row) }
    }
    guard let first = poses.first?.timestamp, let last = poses.last?.timestamp else { return [] }
    let path = TruthTrajectory(poses)
    var bins: [[RangeMeasurement]] = []
    for range in ranges.sorted(by: { $0.timestamp < $1.timestamp })
    where first <= range.timestamp && range.timestamp <= last {
      if bins.last.map({ range.timestamp.seconds(since: $0[0].timestamp) >= bin - 1e-6 }) ?? true { bins.append([]) }
      bins[bins.count - 1].append(range)
    }
    let lever = recording.rig.radio?.antennas.min { $0.key < $1.key }?.value ?? Vector3.zero
    return bins.compactMap { part in
      let count = Double(part.count)
      let offset = part.sum { $0.timestamp.seconds(since: part[0].timestamp) } / count
      let middle = part[0].timestamp.advanced(bySeconds: offset)
      guard let pose = path.worldFromBody(at: middle) else { return nil }
      return Sample(
        seconds: middle.seconds(since: first), range: part.sum(\.range) / count,
        antenna: pose.translation + pose.rotation * lever)
    }
  }

  // MARK: likelihood

  /// Outliers: shares of long and of short ones, mean size in metres, least density.
  private static let long = 0.05, short = 0.005, size = 1.5, least = 1e-12
  /// Variances of white and of lasting errors, m^2, and the time that the latter last, seconds.
  private static let noises: [(white: Double, lasting: Double, time: Double)] =
    [0.02, 0.06, 0.15, 0.4].flatMap { white in
      [0.005, 0.05, 0.12, 0.3].flatMap { lasting in
        [0.3, 2].map { (white * white, lasting * lasting, $0) }
      }
    }

  /// The best of all noises, there each range's probability to be regular, and their standard deviation.
  private static func likelihood(
    _ samples: [Sample], _ peer: StaticPeer
  ) -> (value: Double, regular: [Double], sigma: Double) {
    let residuals = samples.map { $0.range - peer.predicted($0.antenna).range }
    return noises.map { noise -> (value: Double, regular: [Double], sigma: Double) in
      var (mean, variance, total, regular) = (0.0, noise.lasting, 0.0, [Double]())
      for (k, sample) in samples.enumerated() {
        let decay = exp((samples[max(k - 1, 0)].seconds - sample.seconds) / noise.time)
        (mean, variance) = (decay * mean, decay * decay * variance + noise.lasting * (1 - decay * decay))
        let error = residuals[k] - mean
        let good = (1 - long - short) * NormalDistribution.density(error, variance: variance + noise.white)
        let bad = max((error > 0 ? long : short) * exp(-abs(error) / size) / size, least)
        total += log(good + bad)
        regular.append(good / (good + bad))
        let gain = variance / (variance + noise.white) * good / (good + bad)
        (mean, variance) = (mean + gain * error, variance - gain * variance)
      }
      return (total, regular, max((noise.white + noise.lasting).squareRoot(), 0.03))
    }.max { $0.value < $1.value }!
  }

  /// The log likelihood at the best place of a stationary peer, the priors of bias and scale paid: the likeliest places by
  /// least squares with Huber's loss from all directions, each refined with the ranges' probabilities as weights.
  private static func bestLikelihood(_ samples: [Sample]) -> Double {
    func refined(_ start: StaticPeer, _ sigmas: [Double], steps: Int) -> (peer: StaticPeer, cost: Double) {
      let rows = zip(samples, sigmas).map { PeerRefinement.Row(antenna: $0.antenna, range: $0.range, sigma: $1) }
      return PeerRefinement(rows).refined(start, steps: steps)
    }
    let middle = samples.reduce(Vector3.zero) { $0 + $1.antenna } / Double(samples.count)
    let even = [Double](repeating: 0.15, count: samples.count)
    let ends = PeerSearch.starts(12, around: middle, radius: samples.map(\.range).median ?? 0)
      .map { refined($0, even, steps: 30) }.sorted { $0.cost < $1.cost }
    var (best, seen) = (-Double.infinity, [Vector3]())
    for end in ends where seen.count < 4 && !seen.contains(where: { ($0 - end.peer.position).norm < 0.3 }) {
      seen.append(end.peer.position)
      var peer = end.peer
      for _ in 0..<3 {
        let found = likelihood(samples, peer)
        best = max(best, found.value - 0.5 * peer.priorResidual.sum { $0 * $0 })
        peer = refined(peer, found.regular.map { found.sigma / $0.squareRoot() }, steps: 10).peer
      }
    }
    return best
  }
}
