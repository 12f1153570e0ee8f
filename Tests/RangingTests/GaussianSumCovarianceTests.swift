import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct GaussianSumCovarianceTests {
  /// Ranges, splits, decay and drift in random order: every covariance stays positive definite, every number finite.
  @Test(arguments: [[""], ["a", "b"]])
  func covariancesStayPositive(antennas: [String]) {
    var random = SeededRandom(seed: 41)
    var set = RandomGaussianSum.make(&random, antennas: antennas, count: 12, spread: 4)
    let n = set.dimension
    let truth = set.position(0)
    for _ in 0..<150 {
      let antenna = set.anchor + 0.5 * random.gaussian3()
      set.predict(seconds: random.uniform(0...0.3), metres: random.uniform(0...0.2))
      set.drift(position: 1e-5 * Matrix3.identity, yawVariance: 1e-5, device: antenna)
      set.splitWhereCurved(antenna: antenna, limit: 200)
      _ = set.update(
        RangeObservation(
          range: (truth - antenna).norm + 0.1 * random.gaussian(), antenna: antenna,
          columns: set.layout.columns(of: antennas.randomElement(using: &random)), seconds: random.uniform(0...0.3),
          extraVariance: 0, configuration: RangingConfiguration()))
      for i in 0..<set.count {
        let p = set.covariance(i)
        #expect(RandomGaussianSum.smallestPivot(p, n) > 0)
        if i % 2 == 0 { #expect(set.scalars(i).last == 0, "LOS has no NLOS bias") }
        #expect(set.scalars(i).allSatisfy(\.isFinite) && set.direction(i).isFinite)
      }
    }
  }

  /// In tangent coordinates (`u_i / (u_i . u)` inverts a move), the three parts have the mean and the covariance of the
  /// whole.
  @Test func splittingKeepsMeanAndCovarianceOfTheSum() {
    var random = SeededRandom(seed: 42)
    var splits = 0
    for _ in 0..<100 {
      let whole = RandomGaussianSum.make(&random, antennas: ["a", "b"], count: 1, spread: 8)
      var parts = whole
      parts.splitWhereCurved(antenna: whole.anchor + 2 * random.gaussian3(), limit: 100)
      guard parts.count > 2 else { continue }
      splits += 1
      #expect(parts.count == 6)
      for half in 0..<2 { Self.expectMoments(of: [half, half + 2, half + 4], in: parts, are: half, of: whole) }
    }
    #expect(splits > 50, "wide components seen from a metre away are split")
  }

  private static func expectMoments(
    of parts: [Int], in split: GaussianSum, are i: Int, of whole: GaussianSum
  ) {
    let n = whole.dimension
    let (u, e1) = (whole.direction(i), whole.tangent(i))
    let e2 = u.cross(e1)
    let x = whole.scalars(i)
    let p = whole.covariance(i)
    let weights = parts.map { exp(split.logWeight[$0] - whole.logWeight[i]) }
    #expect(abs(weights.reduce(0, +) - 1) < 1e-9)
    var mean = [Double](repeating: 0, count: n)
    var second = [Double](repeating: 0, count: n * n)
    for (weight, part) in zip(weights, parts) {
      let v = split.direction(part) / split.direction(part).dot(u)
      let offset = [v.dot(e1), v.dot(e2)] + zip(split.scalars(part), x).map(-)
      let q = split.covariance(part)
      for r in 0..<n {
        mean[r] += weight * offset[r]
        for c in 0..<n { second[r * n + c] += weight * (q[r * n + c] + offset[r] * offset[c]) }
      }
    }
    for r in 0..<n {
      #expect(abs(mean[r]) < 1e-9)
      for c in 0..<n {
        let scale = (p[r * n + r] * p[c * n + c]).squareRoot()
        #expect(abs(second[r * n + c] - p[r * n + c]) <= 1e-9 * scale, "row \(r), column \(c)")
      }
    }
  }

  @Test func narrowComponentsAreNotSplitAndTheLimitHolds() {
    var random = SeededRandom(seed: 43)
    var narrow = RandomGaussianSum.make(&random, antennas: [""], count: 20, spread: 0.01)
    narrow.splitWhereCurved(antenna: narrow.anchor + Vector3(0.1, 0, 0), limit: 100)
    #expect(narrow.count == 40)
    var wide = RandomGaussianSum.make(&random, antennas: [""], count: 20, spread: 10)
    wide.splitWhereCurved(antenna: wide.anchor + Vector3(1, 0, 0), limit: 45)
    #expect(wide.count > 40 && wide.count <= 45)
  }

  /// If not all have room, those with the largest squared curvature times weight are split.
  @Test func largestCurvatureIsSplitFirst() {
    var random = SeededRandom(seed: 46)
    var set = RandomGaussianSum.make(&random, antennas: [""], count: 20, spread: 10)
    for i in 0..<set.count { set.logWeight[i] = -3 * random.uniform() }
    let (before, antenna) = (set, set.anchor + Vector3(1, 0, 0))
    let curvatures = set.curvatures(antenna: antenna)
    let priority = (0..<20).map { pair in
      let heavier = before.logWeight[2 * pair] >= before.logWeight[2 * pair + 1] ? 2 * pair : 2 * pair + 1
      return exp(before.logWeight[heavier])
        * pow(curvatures[heavier].max() / before.noises[Int(before.noise[heavier])].white, 2)
    }
    set.splitWhereCurved(antenna: antenna, limit: 60)
    let split = Set((0..<20).filter { set.logWeight[2 * $0] != before.logWeight[2 * $0] })
    #expect(split == Set(priority.indices.sorted { priority[$0] > priority[$1] }.prefix(5)))
  }

  /// From the anchor the range is linear: its curvature is zero.
  @Test func curvatureIsZeroAtTheAnchor() {
    var random = SeededRandom(seed: 44)
    var set = RandomGaussianSum.make(&random, antennas: [""], count: 10, spread: 20)
    let curvatures = set.curvatures(antenna: set.anchor)
    for i in 0..<set.count { #expect(curvatures[i].max() < 1e-9) }
    set.splitWhereCurved(antenna: set.anchor, limit: 1000)
    #expect(set.count == 20)
  }

  /// Drift adds its covariance and the heading rotation about the device to the position covariance.
  @Test func driftAddsItsCovarianceToThePosition() {
    var random = SeededRandom(seed: 45)
    for _ in 0..<50 {
      let before = RandomGaussianSum.make(&random, antennas: [""], count: 1)
      var after = before
      let device = before.anchor + random.gaussian3()
      let root = Matrix3(columns: random.gaussian3(), random.gaussian3(), random.gaussian3())
      let lost = 0.04 * (root * root.transpose)
      after.drift(position: lost, yawVariance: 0.01, device: device)
      let rotated = Vector3(0, 0, 1).cross(before.position(0) - device)
      let expected =
        before.gaussian(0, weight: 1).covariance + lost + 0.01 * Matrix3(outer: rotated, rotated)
      let found = after.gaussian(0, weight: 1).covariance
      for r in 0..<3 { for c in 0..<3 { #expect(abs(found[r, c] - expected[r, c]) < 1e-9) } }
    }
  }

  /// Decay in many small steps equals one step; in the limit the bias has its stationary variance.
  @Test func forgettingIsASemigroupWithTheStationaryVariance() {
    var random = SeededRandom(seed: 46)
    var once = RandomGaussianSum.make(&random, antennas: ["a", "b"], count: 4)
    var often = once
    once.predict(seconds: 1, metres: 0.5, antennaCorrelation: 0.3)
    for _ in 0..<10 { often.predict(seconds: 0.1, metres: 0.05, antennaCorrelation: 0.3) }
    for i in 0..<once.count {
      for (a, b) in zip(once.covariance(i), often.covariance(i)) { #expect(abs(a - b) < 1e-12) }
      for (a, b) in zip(once.scalars(i), often.scalars(i)) { #expect(abs(a - b) < 1e-12) }
    }
    once.predict(seconds: 1000, metres: 0, antennaCorrelation: 0.3)
    for i in 0..<once.count {
      let p = once.covariance(i)
      for k in once.layout.coloured {
        let coloured = once.noises[Int(once.noise[i])].coloured
        #expect(abs(p[k * once.dimension + k] - coloured * coloured) < 1e-12)
        #expect(abs(once.scalars(i)[k - 2]) < 1e-12)
        for other in once.layout.coloured where other != k {
          #expect(abs(p[k * once.dimension + other] - 0.3 * coloured * coloured) < 1e-12)
        }
      }
    }
  }
}
