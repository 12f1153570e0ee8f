import Geometry
import Simulation
import Testing

/// Laws of symmetric matrices, at random ones.
@Suite struct SymmetricMatrixTests {
  private static func positive(_ random: inout SeededRandom) -> Matrix3 {
    let root = Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
    return root * root.transpose + 0.1 * Matrix3.identity
  }

  @Test func theLowerRootGivesItsMatrixBack() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100 {
      let m = Self.positive(&random)
      let root = try #require(m.lowerRoot)
      #expect(root[0, 1] == 0 && root[0, 2] == 0 && root[1, 2] == 0)
      let back = root * root.transpose
      for r in 0..<3 { for c in 0..<3 { #expect(abs(back[r, c] - m[r, c]) < 1e-9) } }
    }
    #expect(Matrix3(diagonal: Vector3(1, -1, 1)).lowerRoot == nil)
    #expect(Matrix3.zero.lowerRoot == nil)
  }

  /// No direction goes below the smallest ratio, and in the best of many one comes near it.
  @Test func noDirectionIsBelowTheSmallestRatio() throws {
    var random = SeededRandom(seed: 2)
    for _ in 0..<20 {
      let (m, b) = (Self.positive(&random), Self.positive(&random))
      let smallest = try #require(m.smallestRatio(to: b))
      var found = Double.infinity
      for _ in 0..<20_000 {
        let n = random.gaussian3().normalized
        found = min(found, m.form(n, n) / b.form(n, n))
      }
      #expect(found >= smallest - 1e-9 && found < 1.05 * smallest + 0.02)
    }
    let m = Self.positive(&random)
    #expect(abs(try #require(m.smallestRatio(to: .identity)) - m.smallestEigenvalue) < 1e-9)
    #expect(m.smallestRatio(to: .zero) == nil)
  }
}
