import Geometry
import Ranging
import Simulation
import TestSupport
import Testing

@Suite struct GaussianSumJacobianTests {
  /// The Jacobian H over (alpha_1, alpha_2, rho, b, s, a_j, b_j, e) and its variance, with one antenna and with three.
  @Test(arguments: [[""], ["a", "b", "c"]])
  func jacobianIsTheDerivative(antennas: [String]) {
    var random = SeededRandom(seed: 31)
    for _ in 0..<200 {
      let set = RandomGaussianSum.make(&random, antennas: antennas, count: 1)
      let n = set.dimension
      let antenna = set.anchor + 0.4 * random.gaussian3()
      let columns = set.layout.columns(of: antennas.last)
      let x = set.scalars(1)
      let numeric = FiniteDifferences.jacobian(inputs: n) { d in
        var (u, e1) = (set.direction(0), set.tangent(0))
        GaussianSum.move(&u, &e1, d[0], d[1])
        let y = zip(x, d.dropFirst(2)).map(+)
        let distance = (set.anchor + y[0] * u - antenna).norm
        let constant = columns.constant.map { y[$0 - 2] } ?? 0
        return [(1 + y[2]) * distance + y[1] + y[columns.coloured - 2] + constant + y[n - 3]]
      }
      let (row, variance) = set.predictedRange(1, antenna: antenna, columns: columns)
      #expect(FiniteDifferences.largestDifference([row], numeric) < 1e-6)

      let p = set.covariance(1)
      var direct = 0.0
      for r in 0..<n { for c in 0..<n { direct += row[r] * p[r * n + c] * row[c] } }
      #expect(abs(variance - direct) < 1e-9 * max(1, direct))
    }
  }

  @Test func movingKeepsTheBasisOrthonormal() {
    var random = SeededRandom(seed: 33)
    for _ in 0..<50 {
      var u = random.direction()
      var e1 = u.tangentBasis.0
      for _ in 0..<200 {
        GaussianSum.move(&u, &e1, random.gaussian(), random.gaussian())
        #expect(abs(u.norm - 1) < 1e-12 && abs(e1.norm - 1) < 1e-12 && abs(u.dot(e1)) < 1e-12)
      }
    }
  }

  /// The Cartesian covariance is `J P J^T` with J from finite differences, biases included.
  @Test func cartesianCovarianceFollowsFromTheJacobian() {
    var random = SeededRandom(seed: 34)
    for _ in 0..<50 {
      let set = RandomGaussianSum.make(&random, antennas: ["a", "b"], count: 1)
      let n = set.dimension
      let x = set.scalars(0)
      let j = FiniteDifferences.jacobian(inputs: n) { d in
        var (u, e1) = (set.direction(0), set.tangent(0))
        GaussianSum.move(&u, &e1, d[0], d[1])
        let t = set.anchor + (x[0] + d[2]) * u
        return [t.x, t.y, t.z] + zip(x.dropFirst(), d.dropFirst(3)).map(+)
      }
      let p = set.covariance(0)
      var expected = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
      for r in 0..<n {
        for c in 0..<n {
          for a in 0..<n { for b in 0..<n { expected[r][c] += j[r][a] * p[a * n + b] * j[c][b] } }
        }
      }
      let found = set.cartesianCovariance(0)
      let rows = (0..<n).map { r in Array(found[(r * n)..<((r + 1) * n)]) }
      #expect(FiniteDifferences.largestDifference(rows, expected) < 1e-6)
      let position = set.gaussian(0, weight: 1).covariance
      for r in 0..<3 { for c in 0..<3 { #expect(abs(position[r, c] - found[r * n + c]) < 1e-12) } }
    }
  }

  /// `moments` are the mean and the covariance of the mixture.
  @Test(arguments: [false, true]) func momentsAreThoseOfTheMixture(isMoving: Bool) {
    var random = SeededRandom(seed: 35)
    for pairs in [1, 3, 7, 12] {
      var set = RandomGaussianSum.make(&random, antennas: ["a", "b"], count: pairs, isMoving: isMoving)
      // A step changes unused lanes arbitrarily.
      if isMoving { set.movePeer(seconds: 1) }
      let n = set.dimension
      var weights = (0..<set.count).map { _ in random.uniform(0...1) < 0.3 ? 0 : random.uniform(0...1) }
      weights[0] += 0.1
      let sum = weights.reduce(0, +)
      weights = weights.map { $0 / sum }
      let states = (0..<set.count).map { i in
        let t = set.position(i)
        return [t.x, t.y, t.z] + set.scalars(i).dropFirst()
      }
      let mean = (0..<n).map { k in zip(weights, states).reduce(0) { $0 + $1.0 * $1.1[k] } }
      var covariance = [Double](repeating: 0, count: n * n)
      for i in 0..<set.count {
        let p = set.cartesianCovariance(i)
        for r in 0..<n {
          for c in 0..<n {
            covariance[r * n + c] +=
              weights[i] * (p[r * n + c] + (states[i][r] - mean[r]) * (states[i][c] - mean[c]))
          }
        }
      }
      let found = set.moments(weights: weights)
      for (a, b) in zip(found.mean, mean) { #expect(abs(a - b) < 1e-10) }
      for (a, b) in zip(found.covariance, covariance) { #expect(abs(a - b) < 1e-9) }
    }
  }
}
