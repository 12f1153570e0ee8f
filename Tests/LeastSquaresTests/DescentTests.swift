import LeastSquares
import Simulation
import Testing

@Suite struct DescentTests {
  /// Rosenbrock's valley, `(1 - x)^2 + 100 (y - x^2)^2`: steps of full length leave it.
  private static func attempt(_ p: SIMD2<Double>, damping: Double) -> LevenbergMarquardt.Attempt<SIMD2<Double>> {
    let r = residual(p)
    // J = [[-1, 0], [-20 x, 10]].
    let (a, b, c) = (1 + 400 * p.x * p.x, -200 * p.x, 100.0)
    let (u, v) = (-r.x - 20 * p.x * r.y, 10 * r.y)
    let (da, dc) = (a * (1 + damping), c * (1 + damping))
    let determinant = da * dc - b * b
    guard determinant > 0 else { return .singular }
    let next = p - SIMD2(dc * u - b * v, da * v - b * u) / determinant
    return .candidate(next, cost: cost(next))
  }
  private static func residual(_ p: SIMD2<Double>) -> SIMD2<Double> { SIMD2(1 - p.x, 10 * (p.y - p.x * p.x)) }
  private static func cost(_ p: SIMD2<Double>) -> Double { (residual(p) * residual(p)).sum() }

  private static func descent(steps: Int) -> LevenbergMarquardt {
    LevenbergMarquardt(steps: steps, absolute: 1e-20, damping: .init(from: 1e-3))
  }

  @Test func theValleysEndIsFound() {
    var p = SIMD2(-1.2, 1.0), cost = Self.cost(p)
    var descent = Self.descent(steps: 100)
    #expect(descent.descend(&p, cost: &cost, attempt: Self.attempt) == .converged)
    #expect(abs(p.x - 1) < 1e-6 && abs(p.y - 1) < 1e-6 && cost == Self.cost(p))
    var again = Self.descent(steps: 100)
    #expect(again.descend(&p, cost: &cost, attempt: Self.attempt) == .settled)
  }

  /// A descent that is spread over frames goes where one in a piece does, and never uphill.
  @Test func stepsAreThoseOfTheWhole() {
    var whole = SIMD2(-1.2, 1.0), end = Self.cost(whole)
    var descent = Self.descent(steps: 12)
    #expect(descent.descend(&whole, cost: &end, attempt: Self.attempt) == .stepsUsedUp)
    var p = SIMD2(-1.2, 1.0), cost = Self.cost(p), stepwise = Self.descent(steps: 12), calls = 0
    while true {
      let before = cost
      calls += 1
      if stepwise.step(&p, cost: &cost, attempt: Self.attempt) != nil { break }
      #expect(cost <= before)
    }
    #expect(p == whole && calls == 13)
  }

  /// Costs that are no number are refused; what is never better leaves the start as it was.
  @Test func whatIsNoBetterIsRefused() {
    for worse in [Double.nan, .infinity, 2] {
      var x = 3, cost = 1.0, dampings: [Double] = []
      var descent = LevenbergMarquardt(
        steps: 50, damping: .init(from: 1e-2, raise: 10, leastRaised: 5, most: 1e3))
      let ending = descent.descend(&x, cost: &cost) { _, damping in
        dampings.append(damping)
        return .candidate(4, cost: worse)
      }
      #expect(ending == .stuck && x == 3 && cost == 1 && dampings == [1e-2, 5, 50, 500])
    }
    var x = 3, cost = 1.0
    var descent = LevenbergMarquardt(steps: 2, damping: .init(from: 1))
    #expect(descent.descend(&x, cost: &cost) { _, _ in .refused } == .stepsUsedUp)
    descent = LevenbergMarquardt(steps: 2, damping: .init(from: 1))
    #expect(descent.descend(&x, cost: &cost) { _, _ in .singular } == .singular)
  }

  /// The slope of the cost is the weighted error, also at the threshold.
  @Test func lossAndWeightBelongTogether() {
    let loss = HuberLoss(threshold: 2.5)
    for error in [0.1, -1.7, 2.499, 2.501, -6, 30] {
      let slope = (loss.cost(error + 1e-5) - loss.cost(error - 1e-5)) / 2e-5
      #expect(abs(slope - error * loss.weight(error)) < 1e-6)
      #expect(abs(loss.cost(error * SIMD2(0.6, -0.8)) - loss.cost(error)) < 1e-12)
    }
  }

  /// The factor by which the variance grows is the reciprocal of the weight.
  @Test(arguments: [0.3, 2.4, -2.6, 80]) func varianceFactor(error: Double) {
    let loss = HuberLoss(threshold: 2.5)
    #expect(abs(loss.varianceFactor(error) * loss.weight(error) - 1) < 1e-15)
  }

  @Test func whiteningMakesUnitCovariance() throws {
    var source = SeededRandom(seed: 3)
    let n = 7
    let root = (0..<n * n).map { _ in source.gaussian() }
    var covariance = [Double](repeating: 0, count: n * n)
    for i in 0..<n { for j in 0..<n { for k in 0..<n { covariance[i * n + j] += root[i * n + k] * root[j * n + k] } } }
    let w = SquareMatrix(try #require(SmallCholesky.inverseRoot(covariance, size: n)), size: n)
    let white = w * SquareMatrix(covariance, size: n) * w.transpose
    #expect(zip(white.numbers, SquareMatrix.identity(n).numbers).allSatisfy { abs($0 - $1) < 1e-7 })
    #expect(SmallCholesky.inverseRoot([1, 2, 2, 1], size: 2) == nil)
    #expect(SmallCholesky.inverseRoot([1, .nan, .nan, 1], size: 2) == nil)
  }
}
