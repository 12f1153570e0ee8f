import Geometry
import LeastSquares
import Premises
import Testing

/// The solver of four unknowns against the general one.
@Suite struct Symmetric4Tests {
  @Test func solvesAsTheGeneralSolver() throws {
    let rows: [SIMD4<Double>] = [
      [1, 0.2, -0.4, 1], [0.3, 2, 0.1, 1], [-0.7, 0.5, 1.5, 1], [0.9, -1.1, 0.4, 1], [0.1, 0.1, -2, 1],
    ]
    var matrix = Symmetric4(), dense = [Double](repeating: 0, count: 16)
    for (k, row) in rows.enumerated() {
      let weight = 0.5 + Double(k)
      matrix.add(weight, row)
      for r in 0..<4 { for c in 0..<4 { dense[4 * r + c] += weight * row[r] * row[c] } }
    }
    matrix.addDiagonal([0.1, 0.2, 0.3, 4])
    for (k, d) in [0.1, 0.2, 0.3, 4].enumerated() { dense[5 * k] += d }
    for k in 0..<4 { #expect(abs(matrix.diagonal[k] - dense[5 * k]) < 1e-12) }
    let right: SIMD4<Double> = [1, -2, 3, 0.5]
    let found = try #require(matrix.solve(right))
    let expected = try #require(SmallCholesky.solve(dense, [1, -2, 3, 0.5], size: 4))
    for k in 0..<4 { #expect(abs(found[k] - expected[k]) < 1e-12) }
  }

  @Test func refusesWhatIsNotPositiveDefinite() {
    var singular = Symmetric4()
    singular.add(1, [1, 2, 3, 4])
    #expect(singular.solve([1, 1, 1, 1]) == nil)
    #expect(Symmetric4().solve([1, 1, 1, 1]) == nil)
    var endless = Symmetric4()
    endless.add(.infinity, [1, 1, 1, 1])
    #expect(endless.solve([1, 1, 1, 1]) == nil)
  }
}
