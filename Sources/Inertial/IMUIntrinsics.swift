import Geometry
import SensorData

/// Intrinsic errors of an inertial unit beyond its biases: scale and misalignment of its axes.
///
/// Angular rate `(I + G) w - b_g`, specific force `(I + A) f - b_a`, with w and f as measured. G is a full matrix. A is
/// lower triangular: a common rotation of the accelerometer is absorbed by the other states.
/// Source: Rehder, Nikolic, Schneider, Hinzmann, Siegwart, "Extending kalibr: calibrating the extrinsics of multiple
/// IMUs and of individual axes", ICRA 2016, doi:10.1109/ICRA.2016.7487628.
package struct IMUIntrinsics: Equatable, Sendable {
  /// The parameters in threes: A's diagonal; A's (1,0), (2,0), (2,1); G's columns.
  package var triples: [Vector3]

  /// Number of parameters.
  package static let count = 15

  /// A perfect unit: all zero.
  package init() { triples = [Vector3](repeating: .zero, count: 5) }

  /// Adds a correction, one number per parameter in the order of `triples`.
  package mutating func add(_ d: ArraySlice<Double>) {
    precondition(d.count == Self.count, "one number for every error")
    let s = d.startIndex
    for k in triples.indices { triples[k] += Vector3(d[s + 3 * k], d[s + 3 * k + 1], d[s + 3 * k + 2]) }
  }

  /// True when nothing is NaN or infinite.
  package var isFinite: Bool { triples.allSatisfy(\.isFinite) }

  /// A reading corrected for these errors; biases are not removed.
  package func corrected(angularVelocity w: Vector3, specificForce f: Vector3) -> (rate: Vector3, force: Vector3) {
    let (scale, shear) = (triples[0], triples[1])
    let rate = w + w.x * triples[2] + w.y * triples[3] + w.z * triples[4]
    return (rate, f + scale * f + Vector3(0, shear.x * f.x, shear.y * f.x + shear.z * f.y))
  }

  /// Derivatives of the force by the first two triples, at a measured force.
  package static func forceDerivatives(_ f: Vector3) -> [Matrix3] {
    [Matrix3(diagonal: f), Matrix3(rows: .zero, Vector3(f.x, 0, 0), Vector3(0, f.x, f.y))]
  }

  /// Prior 1-sigma of every parameter: 1 % for a phone, which is not calibrated axis by axis (data sheets allow about
  /// that); 0.1 % for factory-calibrated units.
  package static func sigma(_ imu: IMUCalibration) -> Double { SensorGrade(imu).isPhone ? 0.01 : 0.001 }

  /// The prior as a covariance, 15 x 15, row-major.
  package static func covariance(_ imu: IMUCalibration) -> [Double] {
    var result = [Double](repeating: 0, count: count * count)
    for i in 0..<count { result[i * (count + 1)] = sigma(imu) * sigma(imu) }
    return result
  }
}

/// Derivatives of (theta, p, v) at the end of an interval by the IMU intrinsics. Errors of the intrinsics act like
/// biases proportional to the reading, with the opposite sign.
package struct IntrinsicsTransition: Sendable {
  /// Dependence on each triple of `IMUIntrinsics`.
  package private(set) var byTriple = [(theta: Matrix3, position: Matrix3, velocity: Matrix3)](
    repeating: (.zero, .zero, .zero), count: 5)

  /// Zero duration: zero.
  package init() {}

  /// Appends one step.
  ///
  /// - Parameters:
  ///   - step: transition of the inertial state over the step.
  ///   - rate: angular rate as measured, rad/s.
  ///   - force: specific force as measured, m/s^2.
  package mutating func extend(over step: InertialTransition, rate: Vector3, force: Vector3) {
    let forces = IMUIntrinsics.forceDerivatives(force)
    for k in byTriple.indices {
      let old = byTriple[k]
      var position = step.positionByRotation * old.theta + step.dt * old.velocity
      var velocity = step.velocityByRotation * old.theta
      if k < forces.count {
        position += -(step.positionByAccelerometerBias * forces[k])
        velocity += -(step.velocityByAccelerometerBias * forces[k])
      } else {
        let w = rate[k - forces.count]
        position += (-w) * step.positionByGyroscopeBias
        velocity += (-w) * step.velocityByGyroscopeBias
        byTriple[k].theta += (-w) * step.rotationByGyroscopeBias
      }
      byTriple[k].position += position
      byTriple[k].velocity += velocity
    }
  }

  /// Jacobian of the inertial error state by the intrinsics' errors, 15 x 15, row-major.
  package var matrix: [Double] {
    let n = InertialState.errorSize
    var result = [Double](repeating: 0, count: n * IMUIntrinsics.count)
    for (k, by) in byTriple.enumerated() {
      for (block, part) in [by.theta, by.position, by.velocity].enumerated() {
        for i in 0..<3 {
          for j in 0..<3 { result[(3 * block + i) * IMUIntrinsics.count + 3 * k + j] = part[i, j] }
        }
      }
    }
    return result
  }
}
