import Foundation
import Geometry
import LeastSquares
import Premises
import Testing

/// Descents of a link's estimates and likelihoods of its residuals: several side by side are those of each alone.
@Suite struct LinkDescentTests {
  /// Ranges along a bent path, some of them metres too long.
  private static let rows: [LinkFit.Row] = (0..<43).map { k in
    let t = 0.24 * Double(k)
    let place = Vector3(1.5 * sin(0.6 * t), 1.2 * cos(0.45 * t), 0.2 * sin(0.9 * t))
    let error = 0.08 * sin(37 * t) + (k % 9 == 4 ? 2.5 : 0)
    return LinkFit.Row(seconds: t, range: (Vector3(4, 1, 0.5) - place).norm + 0.1 + error, place: place)
  }
  private static let starts: [LinkDescent.State] = LinkFit.directions.prefix(11).map { LinkDescent.State(5 * $0, 0) }
  private static let model = LinkFit.Model(scale: 1.1)

  /// The same descent in plain arithmetic, dense equations solved by Cholesky's decomposition.
  private static func plain(_ start: LinkDescent.State, _ weights: [Double], sigma: Double) -> LinkDescent.End {
    let descent = LinkDescent(rows, model, biasSigma: 0.2), loss = HuberLoss(threshold: 3)
    func cost(_ x: LinkDescent.State) -> Double {
      zip(descent.residuals(x), weights).reduce(descent.penalty(x)) { $0 + 2 * $1.1 * loss.cost($1.0 / sigma) }
    }
    var x = start, best = cost(start)
    var descent8 = LevenbergMarquardt(
      steps: 8, absolute: 1e-2, damping: .init(from: 1e-2, ease: 1 / 0.3, least: 0, raise: 8, most: 1e6))
    descent8.descend(&x, cost: &best) { x, damping in
      var normal = [Double](repeating: 0, count: 16), right = [0, 0, 0, -x.w / 0.04]
      for (k, residual) in descent.residuals(x).enumerated() {
        let slopes = 1.1 * (Vector3(x.x, x.y, x.z) - rows[k].place).normalized
        let row = [slopes.x, slopes.y, slopes.z, 1],
          weight = weights[k] * loss.weight(residual / sigma) / (sigma * sigma)
        for r in 0..<4 {
          right[r] += weight * row[r] * residual
          for c in 0...r { normal[4 * r + c] += weight * row[r] * row[c] }
        }
      }
      for r in 0..<4 { normal[5 * r] += damping * (normal[5 * r] + 1e-3) + (r == 3 ? 25 : 0) }
      guard let step = SmallCholesky.solve(normal, right, size: 4) else { return .singular }
      let next = x + LinkDescent.State(step[0], step[1], step[2], step[3])
      return .candidate(next, cost: cost(next))
    }
    return (best, x)
  }

  @Test func descentsAreThoseOfPlainArithmetic() {
    let ends = LinkDescent(Self.rows, Self.model, biasSigma: 0.2).ends(from: Self.starts, sigma: 0.15, steps: 8)
    let even = [Double](repeating: 1, count: Self.rows.count)
    for (start, end) in zip(Self.starts, ends) {
      let plain = Self.plain(start, even, sigma: 0.15)
      #expect(abs(end.cost - plain.cost) < 1e-6 * plain.cost, "\(end.cost) \(plain.cost)")
      #expect(((end.state - plain.state) * (end.state - plain.state)).sum() < 1e-10)
    }
    #expect(Set(ends.map { ($0.cost / 10).rounded() }).count > 1, "one minimum alone would show little")
  }

  @Test func eachDescentIsThatOfItAlone() {
    let descent = LinkDescent(Self.rows, Self.model, biasSigma: 0.2)
    let all = descent.ends(from: Self.starts, sigma: 0.15, steps: 8)
    for (start, end) in zip(Self.starts, all) {
      let alone = descent.ends(from: [start], sigma: 0.15, steps: 8)[0]
      #expect(alone.state == end.state && alone.cost == end.cost)
    }
    let weights = Self.rows.indices.map { $0 % 9 == 4 ? 0.01 : 0.9 }
    let weighted = [(all[0].state, weights, 0.1), (all[1].state, [Double](repeating: 1, count: weights.count), 0.2)]
    let ends = descent.ends(from: weighted, steps: 4)
    for (start, end) in zip(weighted, ends) {
      let alone = descent.ends(from: [start], steps: 4)[0]
      #expect(alone.state == end.state && alone.cost == end.cost)
      let plain = Self.plain(start.0, start.1, sigma: start.2)
      #expect(end.cost < plain.cost * 1.01, "\(end.cost) \(plain.cost)")
    }
  }

  @Test func widerVectorsChangeNoBit() {
    let wide = LinkDescent(Self.rows, Self.model, biasSigma: 0.2)
    let narrow = LinkDescent(Self.rows, Self.model, biasSigma: 0.2, usesBaseline: true)
    let ends = wide.ends(from: Self.starts, sigma: 0.15, steps: 8)
    for (a, b) in zip(ends, narrow.ends(from: Self.starts, sigma: 0.15, steps: 8)) {
      #expect(a.state == b.state && a.cost == b.cost)
    }
    let seconds = Self.rows.map(\.seconds)
    for end in ends {
      let residuals = wide.residuals(end.state)
      let a = ResidualLikelihood(at: seconds).evaluate(residuals)
      let b = ResidualLikelihood(at: seconds, usesBaseline: true).evaluate(residuals)
      #expect(a.noise == b.noise && a.logLikelihood == b.logLikelihood)
    }
  }

  /// What is given up early is not the best: the noise is the one that asking every candidate alone finds.
  @Test func givingUpChangesNoOutcome() throws {
    let law = ResidualLaw(), seconds = Self.rows.map(\.seconds)
    let descent = LinkDescent(Self.rows, Self.model, biasSigma: 0.2)
    let likelihood = ResidualLikelihood(at: seconds, law)
    for end in descent.ends(from: Self.starts, sigma: 0.15, steps: 8) {
      let residuals = descent.residuals(end.state), outcome = likelihood.evaluate(residuals)
      // Near a noise all candidates of its time are asked that are beside it.
      for noise in law.candidates {
        let near = likelihood.evaluate(residuals, near: noise)
        #expect(near.logLikelihood <= outcome.logLikelihood + 1e-9)
        #expect(near.noise.time == noise.time)
      }
      #expect(likelihood.evaluate(residuals, near: outcome.noise).logLikelihood == outcome.logLikelihood)
      let reached = try #require(likelihood.evaluate(residuals, near: nil, above: outcome.logLikelihood - 1e-3))
      #expect(reached.logLikelihood == outcome.logLikelihood && reached.noise == outcome.noise)
      #expect(likelihood.evaluate(residuals, near: nil, above: outcome.logLikelihood + 1e4) == nil)
    }
  }
}
