import Foundation
import Geometry

/// One component of an angle of arrival (AoA): the direction cosine between the line-of-sight vector and one axis of
/// the array, `c = a . d / |d|`.
///
/// The phase difference of two antenna elements measures this cosine. A planar array in the plane of the screen
/// measures the cosines to its x and y axes only: a peer behind it and its reflection image in front give the same
/// values. A linear array gives a cone. As cosines neither needs a special case, and no angle has to be wrapped.
///
/// An azimuth `alpha = atan2(x, -z)` without an elevation constrains the peer to two half-planes, one ahead and its
/// reflection image behind: `x cos(alpha) - |z| sin(alpha) = 0`. This is a cosine of zero to an axis that differs
/// between the front and the back of the array (`foldedAxis`). The arcsine of the cosine to the x axis equals the
/// azimuth only for peers level with the array. Source: Dotlic et al., "Angle of arrival estimation using Decawave
/// DW1000 integrated circuits", WPNC 2017, doi:10.1109/WPNC.2017.8250079.
package struct DirectionCosine: Equatable, Sendable {
  /// The axis `a` in the estimate's world, a unit vector.
  package var axis: Vector3
  /// The measured cosine, -1...1.
  package var cosine: Double
  /// Its variance.
  package var variance: Double
  /// A second axis, world. It is added to `axis` on the side of `boresight` and subtracted on the other; zero except
  /// for an azimuth alone.
  package var foldedAxis = Vector3.zero
  /// The array's viewing direction, a unit vector in the world; zero where nothing is folded.
  package var boresight = Vector3.zero

  /// The rotation axis of an azimuth alone, a unit vector in the world; zero where nothing is folded.
  package var rotationAxis = Vector3.zero

  package init(axis: Vector3, cosine: Double, variance: Double) {
    self.axis = axis
    self.cosine = cosine
    self.variance = variance
  }

  /// The axis for a peer at `d` from the array, metres.
  package func axis(towards d: Vector3) -> Vector3 { boresight.dot(d) < 0 ? axis - foldedAxis : axis + foldedAxis }

  /// Derivative of the cosine by the angle for a peer at `d`: cos(elevation) for an azimuth alone, 1 otherwise. The
  /// variance of the cosine is scaled by its square, so that the likelihood is that of the angle. Otherwise positions
  /// near the pole would fit any azimuth best.
  package func slope(towards d: Vector3) -> Double {
    let sine = rotationAxis.dot(d) / max(d.norm, 1e-6)
    return max(1 - sine * sine, Self.leastSquaredSlope).squareRoot()
  }

  /// Lower bound of the squared slope: close to the pole an azimuth carries no information.
  static let leastSquaredSlope = 0.01

  /// Measurement model: `c` for a peer at `d` from the array, metres, and its gradient `dc/dd` (1x3), 1/m.
  package func model(_ d: Vector3) -> (cosine: Double, gradient: Vector3) {
    let r = max(d.norm, 1e-6)
    let u = d / r
    let axis = axis(towards: d)
    let c = axis.dot(u)
    return (c, (axis - c * u) / r)
  }

  /// Whether the cosine observes the vertical: its axis is inclined by more than the 20 degrees of a hand-held device.
  package var observesHeight: Bool { max(abs((axis + foldedAxis).z), abs((axis - foldedAxis).z)) > sin(.pi / 9) }

  /// The cosines equivalent to measured angles of arrival. Empty without angles, or outside the cone in which the array
  /// is used.
  ///
  /// - Parameters:
  ///   - azimuth, elevation: `atan2(u.x, -u.z)` and `asin(u.y)` in device axes, radians.
  ///   - deviation: 1-sigma of the angles, radians.
  ///   - cone: largest angle off the array's axis, radians.
  ///   - worldFromDevice: rotation from device axes into the world.
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
      half.boresight = worldFromDevice * Vector3(0, 0, -1)
      half.foldedAxis = -sin(a) * half.boresight
      half.rotationAxis = worldFromDevice * Vector3(0, 1, 0)
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
