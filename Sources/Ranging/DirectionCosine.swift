import Foundation
import Geometry

/// One number of an angle of arrival: the cosine between the way to the peer and one axis of the array, `c = a . d / |d|`.
///
/// That is what the phases of two patches measure. An array in the plane of the screen measures the cosines to its x and y axes
/// and nothing else: a peer behind it gives the same numbers as its mirror image before it, and an array in one line gives a cone.
/// Told as cosines, neither needs a case of its own, and no angle has to be wrapped.
///
/// An azimuth `alpha = atan2(x, -z)` without an elevation tells the half-planes in which the peer may lie, ahead and, seen by such an array,
/// its mirror image behind: `x cos(alpha) - |z| sin(alpha) = 0`, a cosine of zero to an axis that is another behind the array than before it
/// (`fold`). It was taken for the arcsine of the cosine to the x axis once, which it is for peers at the array's height only.
/// Source: Dotlic et al., "Angle of arrival estimation using Decawave DW1000 integrated circuits", WPNC 2017,
/// doi:10.1109/WPNC.2017.8250079.
package struct DirectionCosine: Equatable, Sendable {
  /// The axis `a` in the estimate's world, a unit vector.
  package var axis: Vector3
  /// The cosine that was measured, -1...1.
  package var cosine: Double
  /// Its variance.
  package var variance: Double
  /// A second axis, in the world, added to the first one where the peer is on the side to which `ahead` points, taken from it elsewhere: zero
  /// but for an azimuth alone.
  package var fold = Vector3.zero
  /// Where the array looks, a unit vector in the world; zero where nothing is folded.
  package var ahead = Vector3.zero

  /// The axis about which an azimuth alone turns, a unit vector in the world; zero where nothing is folded.
  package var upright = Vector3.zero

  package init(axis: Vector3, cosine: Double, variance: Double) {
    self.axis = axis
    self.cosine = cosine
    self.variance = variance
  }

  /// The axis for a peer at `d` from the array.
  package func axis(towards d: Vector3) -> Vector3 { ahead.dot(d) < 0 ? axis - fold : axis + fold }

  /// What the cosine changes by where the angle changes by one, for a peer at `d`: off the level an azimuth moves it less. Its
  /// variance goes with the square of that, and so it is the angle that is weighed; else places near the pole would fit any azimuth best.
  package func slope(towards d: Vector3) -> Double {
    let sine = upright.dot(d) / max(d.norm, 1e-6)
    return max(1 - sine * sine, Self.leastSquaredSlope).squareRoot()
  }

  /// Nearer to the pole an azimuth says no more.
  static let leastSquaredSlope = 0.01

  /// The model: `c` for a peer at `d` from the array, metres, and `dc/dd` (1x3), 1/m.
  package func model(_ d: Vector3) -> (cosine: Double, gradient: Vector3) {
    let r = max(d.norm, 1e-6)
    let u = d / r
    let axis = axis(towards: d)
    let c = axis.dot(u)
    return (c, (axis - c * u) / r)
  }

  /// Whether it tells above from below: its axis is no level one, by more than the 20 degrees that a hand holds it off.
  package var observesHeight: Bool { max(abs((axis + fold).z), abs((axis - fold).z)) > sin(.pi / 9) }

  /// The cosines that angles of arrival stand for; empty where there are none, or where they are outside of the cone in which the
  /// array is trusted.
  ///
  /// - Parameters:
  ///   - azimuth, elevation: `atan2(u.x, -u.z)` and `asin(u.y)` in device axes, radians.
  ///   - deviation: 1-sigma of the angles, radians.
  ///   - cone: largest angle off the array's axis, radians.
  ///   - worldFromDevice: the device's axes in the world.
  package static func measured(
    azimuth: Double?, elevation: Double?, deviation: Double, cone: Double, worldFromDevice: Rotation
  ) -> [DirectionCosine] {
    let (a, e) = (azimuth ?? 0, elevation ?? 0)
    guard azimuth != nil || elevation != nil, cos(a) * cos(e) >= cos(cone) else { return [] }
    let variance = deviation * deviation
    func square(_ x: Double) -> Double { x * x }
    var cosines: [DirectionCosine] = []
    if azimuth != nil, elevation == nil {
      var half = DirectionCosine(axis: cos(a) * (worldFromDevice * Vector3(1, 0, 0)), cosine: 0, variance: variance)
      half.ahead = worldFromDevice * Vector3(0, 0, -1)
      half.fold = -sin(a) * half.ahead
      half.upright = worldFromDevice * Vector3(0, 1, 0)
      cosines.append(half)
    } else if azimuth != nil {
      cosines.append(
        DirectionCosine(
          axis: worldFromDevice * Vector3(1, 0, 0), cosine: sin(a) * cos(e),
          variance: variance * (square(cos(a) * cos(e)) + square(sin(a) * sin(e)))))
    }
    if elevation != nil {
      cosines.append(
        DirectionCosine(axis: worldFromDevice * Vector3(0, 1, 0), cosine: sin(e), variance: variance * square(cos(e))))
    }
    return cosines
  }
}
