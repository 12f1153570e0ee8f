import CameraGeometry
import Geometry
import Inertial

/// Closed-form initialisation of velocity and gravity from feature tracks, with rotations from the gyroscope.
///
/// Camera i is at `c_i = c0_i + t_i v + t_i^2/2 g` in the axes of the first IMU pose. A point f observed along d_i
/// satisfies `(I - d_i d_i^T) (f - c_i) = 0`, which is linear in f, v and g. Every point is eliminated separately. Six
/// unknowns remain, with gravity of known length (`GravitySphere`). Biases are not estimated: they would absorb the
/// noise of the observations.
/// Source: Dong-Si and Mourikis, "Estimator initialization in vision-aided inertial navigation with unknown camera-IMU
/// calibration", IROS 2012, doi:10.1109/IROS.2012.6386235.
package struct ClosedFormInitializer {
  /// An IMU pose integrated from samples alone, from zero velocity and without gravity, in the first pose's axes.
  package struct Moment {
    /// Seconds since the first pose.
    package var seconds: Double
    /// The pose.
    package var pose: Pose

    /// A moment from its parts.
    package init(seconds: Double, pose: Pose) {
      self.seconds = seconds
      self.pose = pose
    }
  }

  /// Velocity of the IMU at the first pose, in its axes, m/s.
  package var velocity = Vector3.zero
  /// Gravity in the same axes, m/s^2.
  package var gravity = Vector3.zero

  /// Distance of every point in the first round, metres.
  private static let distance = 3.0
  /// Prior 1-sigma of the speed of a hand-held device, m/s: regularises the equations.
  private static let speed = 5.0

  /// - Parameters:
  ///   - tracks: observations refer to `moments` by index.
  ///   - angularNoise: of an observation, 1-sigma, rad.
  ///   - gyroscopeBiasRate: 1-sigma of the rotation rate error due to the unknown gyroscope bias, rad/s; it reduces the
  ///     weight of observations long after the first.
  /// - Returns: nil if the direction of gravity is not determined.
  package init?(
    _ moments: [Moment], tracks: [FeatureTrack], imuFromCamera: Pose, gravityMagnitude: Double, angularNoise: Double,
    gyroscopeBiasRate: Double
  ) {
    let terms = tracks.map { track in
      track.observations.map { Term(moments[$0.poseID], $0.direction, imuFromCamera) }
    }
    // Residuals are weighted by angle: the second round uses the distances of the first.
    for round in 0..<2 {
      var system = System(speed: Self.speed)
      for point in terms {
        let weights = point.map { term in
          let distance = round == 0 ? Self.distance : Self.distance(of: point, to: term, self)
          let biasRotation = gyroscopeBiasRate * term.seconds
          return 1 / ((angularNoise * angularNoise + biasRotation * biasRotation) * distance * distance)
        }
        system.add(point, weights)
      }
      guard let solution = system.solved(length: gravityMagnitude) else { return nil }
      self = solution
    }
  }

  private init(velocity: Vector3, gravity: Vector3) { (self.velocity, self.gravity) = (velocity, gravity) }

  private static func distance(of point: [Term], to term: Term, _ solution: ClosedFormInitializer) -> Double {
    var square = Matrix3.zero, side = Vector3.zero
    for other in point {
      square += other.across
      side += other.across * other.position(solution)
    }
    guard let inverse = (square + .softness).inverse else { return Self.distance }
    let distance = (inverse * side - term.position(solution)).norm
    return distance.isFinite ? min(max(distance, 0.3), 30) : Self.distance
  }

  /// One observation: the projection orthogonal to its direction, and the camera position as a function of the
  /// unknowns.
  private struct Term {
    var across: Matrix3
    var center: Vector3
    var seconds: Double
    init(_ moment: Moment, _ direction: Vector3, _ imuFromCamera: Pose) {
      let camera = moment.pose * imuFromCamera
      let d = camera.rotation * direction
      seconds = moment.seconds
      across = Matrix3.identity + -Matrix3(outer: d, d)
      center = camera.translation
    }

    /// Derivatives of the position by velocity and by gravity.
    var by: [Double] { [seconds, 0.5 * seconds * seconds] }

    func position(_ s: ClosedFormInitializer) -> Vector3 { center + by[0] * s.velocity + by[1] * s.gravity }
  }

  /// Normal equations in (v, g), in blocks of three.
  private struct System {
    var N = [Matrix3](repeating: .zero, count: 4)
    var right = [Vector3](repeating: .zero, count: 2)

    init(speed: Double) { N[0] = Matrix3(diagonal: Vector3(repeating: 1 / (speed * speed))) }

    /// Adds a point's observations with the point eliminated.
    mutating func add(_ point: [Term], _ weights: [Double]) {
      var square = Matrix3.zero, center = Vector3.zero
      var by = [Matrix3](repeating: .zero, count: 2)
      for (term, weight) in zip(point, weights) {
        let across = weight * term.across
        let weighted = across * term.center
        square += across
        center += weighted
        for i in 0..<2 {
          by[i] += term.by[i] * across
          for j in 0..<2 { N[2 * i + j] += (term.by[i] * term.by[j]) * across }
          right[i] = right[i] - term.by[i] * weighted
        }
      }
      guard let inverse = (square + weights.reduce(0, +) * Matrix3.softness).inverse else { return }
      for i in 0..<2 {
        let left = by[i] * inverse
        for j in 0..<2 { N[2 * i + j] += -(left * by[j]) }
        right[i] += left * center
      }
    }

    func solved(length: Double) -> ClosedFormInitializer? {
      guard let fast = N[0].inverse else { return nil }
      let D = N[3] + -(N[2] * fast * N[1])
      let symmetric = 0.5 * (D + D.transpose)
      guard let gravity = GravitySphere.least(symmetric, right[1] - N[2] * (fast * right[0]), length: length) else {
        return nil
      }
      let velocity = fast * (right[0] - N[1] * gravity)
      return velocity.isFinite ? ClosedFormInitializer(velocity: velocity, gravity: gravity) : nil
    }
  }
}

extension Matrix3 {
  /// Per unit of weight: a point with less than a thirtieth of a milliradian of parallax carries no information on the
  /// motion.
  fileprivate static let softness = Matrix3(diagonal: Vector3(repeating: 1e-9))
}

/// Gravity of known length from a quadratic cost: minimises `g^T D g - 2 d^T g` subject to `|g| = length`.
///
/// The minimiser solves `(D - lambda I) g = d` with lambda at most D's smallest eigenvalue. There `|g|` increases with
/// lambda, so bisection finds it, and it is the global minimum.
/// Source: Gander, Golub, von Matt, "A constrained eigenvalue problem", 1989, doi:10.1016/0024-3795(89)90494-1.
package enum GravitySphere {
  /// The minimiser; nil if it is not unique (no linear part along the weakest direction) or not finite.
  ///
  /// - Parameters:
  ///   - D: symmetric, positive semidefinite.
  ///   - length: positive.
  package static func least(_ D: Matrix3, _ d: Vector3, length: Double) -> Vector3? {
    guard d.isFinite, D.trace.isFinite, D.trace > 0, length > 0 else { return nil }
    var low = -d.norm / length, high = D.trace
    for _ in 0..<200 {
      let middle = 0.5 * (low + high)
      if let g = solution(D, d, middle), g.norm <= length { low = middle } else { high = middle }
      if high - low <= 1e-16 * max(abs(low), abs(high)) { break }
    }
    guard let g = solution(D, d, low), abs(g.norm / length - 1) < 1e-3 else { return nil }
    return length * g.normalized
  }

  /// Nil where `D - lambda I` is not positive definite.
  private static func solution(_ D: Matrix3, _ d: Vector3, _ lambda: Double) -> Vector3? {
    let shifted = D + Matrix3(diagonal: Vector3(repeating: -lambda))
    let minor = shifted[0, 0] * shifted[1, 1] - shifted[0, 1] * shifted[1, 0]
    guard shifted[0, 0] > 0, minor > 0, shifted.determinant > 0, let inverse = shifted.inverse else { return nil }
    let g = inverse * d
    return g.isFinite ? g : nil
  }
}
