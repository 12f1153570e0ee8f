import Foundation

/// A lens that is symmetric about its axis: image radius (in focal lengths) as a function of the angle off the axis.
protocol RadialLens: Sendable {
  /// Image radius at an angle, radians, and its derivative; a slope that is not positive means out of the lens's range.
  func radius(_ angle: Double) -> (value: Double, slope: Double)
  /// The angle in 0..<pi with this radius; nil when there is none.
  func angle(ofRadius radius: Double) -> Double?
}

/// `r = theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8)`.
/// Source: Kannala and Brandt, TPAMI 28(8), 2006, doi:10.1109/TPAMI.2006.153.
struct KannalaBrandt: RadialLens {
  var k1, k2, k3, k4: Double

  func radius(_ angle: Double) -> (value: Double, slope: Double) {
    let s = angle * angle
    let value = angle * (1 + s * (k1 + s * (k2 + s * (k3 + s * k4))))
    let slope = 1 + s * (3 * k1 + s * (5 * k2 + s * (7 * k3 + s * 9 * k4)))
    return (value, slope)
  }

  func angle(ofRadius radius: Double) -> Double? {
    // Newton's steps, kept inside a bracket that bisection narrows: converges from anywhere on the rising branch.
    var low = 0.0, high = Double.pi, theta = min(radius, 1.5)
    for _ in 0..<100 {
      let (value, slope) = self.radius(theta)
      if slope <= 0 { high = theta } else if value < radius { low = theta } else { high = theta }
      let newton = slope > 0 ? theta - (value - radius) / slope : -1
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - theta) < 1e-15 { break }
      theta = next
    }
    let (value, slope) = self.radius(theta)
    return slope > 0 && abs(value - radius) < 1e-9 * (1 + radius) ? theta : nil
  }
}

/// `r = atan(2 tan(theta) tan(w / 2)) / w`.
/// Source: Devernay and Faugeras, "Straight lines have to be straight", 2001, doi:10.1007/PL00013269.
struct FieldOfViewLens: RadialLens {
  var w: Double

  func radius(_ angle: Double) -> (value: Double, slope: Double) {
    // Without noticeable distortion it is a pinhole.
    if abs(w) < 1e-6 { return angle < .pi / 2 ? (tan(angle), 1 / (cos(angle) * cos(angle))) : (.infinity, 0) }
    let k = 2 * tan(w / 2)
    let (s, c) = (sin(angle), cos(angle))
    return (atan2(k * s, c) / w, k / (w * (c * c + k * k * s * s)))
  }

  func angle(ofRadius radius: Double) -> Double? {
    if abs(w) < 1e-6 { return atan(radius) }
    guard radius * w < .pi else { return nil }
    return atan2(sin(radius * w), 2 * tan(w / 2) * cos(radius * w))
  }
}
