import Simulation
import Smoothing
import Testing

/// The envelope Cholesky kernels against dense arithmetic.
@Suite struct NormalEquationsTests {
  /// Dense inverse by Gauss-Jordan with pivoting.
  static func inverse(_ matrix: [[Double]]) -> [[Double]] {
    let n = matrix.count
    var a = (0..<n).map { i in matrix[i] + (0..<n).map { $0 == i ? 1.0 : 0 } }
    for k in 0..<n {
      let pivot = (k..<n).max { abs(a[$0][k]) < abs(a[$1][k]) }!
      a.swapAt(k, pivot)
      let scale = a[k][k]
      for j in 0..<2 * n { a[k][j] /= scale }
      for i in 0..<n where i != k {
        let factor = a[i][k]
        for j in 0..<2 * n { a[i][j] -= factor * a[k][j] }
      }
    }
    return a.map { Array($0[n...]) }
  }

  let sizes = [6, 7, 6, 8, 6, 6, 3, 3], first = [0, 0, 1, 1, 3, 3, 3, 0]
  var offsets: [Int] { sizes.indices.map { sizes[..<$0].reduce(0, +) } }
  var total: Int { sizes.reduce(0, +) }

  /// Rows over some blocks, as full rows.
  static func full(_ jacobian: [Double], _ rows: Int, _ spans: [Range<Int>], _ total: Int) -> [[Double]] {
    let width = spans.reduce(0) { $0 + $1.count }
    return (0..<rows).map { i in
      var row = [Double](repeating: 0, count: total)
      for (k, j) in spans.flatMap(Array.init).enumerated() { row[j] = jacobian[i * width + k] }
      return row
    }
  }

  static func close(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-9 * max(1, abs(a), abs(b)) }

  @Test func solvesAndInvertsAsDenseArithmeticDoes() throws {
    var source = SeededRandom(seed: 1)
    let equations = try #require(NormalEquations(sizes: sizes, first: first))
    var rows: [[Double]] = [], residuals: [Double] = []
    func span(_ block: Int) -> Range<Int> { offsets[block]..<offsets[block] + sizes[block] }
    func add(_ blocks: [Int], count: Int) {
      let width = blocks.reduce(0) { $0 + sizes[$1] }
      let jacobian = (0..<count * width).map { _ in source.gaussian() },
        residual = (0..<count).map { _ in source.gaussian() }
      let weight = (0..<count * count).map { _ in source.gaussian() }
      #expect(equations.add(blocks: blocks, jacobian: jacobian, residual: residual, weight: weight))
      let dense = Self.full(jacobian, count, blocks.map(span), total)
      for i in 0..<count {
        rows.append((0..<total).map { j in (0..<count).reduce(0) { $0 + weight[i * count + $1] * dense[$1][j] } })
        residuals.append((0..<count).reduce(0) { $0 + weight[i * count + $1] * residual[$1] })
      }
    }
    add([0], count: 6)
    for k in 1..<6 { add([k, first[k]].sorted(), count: 9) }
    add([3, 2, 7], count: 5)
    add([7], count: 3)
    add([4], count: 6)
    // Two points: one is a block, one is eliminated, with its three numbers as extra unknowns of the dense system.
    var wide = rows.map { $0 + [0, 0, 0] }
    for (point, column) in [(6, offsets[6]), (nil, total)] {
      let blocks = [3, 4, 5]
      let A = (0..<36).map { _ in source.gaussian() }, B = (0..<18).map { _ in source.gaussian() }
      let C = (0..<18).map { _ in source.gaussian() }, r = (0..<6).map { _ in source.gaussian() }
      #expect(
        equations.addPoint(
          blocks: blocks.map(Int32.init), point: point, shared: 7, pose: A, common: B, byPoint: C, residual: r,
          barrier: (0.7, 1.3)))
      for i in 0..<6 {
        var row = [Double](repeating: 0, count: total + 3)
        for j in 0..<6 { row[offsets[blocks[i / 2]] + j] = A[6 * i + j] }
        for j in 0..<3 { row[offsets[7] + j] = B[3 * i + j] }
        for j in 0..<3 { row[column + j] = C[3 * i + j] }
        wide.append(row)
      }
      residuals += r
      var barrier = [Double](repeating: 0, count: total + 3)
      barrier[column + 2] = 1.3
      wide.append(barrier)
      residuals.append(0.7)
    }
    let n = total + 3
    let H = (0..<n).map { i in (0..<n).map { j in wide.reduce(0) { $0 + $1[i] * $1[j] } } }
    let g = (0..<n).map { i in zip(wide, residuals).reduce(0) { $0 + $1.0[i] * $1.1 } }
    let covariance = Self.inverse(H)
    let step = try #require(equations.solve(damping: 0))
    for i in 0..<total { #expect(Self.close(step[i], -(0..<n).reduce(0) { $0 + covariance[i][$1] * g[$1] })) }
    try #require(equations.invert())
    for row in sizes.indices {
      for column in first[row]...row {
        let block = try #require(equations.inverse(row, column))
        let transposed = try #require(equations.inverse(column, row))
        for i in 0..<sizes[row] {
          for j in 0..<sizes[column] {
            #expect(Self.close(block[i * sizes[column] + j], covariance[offsets[row] + i][offsets[column] + j]))
            #expect(block[i * sizes[column] + j] == transposed[j * sizes[row] + i])
          }
        }
      }
    }
    #expect(equations.inverse(5, 0) == nil)
  }

  @Test func refusesInvalidBlocks() throws {
    #expect(NormalEquations(sizes: [3, 3], first: [0, 2]) == nil)
    #expect(NormalEquations(sizes: [], first: []) == nil)
    let equations = try #require(NormalEquations(sizes: [6, 6, 6], first: [0, 0, 2]))
    let zeros = [Double](repeating: 0, count: 36)
    #expect(!equations.add(blocks: [0, 2], jacobian: [Double](repeating: 1, count: 12), residual: [1]))
    #expect(!equations.add(blocks: [0], jacobian: [.nan] + zeros[1..<6], residual: [1]))
    #expect(!equations.add(blocks: [3 - 1], jacobian: [Double](repeating: 1, count: 6), residual: [.infinity]))
    // A point must come after its observing blocks, and the shared block after the point.
    func point(_ blocks: [Int32], _ point: Int, shared: Int) -> Bool {
      equations.addPoint(
        blocks: blocks, point: point, shared: shared, pose: [Double](repeating: 1, count: 12 * blocks.count),
        common: [Double](repeating: 1, count: 12 * blocks.count),
        byPoint: [Double](repeating: 1, count: 6 * blocks.count),
        residual: [Double](repeating: 1, count: 2 * blocks.count))
    }
    #expect(!point([0], 1, shared: 2) && !point([0, 1], 0, shared: 2) && !point([0], 2, shared: 1))
    #expect(equations.solve(damping: 0) == nil)  // nothing was added: singular
  }
}
