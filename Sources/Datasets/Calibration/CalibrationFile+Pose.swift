import Geometry

extension CalibrationFile {
  /// A rigid transform from 16 numbers, row by row, bare or under `data`; nil where the key is absent.
  ///
  /// Rotations orthonormal within 1e-3, as in rounded calibrations, are orthonormalised; a singular, skewed or
  /// reflected matrix is an error.
  package func pose(_ key: String) throws(DatasetError) -> Pose? {
    let what = "a rigid transform of 16 numbers"
    guard let m = try numbers(key, what) else { return nil }
    guard m.count == 16 else { throw fault(key, found: "\(key) of \(m.count) numbers", expected: what) }
    guard abs(m[12]) < 1e-6, abs(m[13]) < 1e-6, abs(m[14]) < 1e-6, abs(m[15] - 1) < 1e-6 else {
      throw fault(
        key, found: "\(key) with last row \(m[12]) \(m[13]) \(m[14]) \(m[15])", expected: "last row 0 0 0 1")
    }
    let matrix = Matrix3(rows: Vector3(m[0], m[1], m[2]), Vector3(m[4], m[5], m[6]), Vector3(m[8], m[9], m[10]))
    let determinant = matrix.determinant
    let gram = matrix.transpose * matrix - Matrix3.identity
    let skew = [gram.c0, gram.c1, gram.c2].map { max(abs($0.x), abs($0.y), abs($0.z)) }.max()!
    let orthonormal = "\(key) with orthonormal axes and determinant 1"
    if abs(determinant) < 1e-6 { throw fault(key, found: "\(key) is singular (determinant 0)", expected: orthonormal) }
    if determinant < 0 { throw fault(key, found: "\(key) is a reflection (determinant < 0)", expected: orthonormal) }
    guard skew <= 1e-3 else {
      throw fault(
        key, found: "\(key) is no rotation (its axes are off by \(Self.rounded(skew)))", expected: orthonormal)
    }
    let translation = Vector3(m[3], m[7], m[11])
    guard translation.norm < 1000 else {
      throw fault(
        key, found: "\(key) with a lever arm of \(Self.rounded(translation.norm)) m", expected: "less than 1 km")
    }
    return Pose(rotation: Rotation(matrix: Self.nearestRotation(matrix)), translation: translation)
  }

  /// Newton's iteration for the orthogonal polar factor; quadratic, so four steps from 1e-3 reach rounding.
  /// Source: N. J. Higham, "Computing the polar decomposition", SIAM J. Sci. Stat. Comput. 7(4), 1986,
  /// doi:10.1137/0907079.
  private static func nearestRotation(_ matrix: Matrix3) -> Matrix3 {
    var r = matrix
    for _ in 0..<4 { if let inverse = r.inverse { r = 0.5 * (r + inverse.transpose) } }
    return r
  }

  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
