import Estimator
import Simulation
import Testing

/// Stacks of sparse rows compared with dense rows and naive formulas.
@Suite struct RowStackTests {
  typealias Naive = ErrorCovarianceTests

  /// Rows over few of the blocks, and the same over all rows of the covariance.
  struct Rows {
    var sparse: [LinearisedRows] = []
    var full: Naive.Matrix = []
    var residual: [Double] = []

    mutating func add(
      _ count: Int, over blocks: [ErrorCovariance.Block], of covariance: ErrorCovariance, _ source: inout SeededRandom
    ) {
      let columns = blocks.flatMap { block -> Range<Int> in
        let offset = covariance.offset(of: block)
        return offset..<offset + covariance.size(of: block)
      }
      let H = Naive.random(count, columns.count, &source), r = (0..<count).map { _ in source.gaussian() }
      sparse.append(LinearisedRows(blocks: blocks, jacobian: Naive.flat(H), residual: r))
      for row in H {
        var wide = [Double](repeating: 0, count: covariance.dimension)
        for (column, value) in zip(columns, row) { wide[column] = value }
        full.append(wide)
      }
      residual += r
    }

    func stack(_ covariance: ErrorCovariance) -> RowStack {
      var stack = RowStack()
      for rows in sparse { stack.append(rows, in: covariance) }
      return stack
    }
  }

  /// Ten correlated blocks of three rows.
  static func ten(_ source: inout SeededRandom, usesBaseline: Bool = false) -> (
    ErrorCovariance, [ErrorCovariance.Block]
  ) {
    let covariance = ErrorCovariance(capacity: 16, usesBaseline: usesBaseline)
    var blocks: [ErrorCovariance.Block] = []
    for _ in 0..<10 {
      let jacobian = blocks.map { ($0, Naive.flat(Naive.random(3, 3, &source)).map { 0.2 * $0 }) }
      blocks.append(
        covariance.augment(size: 3, jacobian: jacobian, independent: Naive.flat(Naive.spd(3, &source)))!)
    }
    return (covariance, blocks)
  }

  /// AVX2 and baseline: every element is one sum in the same order, without fused multiplications. Parts of all heights
  /// up to 40 rows, so that every remainder of a tile is met.
  @Test func everyProcessorGivesTheSameBits() throws {
    for height in 1...40 {
      let outcomes = [false, true].map { usesBaseline -> (Naive.Matrix, UpdateResult, [Double], RowStack) in
        var source = SeededRandom(seed: UInt64(height))
        let (covariance, blocks) = Self.ten(&source, usesBaseline: usesBaseline)
        // One more row: 31 and not a multiple of a vector.
        _ = covariance.augment(size: 1, jacobian: [(blocks[3], [0.3, -0.2, 0.1])], independent: [0.5])
        var rows = Rows()
        rows.add(height, over: [blocks[7], blocks[2], blocks[height % 2]], of: covariance, &source)
        rows.add(3, over: [blocks[height % 7]], of: covariance, &source)
        let stack = rows.stack(covariance)
        var nis: [Double] = []
        covariance.normalizedInnovations(stack, into: &nis)
        var compressed = RowStack()
        let isFinite = compressed.compress(stack, in: covariance)
        #expect(isFinite)
        let result = covariance.update(stack)
        return (Naive.matrix(covariance), result, nis, compressed)
      }
      #expect(outcomes[0].0 == outcomes[1].0, "height \(height)")
      #expect(outcomes[0].2 == outcomes[1].2)
      #expect(outcomes[0].3 == outcomes[1].3)
      guard case .accepted(let a, let x) = outcomes[0].1, case .accepted(let b, let y) = outcomes[1].1 else {
        Issue.record("\(outcomes[0].1)")
        continue
      }
      #expect(a == b && x == y)
    }
  }

  /// Over several of the kernel's row blocks, with parts split between them, narrow and wide.
  @Test func anUpdateWithManyPartsIsTheKalmanUpdate() throws {
    var source = SeededRandom(seed: 31)
    for _ in 0..<10 {
      let (covariance, blocks) = Self.ten(&source)
      var rows = Rows()
      for i in 0..<13 { rows.add(2, over: [blocks[i % 10], blocks[(3 * i + 1) % 10]], of: covariance, &source) }
      rows.add(57, over: [blocks[7], blocks[2], blocks[0], blocks[5]], of: covariance, &source)
      rows.add(1, over: [blocks[9]], of: covariance, &source)

      let P = Naive.matrix(covariance), H = rows.full
      let PHt = Naive.times(P, Naive.transpose(H))
      let identity = H.indices.map { i in H.indices.map { i == $0 ? 1.0 : 0 } }
      let inverse = Naive.inverse(Naive.plus(Naive.times(H, PHt), identity))
      let K = Naive.times(PHt, inverse)
      let expected = Naive.plus(P, Naive.times(K, Naive.times(H, P)).map { $0.map { -$0 } })
      let gain = Naive.times(K, rows.residual.map { [$0] }).map { $0[0] }
      let nis = Naive.times([rows.residual], Naive.times(inverse, rows.residual.map { [$0] }))[0][0]

      let stack = rows.stack(covariance)
      guard case .rejected = covariance.update(stack, gate: 0.99 * nis) else { Issue.record("not rejected"); return }
      #expect(Naive.matrix(covariance) == P, "the blocks of rows before the refusal are undone")
      guard case .accepted(let found, let correction) = covariance.update(stack, gate: 1.01 * nis) else {
        Issue.record("not accepted")
        return
      }
      #expect(abs(found - nis) < 1e-9 * nis)
      #expect(zip(correction, gain).allSatisfy { abs($0 - $1) < 1e-9 })
      #expect(Naive.difference(Naive.matrix(covariance), expected) < 1e-9)
      #expect(Naive.matrix(covariance) == Naive.transpose(Naive.matrix(covariance)))
    }
  }

  /// The last rows have a negative variance, long after the first row block was processed.
  @Test func aFailureHalfwayChangesNothing() throws {
    var source = SeededRandom(seed: 32)
    let (covariance, blocks) = Self.ten(&source)
    let broken = try #require(covariance.augment(size: 1, independent: [-5]))
    var rows = Rows()
    rows.add(90, over: blocks, of: covariance, &source)
    rows.add(1, over: [broken], of: covariance, &source)
    rows.sparse[1].jacobian = [1]
    let before = Naive.matrix(covariance)
    #expect(covariance.update(rows.stack(covariance)) == .failed(.notPositiveDefinite))
    #expect(Naive.matrix(covariance) == before)
  }

  @Test func innovationsAreThoseOfEachPartByItself() throws {
    var source = SeededRandom(seed: 33)
    let (covariance, blocks) = Self.ten(&source)
    var rows = Rows()
    for i in 0..<4 { rows.add([1, 2, 9, 21][i], over: [blocks[i], blocks[2 * i + 1]], of: covariance, &source) }
    rows.sparse[1].residual[0] = .nan
    var nis: [Double] = []
    covariance.normalizedInnovations(rows.stack(covariance), into: &nis)
    try #require(nis.count == 4)
    var top = 0
    for (i, part) in rows.sparse.enumerated() {
      let count = part.residual.count, H = Array(rows.full[top..<top + count])
      top += count
      let identity = (0..<count).map { k in (0..<count).map { k == $0 ? 1.0 : 0 } }
      let S = Naive.plus(Naive.times(Naive.times(H, Naive.matrix(covariance)), Naive.transpose(H)), identity)
      let expected = Naive.times([part.residual], Naive.times(Naive.inverse(S), part.residual.map { [$0] }))[0][0]
      if i == 1 { #expect(nis[i].isNaN) } else { #expect(abs(nis[i] - expected) < 1e-9 * (1 + expected)) }
    }
  }

  /// Q^T Q is the identity: products of columns and residuals are preserved, and only as many rows remain as are
  /// informative.
  @Test(arguments: [30, 31, 34, 90]) func compressionKeepsTheInformation(count: Int) throws {
    var source = SeededRandom(seed: 34)
    let (covariance, blocks) = Self.ten(&source)
    var rows = Rows()
    rows.add(count - 9, over: blocks.reversed(), of: covariance, &source)
    rows.add(9, over: [blocks[4], blocks[1]], of: covariance, &source)
    var compressed = RowStack()
    let isDone = compressed.compress(rows.stack(covariance), in: covariance)
    #expect(isDone)
    // Nine rows over six columns have rank six.
    #expect(compressed.residual.count == (count <= 30 ? count : min(count - 3, 30)))
    Self.expectTheSame(compressed, rows, 1e-9)
  }

  /// Rows with unobservable directions, as for observations without global position and yaw: fewer rows than columns
  /// remain.
  @Test func compressionDropsUninformativeRows() throws {
    var source = SeededRandom(seed: 35)
    let (covariance, blocks) = Self.ten(&source)
    var rows = Rows()
    rows.add(60, over: blocks, of: covariance, &source)
    // The sum over all blocks, in each of the three axes, is unobservable.
    for i in 0..<60 {
      for axis in 0..<3 {
        let mean = (0..<10).reduce(0.0) { $0 + rows.full[i][3 * $1 + axis] } / 10
        for k in 0..<10 {
          rows.full[i][3 * k + axis] -= mean
          rows.sparse[0].jacobian[30 * i + 3 * k + axis] -= mean
        }
      }
    }
    var compressed = RowStack()
    let isDone = compressed.compress(rows.stack(covariance), in: covariance)
    #expect(isDone)
    #expect(compressed.residual.count == 27)
    Self.expectTheSame(compressed, rows, 1e-9)
    compressed.forEachRow { _, coefficients, _ in
      for axis in 0..<3 {
        #expect(abs((0..<10).reduce(0.0) { $0 + coefficients[coefficients.startIndex + 3 * $1 + axis] }) < 1e-12)
      }
    }
  }

  @Test func badNumbersAreNoCompression() throws {
    var source = SeededRandom(seed: 36)
    let (covariance, blocks) = Self.ten(&source)
    var rows = Rows()
    rows.add(40, over: blocks, of: covariance, &source)
    rows.sparse[0].jacobian[77] = .infinity
    var compressed = RowStack()
    let isDone = compressed.compress(rows.stack(covariance), in: covariance)
    #expect(!isDone && compressed.count == 0)
    let isEmpty = compressed.compress(RowStack(), in: covariance)
    #expect(isEmpty && compressed.count == 0)
  }

  /// `H^T H` and `H^T r`.
  static func expectTheSame(_ stack: RowStack, _ rows: Rows, _ tolerance: Double) {
    let n = rows.full[0].count
    var square = [Double](repeating: 0, count: n * n), right = [Double](repeating: 0, count: n)
    func add(_ columns: [Int], _ values: [Double], _ residual: Double, _ sign: Double) {
      for (i, a) in zip(columns, values) {
        right[i] += sign * a * residual
        for (j, b) in zip(columns, values) { square[i * n + j] += sign * a * b }
      }
    }
    for (row, residual) in zip(rows.full, rows.residual) { add(Array(0..<n), row, residual, 1) }
    stack.forEachRow { columns, values, residual in add(columns.map { Int($0) }, Array(values), residual, -1) }
    #expect((square + right).allSatisfy { abs($0) < tolerance })
  }
}
