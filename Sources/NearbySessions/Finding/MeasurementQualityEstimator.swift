/// Quality of the distances to a peer, from the distances alone: for radios that keep reporting at long range.
///
/// Only values that differ from the previous one count: a radio without a new measurement repeats the last. A pure
/// state machine; times are seconds of the caller's clock.
public struct MeasurementQualityEstimator: Sendable {
  /// Quality of the distances.
  public enum Quality: String, Sendable, CaseIterable {
    /// Too few fresh values, or too far.
    case unknown
    /// Reliable enough to move towards.
    case good
    /// Near.
    case close
  }

  /// How long a value stays fresh, seconds.
  public var freshness = 2.0
  /// Least number of fresh values. (The sample code that the figure comes from says "eight or more" and asks for nine.)
  public var leastSamples = 8
  /// The quality is unknown from this distance on, metres.
  public var farthest = 50.0
  /// The peer is near up to this distance, metres.
  public var near = 10.0
  private var samples: [(time: Double, distance: Double)] = []

  /// An estimator without samples.
  public init() {}

  /// Adds a distance, metres. Skips nil, negative and non-finite values, and times before the previous one.
  public mutating func add(_ distance: Double?, at time: Double) {
    guard let distance, distance.isFinite, distance >= 0, time.isFinite else { return }
    if let last = samples.last, time < last.time || distance == last.distance { return }
    samples.append((time, distance))
    samples.removeAll { time - $0.time > freshness }
  }

  /// The quality at a time.
  public func quality(at time: Double) -> Quality {
    let fresh = samples.filter { time - $0.time <= freshness }
    guard fresh.count >= leastSamples, let last = fresh.last else { return .unknown }
    return last.distance <= near ? .close : last.distance < farthest ? .good : .unknown
  }
}
