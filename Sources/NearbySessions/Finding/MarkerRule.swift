/// When a marker at the peer's position may be shown: near, about ahead, converged, and the position known.
///
/// Hysteresis: a shown marker stays until the peer is out of view by a margin or its position is unknown. A pure state
/// machine.
public struct MarkerRule: Equatable, Sendable {
  /// No marker appears beyond this distance, metres.
  public var farthest = 10.0
  /// A shown marker stays up to this much farther, metres.
  public var distanceMargin = 0.5
  /// A shown marker stays up to this much farther to the side, radians: 5 degrees.
  public var angleMargin = Double.pi / 36
  /// Whether the marker is shown.
  public private(set) var isShown = false

  /// The default distance and margins; nothing shown.
  public init() {}

  /// Half the width of "about ahead", radians: pi / (4 + (1 - d / farthest)), from pi / 5 at the peer to pi / 4 at
  /// `farthest`. Nil beyond that, and for negative and NaN distances.
  public func halfWidth(at distance: Double) -> Double? {
    guard distance >= 0, distance <= farthest else { return nil }
    return .pi / (4 + (1 - distance / farthest))
  }

  /// Whether the peer is near and about ahead.
  public func isInView(distance: Double?, horizontalAngle: Double?) -> Bool {
    guard let distance, let angle = horizontalAngle, let width = halfWidth(at: distance) else { return false }
    return abs(angle) <= width
  }

  /// Whether the peer is near and about ahead, margins included.
  private func isStillInView(distance: Double?, horizontalAngle: Double?) -> Bool {
    guard let distance, let angle = horizontalAngle, distance <= farthest + distanceMargin,
      let width = halfWidth(at: min(distance, farthest))
    else { return false }
    return abs(angle) <= width + angleMargin
  }

  /// Whether a marker may appear.
  public func shows(distance: Double?, horizontalAngle: Double?, isConverged: Bool, isPlaced: Bool) -> Bool {
    isConverged && isPlaced && isInView(distance: distance, horizontalAngle: horizontalAngle)
  }

  /// Updates and returns whether the marker is shown. Loss of convergence alone does not hide a marker whose position
  /// is still known.
  ///
  /// - Parameters:
  ///   - distance: metres; nil when not known.
  ///   - horizontalAngle: radians, positive right; nil when not known.
  ///   - isConverged: whether everything has converged.
  ///   - isPlaced: whether the peer's position is known (`NISession.worldTransform(for:)`).
  public mutating func update(
    distance: Double?, horizontalAngle: Double?, isConverged: Bool, isPlaced: Bool
  ) -> Bool {
    isShown =
      shows(distance: distance, horizontalAngle: horizontalAngle, isConverged: isConverged, isPlaced: isPlaced)
      || isShown && isPlaced && isStillInView(distance: distance, horizontalAngle: horizontalAngle)
    return isShown
  }
}

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
