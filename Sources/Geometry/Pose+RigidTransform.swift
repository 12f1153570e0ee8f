/// Rigid transforms as 16 numbers, row by row: `T_BS` in calibration files and event lines.
extension Pose {
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
