import Estimator
import Simulation
import Testing

/// The covariance compared with naive textbook formulas.
@Suite struct ErrorCovarianceTests {

  typealias Matrix = [[Double]]

  static func random(_ rows: Int, _ columns: Int, _ source: inout SeededRandom) -> Matrix {
    (0..<rows).map { _ in (0..<columns).map { _ in source.gaussian() } }
  }
  static func times(_ a: Matrix, _ b: Matrix) -> Matrix {
    a.map { row in b[0].indices.map { j in row.indices.reduce(0) { $0 + row[$1] * b[$1][j] } } }
  }
  static func transpose(_ a: Matrix) -> Matrix { a[0].indices.map { j in a.map { $0[j] } } }
  static func plus(_ a: Matrix, _ b: Matrix) -> Matrix { zip(a, b).map { zip($0, $1).map(+) } }
  static func flat(_ a: Matrix) -> [Double] { Array(a.joined()) }
  static func spd(_ n: Int, _ source: inout SeededRandom) -> Matrix {
    let a = random(n, n, &source)
    return times(a, transpose(a))
  }
  static func matrix(_ covariance: ErrorCovariance) -> Matrix {
    (0..<covariance.dimension).map { i in (0..<covariance.dimension).map { covariance[i, $0] } }
  }
  static func difference(_ a: Matrix, _ b: Matrix) -> Double {
    zip(a.joined(), b.joined()).map { abs($0 - $1) }.max() ?? 0
  }
  static func inverse(_ a: Matrix) -> Matrix {
    let n = a.count
    var m = a.enumerated().map { i, row in row + (0..<n).map { $0 == i ? 1 : 0 } }
    for k in 0..<n {
      let pivot = (k..<n).max { abs(m[$0][k]) < abs(m[$1][k]) }!
      m.swapAt(k, pivot)
      let scale = m[k][k]
      m[k] = m[k].map { $0 / scale }
      for i in 0..<n where i != k {
        let factor = m[i][k]
        m[i] = zip(m[i], m[k]).map { $0 - factor * $1 }
      }
    }
    return m.map { Array($0[n...]) }
  }

  /// A covariance of three correlated blocks (4, 3, 5 rows), grown once already.
  static func three(_ source: inout SeededRandom) -> (ErrorCovariance, [ErrorCovariance.Block]) {
    let covariance = ErrorCovariance(capacity: 4)
    let a = covariance.augment(size: 4, independent: flat(spd(4, &source)))!
    let b = covariance.augment(
      size: 3, jacobian: [(a, flat(random(3, 4, &source)))], independent: flat(spd(3, &source)))!
    let c = covariance.augment(
      size: 5, jacobian: [(b, flat(random(5, 3, &source))), (a, flat(random(5, 4, &source)))],
      independent: flat(spd(5, &source)))!
    return (covariance, [a, b, c])
  }

  /// An update with a fraction of the gain: the block's own rows are updated in full, the others with that fraction,
  /// held rows not at all. The result is a covariance.
  @Test func sharedUpdateIsWholeForItsOwnBlock() throws {
    var source = SeededRandom(seed: 22)
    for probability in [0, 0.01, 0.5, 1] {
      let (covariance, blocks) = Self.three(&source)
      let p = Self.matrix(covariance)
      let h = Self.random(1, 12, &source)
      let rows = Self.times(p, Self.transpose(h)).map { $0[0] }
      let variance = Self.times(h, Self.times(p, Self.transpose(h)))[0][0] + 0.3
      covariance.held = [(blocks[0], 1..<3)]
      let jacobian = [(blocks[0], Array(h[0][..<4])), (blocks[1], Array(h[0][4..<7])), (blocks[2], Array(h[0][7...]))]
      guard
        case .accepted(let nis, let correction) = covariance.update(
          jacobian: jacobian, residual: 0.7, noise: 0.3, probability: probability, own: blocks[1])
      else {
        Issue.record("no update")
        continue
      }
      #expect(abs(nis - 0.49 / variance) < 1e-12 * nis)
      let weights = (0..<12).map { (4..<7).contains($0) ? 1 : (1..<3).contains($0) ? 0 : probability }
      let expected = (0..<12).map { i in
        (0..<12).map { p[i][$0] - max(weights[i], weights[$0]) * rows[i] * rows[$0] / variance }
      }
      #expect(Self.difference(Self.matrix(covariance), expected) < 1e-9)
      for i in 0..<12 { #expect(abs(correction[i] - weights[i] * rows[i] * 0.7 / variance) < 1e-9) }
      for _ in 0..<100 {
        let x = Self.random(12, 1, &source)
        #expect(Self.times(Self.transpose(x), Self.times(expected, x))[0][0] > 0)
      }
    }
  }

  /// In place: T P T^T with T the identity except for the block's rows; also without the block among its own columns.
  @Test(arguments: [true, false]) func transformationIsALinearMap(includesItself: Bool) {
    var source = SeededRandom(seed: 21)
    let (covariance, blocks) = Self.three(&source)
    let before = Self.matrix(covariance)
    let own = Self.random(3, 3, &source), other = Self.random(3, 5, &source)
    var T = (0..<12).map { i in (0..<12).map { i == $0 ? 1.0 : 0 } }
    for i in 0..<3 {
      for j in 0..<3 { T[4 + i][4 + j] = includesItself ? own[i][j] : 0 }
      for j in 0..<5 { T[4 + i][7 + j] = other[i][j] }
    }
    let expected = Self.times(Self.times(T, before), Self.transpose(T))
    let jacobian = [(blocks[2], Self.flat(other))] + (includesItself ? [(blocks[1], Self.flat(own))] : [])
    #expect(covariance.transform(blocks[1], jacobian: jacobian))
    #expect(Self.difference(Self.matrix(covariance), expected) < 1e-10)
    #expect(!covariance.transform(blocks[1], jacobian: [(blocks[0], [Double](repeating: .nan, count: 12))]))
    #expect(Self.difference(Self.matrix(covariance), expected) < 1e-10)
  }

  @Test func augmentationIsTheJointCovarianceOfALinearMap() {
    var source = SeededRandom(seed: 1)
    let covariance = ErrorCovariance(capacity: 4)
    let P = Self.spd(4, &source), J = Self.random(3, 4, &source), W = Self.spd(3, &source)
    let a = covariance.augment(size: 4, independent: Self.flat(P))!
    let b = covariance.augment(size: 3, jacobian: [(a, Self.flat(J))], independent: Self.flat(W))!
    let cross = Self.times(J, P)
    let own = Self.plus(Self.times(cross, Self.transpose(J)), W)
    let full =
      zip(P, Self.transpose(cross)).map { $0 + $1 } + zip(cross, own).map { $0 + $1 }
    #expect(Self.difference(Self.matrix(covariance), full) < 1e-12)
    #expect(
      covariance.marginal([b]) == Self.flat(own.indices.map { i in own.indices.map { covariance[4 + i, 4 + $0] } }))
    #expect(covariance.offset(of: b) == 4 && covariance.size(of: b) == 3)
  }

  @Test func propagationTouchesOneBlockAndItsCrossTerms() {
    var source = SeededRandom(seed: 2)
    let (covariance, blocks) = Self.three(&source)
    let before = Self.matrix(covariance)
    let F = Self.random(3, 3, &source), Q = Self.spd(3, &source)
    var whole = (0..<12).map { i in (0..<12).map { $0 == i ? 1.0 : 0 } }
    var noise = [[Double]](repeating: [Double](repeating: 0, count: 12), count: 12)
    for i in 0..<3 { for j in 0..<3 { (whole[4 + i][4 + j], noise[4 + i][4 + j]) = (F[i][j], Q[i][j]) } }
    let expected = Self.plus(Self.times(Self.times(whole, before), Self.transpose(whole)), noise)
    #expect(covariance.propagate(blocks[1], transition: Self.flat(F), noise: Self.flat(Q)))
    #expect(Self.difference(Self.matrix(covariance), expected) < 1e-11)
  }

  @Test func noiseIsThatOfARandomWalk() {
    var source = SeededRandom(seed: 3)
    let (a, blocksA) = Self.three(&source)
    source = SeededRandom(seed: 3)
    let (b, blocksB) = Self.three(&source)
    a.addNoise(blocksA[1], variance: [1, 2, 3])
    b.propagate(blocksB[1], transition: [1, 0, 0, 0, 1, 0, 0, 0, 1], noise: [1, 0, 0, 0, 2, 0, 0, 0, 3])
    #expect(Self.difference(Self.matrix(a), Self.matrix(b)) < 1e-13)
    #expect(!a.addNoise(blocksA[1], variance: [1, 2, .nan]))
  }

  @Test func updateIsTheKalmanUpdate() throws {
    var source = SeededRandom(seed: 4)
    let (covariance, blocks) = Self.three(&source)
    let P = Self.matrix(covariance)
    let H0 = Self.random(2, 4, &source), H2 = Self.random(2, 5, &source), R = Self.spd(2, &source)
    let r = [0.3, -0.7]
    let H = zip(H0, H2).map { $0 + [0, 0, 0] + $1 }
    let PHt = Self.times(P, Self.transpose(H))
    let Sinverse = Self.inverse(Self.plus(Self.times(H, PHt), R))
    let K = Self.times(PHt, Sinverse)
    let expected = Self.plus(P, Self.times(K, Self.times(H, P)).map { $0.map { -$0 } })
    let gain = Self.times(K, r.map { [$0] }).map { $0[0] }
    let nis = Self.times([r], Self.times(Sinverse, r.map { [$0] }))[0][0]

    let jacobian = [(blocks[2], Self.flat(H2)), (blocks[0], Self.flat(H0))]
    let predicted = try #require(
      covariance.normalizedInnovation(jacobian: jacobian, residual: r, noise: Self.flat(R)))
    #expect(abs(predicted - nis) < 1e-12)
    guard
      case .rejected(let refused) = covariance.update(
        jacobian: jacobian, residual: r, noise: Self.flat(R), gate: nis * 0.9)
    else { Issue.record("not rejected"); return }
    #expect(abs(refused - nis) < 1e-12)
    #expect(Self.matrix(covariance) == P)

    guard
      case .accepted(let found, let correction) = covariance.update(
        jacobian: jacobian, residual: r, noise: Self.flat(R), gate: nis * 1.1)
    else { Issue.record("not accepted"); return }
    #expect(abs(found - nis) < 1e-12)
    #expect(zip(correction, gain).allSatisfy { abs($0 - $1) < 1e-11 })
    #expect(Self.difference(Self.matrix(covariance), expected) < 1e-11)
    #expect(Self.matrix(covariance) == Self.transpose(Self.matrix(covariance)))
  }

  @Test func removalMarginalises() {
    var source = SeededRandom(seed: 5)
    for gone in 0..<3 {
      let (covariance, blocks) = Self.three(&source)
      let kept = blocks.indices.filter { $0 != gone }.map { blocks[$0] }
      let expected = covariance.marginal(kept)
      covariance.remove(blocks[gone])
      #expect(covariance.marginal(kept) == expected)
      #expect(Self.flat(Self.matrix(covariance)) == expected)
      #expect(!covariance.contains(blocks[gone]) && covariance.blocks == kept)
    }
  }

  /// Removing several at once equals removing one after the other; a later block is not confused with a removed one.
  @Test func severalAreMarginalisedAtOnce() throws {
    var source = SeededRandom(seed: 7)
    for mask in 1..<63 {
      let covariance = ErrorCovariance(capacity: 4)
      var blocks: [ErrorCovariance.Block] = []
      for size in [3, 6, 1, 3, 3, 2] {
        let jacobian = blocks.map { ($0, Self.flat(Self.random(size, covariance.size(of: $0), &source))) }
        blocks.append(
          try #require(
            covariance.augment(size: size, jacobian: jacobian, independent: Self.flat(Self.spd(size, &source)))))
      }
      let gone = blocks.indices.filter { mask >> $0 & 1 == 1 }.map { blocks[$0] }
      let kept = blocks.filter { !gone.contains($0) }
      let expected = covariance.marginal(kept)
      covariance.remove(gone.reversed())
      #expect(covariance.blocks == kept && Self.flat(Self.matrix(covariance)) == expected)
      let new = try #require(covariance.augment(size: 2, independent: [1, 0, 0, 1]))
      #expect(gone.allSatisfy { !covariance.contains($0) } && (kept + [new]).allSatisfy { covariance.contains($0) })
      #expect(covariance.marginal(kept) == expected && covariance.offset(of: new) == covariance.dimension - 2)
    }
  }

  @Test func nonFiniteInputChangesNothing() {
    var source = SeededRandom(seed: 6)
    let (covariance, blocks) = Self.three(&source)
    let before = Self.matrix(covariance)
    #expect(covariance.update(jacobian: [(blocks[1], [1, .nan, 0])], residual: [0], noise: [1]) == .failed(.notFinite))
    #expect(
      covariance.update(jacobian: [(blocks[1], [1, 0, 0])], residual: [.infinity], noise: [1]) == .failed(.notFinite))
    #expect(
      covariance.update(jacobian: [(blocks[1], [0, 0, 0])], residual: [1], noise: [0]) == .failed(.notPositiveDefinite))
    #expect(
      !covariance.propagate(
        blocks[1], transition: [Double](repeating: .nan, count: 9), noise: [Double](repeating: 0, count: 9)))
    #expect(covariance.augment(size: 1, jacobian: [(blocks[0], [.infinity, 0, 0, 0])]) == nil)
    #expect(Self.matrix(covariance) == before && covariance.isHealthy)
  }
}
