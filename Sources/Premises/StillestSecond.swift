import Geometry
import SensorData

/// The second with the least motion, and the gravity measured in it.
///
/// Seconds are counted from the first sample and do not overlap; least motion is the smallest standard deviation of the
/// specific force's norm.
package struct StillestSecond {
  /// Statistics of a second.
  package struct Figures {
    /// When it begins.
    package var time: Timestamp
    /// Mean norm of the specific force, m/s^2.
    package var meanForce: Double
    /// Standard deviation of that norm, m/s^2.
    package var forceSpread: Double
    /// Mean norm of the angular rate, rad/s.
    package var meanRate: Double
  }

  /// No samples yet.
  package init() {}

  /// The stillest whole second so far.
  package private(set) var best: Figures?
  private var begin: Timestamp?
  private var count = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var rates = 0.0

  /// Adds the next sample.
  package mutating func add(_ sample: IMUSample) {
    if let begin, sample.timestamp.seconds(since: begin) >= 1 {
      close(begin)
      self.begin = sample.timestamp
    }
    if begin == nil { begin = sample.timestamp }
    let force = sample.specificForce.norm
    count += 1
    sum += force
    squares += force * force
    rates += sample.angularVelocity.norm
  }

  private mutating func close(_ time: Timestamp) {
    defer { (count, sum, squares, rates) = (0, 0, 0, 0) }
    guard count >= 10 else { return }
    let mean = sum / count
    let spread = max(0, squares / count - mean * mean).squareRoot()
    if spread < best?.forceSpread ?? .infinity {
      best = Figures(time: time, meanForce: mean, forceSpread: spread, meanRate: rates / count)
    }
  }
}
