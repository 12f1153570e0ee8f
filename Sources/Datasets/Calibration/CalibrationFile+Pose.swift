import Geometry

extension CalibrationFile {
  /// A rigid transform from 16 numbers, row by row, bare or under `data`; nil where the key is absent.
  ///
  /// Rotations orthonormal within 1e-3, as in rounded calibrations, are orthonormalised; a singular, skewed or
  /// reflected matrix is an error. A key `q_BS` beside `T_BS` (w, x, y, z) has the rotation to the last bit, which a
  /// matrix has not; it must be the matrix's within 1e-3.
  package func pose(_ key: String) throws(DatasetError) -> Pose? {
    let what = "a rigid transform of 16 numbers"
    guard let numbers = try numbers(key, what) else { return nil }
    let pose: Pose
    do throws(Pose.RigidTransformFault) {
      pose = try Pose(rigidTransform: numbers)
    } catch {
      let orthonormal = "\(key) with orthonormal axes and determinant 1"
      switch error {
      case .count(let count): throw fault(key, found: "\(key) of \(count) numbers", expected: what)
      case .lastRow(let row):
        throw fault(
          key, found: "\(key) with last row \(row[0]) \(row[1]) \(row[2]) \(row[3])", expected: "last row 0 0 0 1")
      case .singular: throw fault(key, found: "\(key) is singular (determinant 0)", expected: orthonormal)
      case .reflection: throw fault(key, found: "\(key) is a reflection (determinant < 0)", expected: orthonormal)
      case .skewed(let skew):
        throw fault(
          key, found: "\(key) is no rotation (its axes are off by \(Self.rounded(skew)))", expected: orthonormal)
      case .leverArm(let arm):
        throw fault(key, found: "\(key) with a lever arm of \(Self.rounded(arm)) m", expected: "less than 1 km")
      }
    }
    guard key.hasSuffix("T_BS"), let exact = try rotation(String(key.dropLast(4)) + "q_BS", near: pose.rotation)
    else {
      return pose
    }
    return Pose(rotation: exact, translation: pose.translation)
  }

  private func rotation(_ key: String, near rough: Rotation) throws(DatasetError) -> Rotation? {
    let what = "the quaternion w, x, y, z of the rotation in T_BS"
    guard let q = try numbers(key, what) else { return nil }
    guard q.count == 4, Rotation.isUnit(q[0], Vector3(q[1], q[2], q[3])) else {
      throw fault(key, found: "\(key): \(q)", expected: what)
    }
    let exact = Rotation(w: q[0], x: q[1], y: q[2], z: q[3])
    let difference = (rough.inverse * exact).log.norm
    guard difference < 1e-3 else {
      throw fault(key, found: "\(key) \(Self.rounded(difference)) rad off the matrix", expected: what)
    }
    return exact
  }

  private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}
