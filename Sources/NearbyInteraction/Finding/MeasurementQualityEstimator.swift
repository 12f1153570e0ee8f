/// How good the distances to a peer are, from the distances alone: for radios that go on telling far away.
///
/// Only values that differ from the one before count: a radio that has nothing new repeats itself. A pure state machine;
/// time is whatever the caller's clock says, in seconds.
public struct MeasurementQualityEstimator: Sendable {
  /// The answer.
  public enum Quality: String, Sendable, CaseIterable {
    /// Too few fresh values, or too far.
    case unknown
    /// Worth going towards.
    case good
    /// Near.
    case close
  }

  /// How long a value stays fresh, seconds.
  public var freshness = 2.0
  /// How many fresh values are needed: this many or more. (The sample code that the figure comes from says "eight or more" and
  /// asks for nine.)
  public var leastSamples = 8
  /// From here on nothing is known, metres.
  public var farthest = 50.0
  /// Up to here the peer is near, metres.
  public var near = 10.0
  private var samples: [(time: Double, distance: Double)] = []

  /// Nothing measured yet.
  public init() {}

  /// Takes a distance, metres; nil and values that are no distance are passed over. Times do not go back.
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
