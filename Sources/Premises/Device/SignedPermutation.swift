import Geometry

/// Axes in another order or with other signs.
enum SignedPermutation {
  /// All 48 but the identity, proper and improper.
  static let all: [Matrix3] = everyone.filter { $0 != .identity }
  /// The 23 rotations among them.
  static let proper: [Matrix3] = all.filter { $0.determinant > 0 }

  private static let everyone: [Matrix3] = {
    let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
    var found: [Matrix3] = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      for signs in 0..<8 {
        let rows = order.enumerated().map { k, axis in (signs >> k) & 1 == 1 ? -axes[axis] : axes[axis] }
        found.append(Matrix3(rows: rows[0], rows[1], rows[2]))
      }
    }
    return found
  }()
}
