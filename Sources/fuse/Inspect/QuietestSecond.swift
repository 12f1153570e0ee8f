import Geometry
import SensorData

/// The second in which the device moved least, and the gravity that it felt there.
///
/// Seconds are counted from the first sample and do not overlap; least motion is the smallest spread of the specific
/// force's length.
package struct QuietestSecond {
  /// A second's figures.
  package struct Figures {
    /// When it begins.
    package var time: Timestamp
    /// Mean length of the specific force, m/s^2.
    package var meanForce: Double
    /// Spread of that length, m/s^2.
    var forceSpread: Double
    /// Mean length of the angular rate, rad/s.
    var meanTurn: Double
  }

  /// Nothing seen yet.
  package init() {}

  /// The quietest whole second so far.
  package private(set) var best: Figures?
  private var begin: Timestamp?
  private var count = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var turns = 0.0

  /// Notes the next sample.
  package mutating func note(_ sample: IMUSample) {
    if let begin, sample.timestamp.seconds(since: begin) >= 1 {
      close(begin)
      self.begin = sample.timestamp
    }
    if begin == nil { begin = sample.timestamp }
    let force = sample.specificForce.norm
    count += 1
    sum += force
    squares += force * force
    turns += sample.angularVelocity.norm
  }

  private mutating func close(_ time: Timestamp) {
    defer { (count, sum, squares, turns) = (0, 0, 0, 0) }
    guard count >= 10 else { return }
    let mean = sum / count
    let spread = max(0, squares / count - mean * mean).squareRoot()
    if spread < best?.forceSpread ?? .infinity {
      best = Figures(time: time, meanForce: mean, forceSpread: spread, meanTurn: turns / count)
    }
  }
}
