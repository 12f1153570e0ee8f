/// A rigid transform: `x_W = worldFromBody * x_B = R x_B + p`.
///
/// Laws, tested at random elements: `(a * b) * x == a * (b * x)`, `t * t.inverse == .identity`.
@frozen
public struct Pose: Equatable, Sendable {
  /// The rotation part R.
  public var rotation: Rotation
  /// The translation part p, metres: the origin of the right-hand frame in the left-hand one.
  public var translation: Vector3

  /// A transform from its parts.
  @inlinable public init(rotation: Rotation = .identity, translation: Vector3 = .zero) {
    self.rotation = rotation
    self.translation = translation
  }

  /// The identity transform.
  @inlinable public static var identity: Pose { Pose() }

  /// The inverse transform.
  @inlinable public var inverse: Pose {
    let r = rotation.inverse
    return Pose(rotation: r, translation: -(r * translation))
  }

  /// Composition; the inner frames cancel.
  @inlinable public static func * (a: Pose, b: Pose) -> Pose {
    Pose(rotation: a.rotation * b.rotation, translation: a.rotation * b.translation + a.translation)
  }

  /// The transformed point.
  @inlinable public static func * (t: Pose, point: Vector3) -> Vector3 { t.rotation * point + t.translation }

  /// The pose at `fraction` (0...1) between this one and `other`: constant angular rate, straight line.
  public func interpolated(to other: Pose, fraction: Double) -> Pose {
    Pose(
      rotation: rotation.interpolated(to: other.rotation, fraction: fraction),
      translation: translation + (other.translation - translation) * fraction)
  }

  // Rigid transforms as 16 numbers, row by row: `T_BS` in calibration files and event lines.

  /// Why 16 numbers are no rigid transform.
  package enum RigidTransformFault: Error, Equatable, Sendable {
    /// Another count than 16.
    case count(Int)
    /// The last row, which must be 0 0 0 1.
    case lastRow([Double])
    /// A determinant of 0.
    case singular
    /// A determinant below 0.
    case reflection
    /// Axes off orthonormal by this much, more than 1e-3.
    case skewed(Double)
    /// A lever arm of this many metres, 1 km or more.
    case leverArm(Double)
  }

  /// A pose from 16 numbers. Rotations orthonormal within 1e-3, as in rounded calibrations, are orthonormalised.
  package init(rigidTransform m: [Double]) throws(RigidTransformFault) {
    guard m.count == 16 else { throw .count(m.count) }
    guard abs(m[12]) < 1e-6, abs(m[13]) < 1e-6, abs(m[14]) < 1e-6, abs(m[15] - 1) < 1e-6 else {
      throw .lastRow(Array(m[12...]))
    }
    let matrix = Matrix3(rows: Vector3(m[0], m[1], m[2]), Vector3(m[4], m[5], m[6]), Vector3(m[8], m[9], m[10]))
    let determinant = matrix.determinant
    let gram = matrix.transpose * matrix - Matrix3.identity
    let skew = [gram.c0, gram.c1, gram.c2].map { max(abs($0.x), abs($0.y), abs($0.z)) }.max()!
    if abs(determinant) < 1e-6 { throw .singular }
    if determinant < 0 { throw .reflection }
    guard skew <= 1e-3 else { throw .skewed(skew) }
    let translation = Vector3(m[3], m[7], m[11])
    guard translation.norm < 1000 else { throw .leverArm(translation.norm) }
    self.init(rotation: Rotation(matrix: Self.nearestRotation(matrix)), translation: translation)
  }

  /// Newton's iteration for the orthogonal polar factor; quadratic, so four steps from 1e-3 reach rounding.
  /// Source: N. J. Higham, "Computing the polar decomposition", SIAM J. Sci. Stat. Comput. 7(4), 1986,
  /// doi:10.1137/0907079.
  private static func nearestRotation(_ matrix: Matrix3) -> Matrix3 {
    var r = matrix
    for _ in 0..<4 { if let inverse = r.inverse { r = 0.5 * (r + inverse.transpose) } }
    return r
  }

  /// 16 numbers, row by row. Reading them rounds: the rotation may come back one unit in the last place off.
  package var rigidTransform: [Double] {
    let r = rotation.matrix
    var numbers: [Double] = []
    for row in 0..<3 { numbers += [r[row, 0], r[row, 1], r[row, 2], translation[row]] }
    return numbers + [0, 0, 0, 1]
  }

  /// Whether `rigidTransform` reads back as this very pose, to the last bit.
  package var isReadableFromRigidTransform: Bool { (try? Pose(rigidTransform: rigidTransform)) == self }
}

extension Rotation {
  /// Whether a quaternion w, x, y, z has length 1 within 1 %: less is a rounded rotation, more none.
  package static func isUnit(_ w: Double, _ v: Vector3) -> Bool {
    abs((w * w + v.squaredNorm).squareRoot() - 1) <= 0.01
  }

  /// Four numbers w, x, y, z that `init(w:x:y:z:)`, which normalises, reads back as this very rotation, to the last bit.
  ///
  /// Normalising rounds, so the quaternion itself may read back one unit in the last place off. Quaternions a little
  /// longer round in other ways: the first that reads back the same is taken, in a fixed order. Where none of 10,000 does
  /// (which tests have not seen), the quaternion itself is returned.
  package var readableQuaternion: (w: Double, x: Double, y: Double, z: Double) {
    for step in 0..<10_000 {
      let scale = 1 + Double(step) * 0x1.3p-30
      let q = (w: w * scale, x: v.x * scale, y: v.y * scale, z: v.z * scale)
      if Rotation(w: q.w, x: q.x, y: q.y, z: q.z) == self { return q }
    }
    return (w, v.x, v.y, v.z)
  }
}

/// Covariance of a pose whose error is `R = Exp(theta) R_hat`, `p = p_hat + dp`, theta and dp in the world frame.
public struct PoseCovariance: Equatable, Sendable {
  /// Of theta, rad^2.
  public var rotation: Matrix3
  /// Cross-covariance of theta (rows) with dp (columns), rad m.
  public var cross: Matrix3
  /// Of dp, m^2.
  public var position: Matrix3

  /// A covariance from its blocks.
  public init(rotation: Matrix3 = .zero, cross: Matrix3 = .zero, position: Matrix3 = .zero) {
    self.rotation = rotation
    self.cross = cross
    self.position = position
  }

  /// The same for a point rigidly attached at `lever`, metres in world axes: `dp' = dp + theta x lever`.
  public func moved(by lever: Vector3) -> PoseCovariance {
    // dp' = dp - [lever]x theta
    let skew = lever.skew
    let across = skew * cross
    return PoseCovariance(
      rotation: rotation, cross: cross - rotation * skew.transpose,
      position: position - across - across.transpose + skew * rotation * skew.transpose)
  }

  /// The upper triangle of the 6x6 matrix over (theta, dp), row by row: 21 numbers.
  public var upperTriangle: [Double] {
    var values: [Double] = []
    for row in 0..<6 {
      for column in row..<6 {
        switch (row < 3, column < 3) {
        case (true, true): values.append(rotation[row, column])
        case (true, false): values.append(cross[row, column - 3])
        default: values.append(position[row - 3, column - 3])
        }
      }
    }
    return values
  }

  /// From the 21 numbers of `upperTriangle`; nil for another count.
  public init?(upperTriangle values: [Double]) {
    guard values.count == 21 else { return nil }
    self.init()
    var k = 0
    for row in 0..<6 {
      for column in row..<6 {
        switch (row < 3, column < 3) {
        case (true, true):
          rotation[row, column] = values[k]
          rotation[column, row] = values[k]
        case (true, false): cross[row, column - 3] = values[k]
        default:
          position[row - 3, column - 3] = values[k]
          position[column - 3, row - 3] = values[k]
        }
        k += 1
      }
    }
  }
}
