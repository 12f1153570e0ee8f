import Foundation

/// Time laws that begin and end with zero velocity.
enum Easing {
  /// From 0 to 1 with zero velocity and acceleration at both ends: `10 x^3 - 15 x^4 + 6 x^5`, the minimum-jerk law of
  /// human reaching. Source: Flash and Hogan, J. Neurosci. 5(7), 1985, doi:10.1523/JNEUROSCI.05-07-01688.1985.
  static func minimumJerk(_ x: Double) -> Double {
    let x = min(max(x, 0), 1)
    return x * x * x * (10 + x * (6 * x - 15))
  }

  /// A window over [0, duration]: rises from 0 to 1 within `ramp` seconds and falls back likewise.
  static func window(_ time: Double, duration: Double, ramp: Double) -> Double {
    let ramp = min(ramp, duration / 2)
    return minimumJerk(time / ramp) * minimumJerk((duration - time) / ramp)
  }

  /// `amplitude * sin(2 pi t / period)` times that window.
  static func swing(_ time: Double, duration: Double, amplitude: Double, period: Double) -> Double {
    amplitude * sin(2 * .pi * time / period) * window(time, duration: duration, ramp: period / 4)
  }
}
