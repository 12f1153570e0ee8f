import CGaussianSum
import Geometry
import LeastSquares

private typealias Lanes = SIMD4<Double>

/// Gauss-Newton descents to the rotation and the translation between two views, four side by side.
///
/// Each has the bits that it would have alone. What is minimised: `RelativeRotation`.
package struct EpipolarDescent {
  /// Where a descent ended.
  package struct End {
    /// Directions then to directions now.
    package fileprivate(set) var rotation = Rotation.identity
    /// Unit vector.
    package fileprivate(set) var translation: Vector3
    /// Sum of the normalised squares, each 16 at most.
    package fileprivate(set) var cost = Double.infinity
    /// Robust 1-sigma of the residuals, radians.
    package fileprivate(set) var deviation = 0.0
    /// Of rotation (3) and translation in its tangent plane (2), row-major, lower triangle.
    fileprivate var normal = [Double](repeating: 0, count: 25)

    /// Covariance of the rotation, rad^2, the translation marginalised; nil where it is not known.
    package var rotationCovariance: Matrix3? {
      guard let root = SmallCholesky.root(normal, size: 5) else { return nil }
      func column(_ k: Int) -> Vector3 {
        let x = SmallCholesky.solve(root: root, (0..<5).map { $0 == k ? 1 : 0 })
        return Vector3(x[0], x[1], x[2])
      }
      return Matrix3(columns: column(0), column(1), column(2))
    }
  }

  private static let rounds = 8
  /// Lanes of a row and of the state in the kernel.
  private static let (rowLanes, stateLanes) = (7, 13)

  /// Numbers of a pair: directions then and now.
  private let pairs: [Double]
  private let count: Int
  /// 1-sigma of a direction, radians.
  private let noise: Double
  private let usesBaseline: Bool

  /// Of unit directions then and now.
  ///
  /// - Parameters:
  ///   - noise: 1-sigma of a direction, radians.
  ///   - usesBaseline: without the processor's wider vectors; the bits are the same.
  package init(_ pairs: [(then: Vector3, now: Vector3)], noise: Double, usesBaseline: Bool = false) {
    self.pairs = pairs.flatMap { [$0.then.x, $0.then.y, $0.then.z, $0.now.x, $0.now.y, $0.now.z] }
    count = pairs.count
    self.noise = noise
    self.usesBaseline = usesBaseline
  }

  /// The descents from unit translations without a rotation, but those that fail.
  package func ends(from translations: [Vector3]) -> [End] {
    stride(from: 0, to: translations.count, by: 4).flatMap { first in
      ends(fromFour: Array(translations[first..<min(first + 4, translations.count)]))
    }
  }

  private func ends(fromFour starts: [Vector3]) -> [End] {
    var (translations, rotations) = (starts, starts.map { _ in Rotation.identity })
    var ends = starts.map { End(translation: $0) }, descending = Array(starts.indices)
    var state = [Lanes](repeating: .zero, count: Self.stateLanes)
    var rows = [Lanes](repeating: .zero, count: Self.rowLanes * count)
    var normal = [Lanes](repeating: .zero, count: 15), step = [Lanes](repeating: .zero, count: 5)
    for round in 1...Self.rounds where !descending.isEmpty {
      for lane in descending {
        Self.put(rotations[lane], translations[lane], &state, lane)
      }
      var deviations = Lanes.zero, isSolved = SIMD4<Int64>.zero
      state.withUnsafeBufferPointer { state in
        pairs.withUnsafeBufferPointer { pairs in
          var views = fuse_two_views(
            pairs: pairs.baseAddress, count: Int32(count), usesBaseline: usesBaseline ? 1 : 0, noise: noise,
            state: state.baseAddress)
          fuse_two_views_step(&views, &rows, &deviations, &normal, &step, &isSolved)
        }
      }
      descending.removeAll { lane in
        // Without an end its cost stays infinite.
        guard isSolved[lane] != 0 else { return true }
        let turn = Vector3(step[0][lane], step[1][lane], step[2][lane]), (u, v) = (step[3][lane], step[4][lane])
        let (e1, e2) = translations[lane].tangentBasis
        rotations[lane] = Rotation.exp(turn) * rotations[lane]
        translations[lane] = (translations[lane] + e1 * u + e2 * v).normalized
        let square = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + u * u + v * v
        guard round == Self.rounds || square < 1e-14 else { return false }
        ends[lane] = end(rotations[lane], translations[lane], deviations[lane], rows, normal, lane)
        return true
      }
    }
    return ends.filter { $0.cost.isFinite && $0.translation.isFinite }
  }

  private func end(
    _ rotation: Rotation, _ translation: Vector3, _ deviation: Double, _ rows: [Lanes], _ normal: [Lanes], _ lane: Int
  ) -> End {
    var end = End(rotation: rotation, translation: translation, deviation: deviation)
    end.cost = (0..<count).reduce(0) { sum, k in
      let residual = rows[Self.rowLanes * k][lane]
      return sum + min(residual * residual / (noise * noise), 16)
    }
    for r in 0..<5 { for c in 0...r { end.normal[5 * r + c] = normal[r * (r + 1) / 2 + c][lane] } }
    return end
  }

  /// A lane of the kernel's state: quaternion, translation and its tangents.
  private static func put(_ rotation: Rotation, _ translation: Vector3, _ state: inout [Lanes], _ lane: Int) {
    let (e1, e2) = translation.tangentBasis
    state.withUnsafeMutableBufferPointer { state in
      state[0][lane] = rotation.w
      for k in 0..<3 {
        state[1 + k][lane] = rotation.v[k]
        state[4 + k][lane] = translation[k]
        state[7 + k][lane] = e1[k]
        state[10 + k][lane] = e2[k]
      }
    }
  }
}
