import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// The parts of the test of a link: likelihood of lasting errors, of a peer that wanders, and the evenness of the
/// evidence.
@Suite struct LinkEvidenceTests {
  /// xorshift64*, for signs and magnitudes: this module's tests need no simulator.
  private struct Dice {
    var state: UInt64
    mutating func uniform() -> Double {
      state ^= state >> 12
      state ^= state << 25
      state ^= state >> 27
      return Double((state &* 2_685_821_657_736_338_717) >> 11) / 9_007_199_254_740_992
    }
    mutating func gaussian() -> Double {
      (-2 * log(max(uniform(), 1e-300))).squareRoot() * cos(2 * .pi * uniform())
    }
  }

  /// Log density of a normal law of covariance `s^2 exp(-|t_i - t_j| / tau) + w^2 delta_ij`, by Cholesky decomposition.
  private static func logDensity(_ e: [Double], _ t: [Double], _ noise: ResidualLaw.Noise) -> Double {
    let n = e.count
    var l = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
    var y = e, sum = -0.5 * Double(n) * log(2 * Double.pi)
    for i in 0..<n {
      for j in 0...i {
        var c =
          noise.lasting * noise.lasting * exp(-abs(t[i] - t[j]) / noise.time) + (i == j ? noise.white * noise.white : 0)
        for k in 0..<j { c -= l[i][k] * l[j][k] }
        l[i][j] = i == j ? c.squareRoot() : c / l[j][j]
      }
      for k in 0..<i { y[i] -= l[i][k] * y[k] }
      y[i] /= l[i][i]
      sum -= log(l[i][i]) + 0.5 * y[i] * y[i]
    }
    return sum
  }

  /// Without outliers the filter's likelihood is the multivariate normal density, but for the outliers' share of 5.5 %
  /// and the percent of probability that a good range is one.
  @Test func theLikelihoodIsThatOfTheProcess() {
    var dice = Dice(state: 11)
    let t = (0..<12).map { 0.3 * Double($0) + 0.1 * dice.uniform() }
    let e = t.map { 0.04 * sin(2 * $0) + 0.03 * dice.gaussian() }
    let outcome = ResidualLikelihood(at: t).evaluate(e)
    let exact = Self.logDensity(e, t, outcome.noise) + Double(e.count) * log(0.945)
    #expect(abs(outcome.logLikelihood - exact) < 0.02 * Double(e.count), "\(outcome.logLikelihood) \(exact)")
    #expect(abs(outcome.terms.reduce(0, +) - outcome.logLikelihood) < 1e-9)
    #expect(outcome.regular.allSatisfy { $0 > 0.9 })
    var spoilt = e
    spoilt[5] += 3
    #expect(ResidualLikelihood(at: t).evaluate(spoilt).regular[5] < 1e-3)
  }

  /// Symmetric parts of any size, here Cauchy's, exceed x with probability at most `exp(-x^2 / 2)`; 4,000 draws, three
  /// sigmas.
  @Test func supportKeepsItsLaw() {
    var dice = Dice(state: 5)
    let draws = 4000
    var beyond = [1.5: 0, 2.6: 0]
    for _ in 0..<draws {
      let parts = (0..<15).map { _ in tan(.pi * (dice.uniform() - 0.5)) }
      let support = RangeConsistency.Outcome.support(of: parts)
      for x in beyond.keys where support > x { beyond[x]! += 1 }
    }
    for (x, count) in beyond {
      let bound = exp(-x * x / 2)
      let most = Double(draws) * bound + 3 * (Double(draws) * bound * (1 - bound)).squareRoot()
      #expect(Double(count) <= most, "\(count) beyond \(x)")
    }
    #expect(beyond[1.5]! > 0)
    #expect(RangeConsistency.Outcome.support(of: [0, 40, 0, 0, 0]) == 1)
    #expect(abs(RangeConsistency.Outcome.support(of: [Double](repeating: 2, count: 9)) - 3) < 1e-12)
    #expect(RangeConsistency.Outcome.support(of: []) == 0)
  }

  private static func rows(_ dice: inout Dice, wander: (Double) -> Vector3) -> [LinkFit.Row] {
    (0..<80).map { k in
      let t = 0.24 * Double(k)
      let place = Vector3(1.5 * sin(0.6 * t), 1.2 * cos(0.45 * t), 0.2 * sin(0.9 * t))
      return LinkFit.Row(
        seconds: t, range: (Vector3(4, 1, 0.5) + wander(t) - place).norm + 0.05 * dice.gaussian(), place: place)
    }
  }

  /// A path that drifts is explained by a peer that moves, one that holds is not: motion pays for its freedom.
  @Test func aDriftIsAMotion() {
    var dice = Dice(state: 21)
    let still = Self.rows(&dice) { _ in .zero }
    let drifting = Self.rows(&dice) { t in Vector3(2 - 2 * cos(0.3 * t), 1.5 * sin(0.3 * t), 0) }
    func gain(_ rows: [LinkFit.Row]) -> Double {
      let fit = LinkFit(rows)
      return LinkMotion.logLikelihood(rows, from: [fit.modes[0]], bias: fit.bias) - fit.logLikelihood
    }
    #expect(gain(still) < 0)
    #expect(gain(drifting) > 10)
  }

  /// Of 20 peers at rest none is likelier to walk; of 20 that set off after some seconds, at 0.4 to 1.4 m/s in any
  /// level direction, and stop again, each is.
  @Test func aPersonPaysForItself() {
    var dice = Dice(state: 27)
    func gain(_ rows: [LinkFit.Row]) -> Double {
      let fit = LinkFit(rows), before = LinkFit(Array(rows.prefix(27)))
      return LinkMotion.logLikelihood(rows, from: [fit.modes[0], before.modes[0]], bias: fit.bias) - fit.logLikelihood
    }
    for _ in 0..<20 {
      let still = gain(Self.rows(&dice) { _ in .zero })
      #expect(still < 0, "\(still)")
      let (setOff, seconds) = (6 + 4 * dice.uniform(), 3 + 3 * dice.uniform())
      let (speed, heading) = (0.4 + dice.uniform(), 2 * .pi * dice.uniform())
      let walking = gain(
        Self.rows(&dice) { t in
          speed * min(max(t - setOff, 0), seconds) * Vector3(cos(heading), sin(heading), 0)
        })
      #expect(walking > 10, "\(walking)")
    }
  }

  /// A second link of the same late radio supports the delay that the first one found, and contradicts its opposite.
  @Test func anotherLinkGivesEvidence() throws {
    var dice = Dice(state: 33)
    var link = RangeConsistency(), path = PathHistory()
    let start = Timestamp(nanoseconds: 9_000_000_000)
    func place(_ t: Double) -> Vector3 {
      Vector3(1.6 * sin(0.7 * t) + 0.02 * t * t * cos(0.3 * t), 1.4 * cos(0.45 * t + 1), 0.3 * sin(0.9 * t))
    }
    for k in 0...400 {
      let t = Double(k) / 20
      path.append(Pose(rotation: .identity, translation: place(t)), at: start.advanced(bySeconds: t))
      guard k % 2 == 0 else { continue }
      link.append(
        range: (Vector3(3, -2, 0) - place(t - 0.5)).norm + 0.04 * dice.gaussian(), at: start.advanced(bySeconds: t))
    }
    let right = try #require(link.evidence(for: .clock(late: 0.5), path))
    let opposite = try #require(link.evidence(for: .clock(late: -0.5), path))
    #expect(right.ratio > 5 && right.support > 1.5, "\(right)")
    #expect(opposite.ratio < 0, "\(opposite)")
  }

  /// Errors that are a function of the place are explained by a field far better than by noise in time, outliers or
  /// not; white noise is not. 20 draws of each: that all have the sign said by chance alone has a probability of 1e-6.
  @Test func aFieldExplainsMultipathOnly() {
    var dice = Dice(state: 23)
    let peer = Vector3(2.5, 1, 0.3), length = 0.3, sigma = 0.2
    func rows(_ error: (Vector3) -> Double, white: Double, outliers: Set<Int> = []) -> [LinkFit.Row] {
      (0..<60).map { k in
        let t = 0.25 * Double(k)
        let place = Vector3(0.5 * sin(t), 0.4 * cos(1.3 * t), 0.2 * sin(0.7 * t))
        return LinkFit.Row(
          seconds: t,
          range: (peer - place).norm + error(place) + white * dice.gaussian() + (outliers.contains(k) ? 3 : 0),
          place: place)
      }
    }
    func gain(_ rows: [LinkFit.Row]) -> Double {
      let fit = LinkFit(rows)
      return (LinkField.logLikelihood(rows, fit) ?? -.infinity) - fit.logLikelihood
    }
    for draw in 0..<20 {
      // Random Fourier features of the squared exponential.
      let waves = (0..<48).map { _ in
        (number: Vector3(dice.gaussian(), dice.gaussian(), dice.gaussian()) / length, phase: 2 * .pi * dice.uniform())
      }
      let scale = sigma * (2.0 / 48).squareRoot()
      let field = gain(
        rows(
          { place in scale * waves.reduce(0) { $0 + cos($1.number.dot(place) + $1.phase) } }, white: 0.01,
          outliers: draw % 2 == 0 ? [] : [7, 31]))
      let noise = gain(rows({ _ in 0 }, white: 0.05))
      #expect(field > 10, "\(field)")
      #expect(noise < 0, "\(noise)")
    }
  }
}
