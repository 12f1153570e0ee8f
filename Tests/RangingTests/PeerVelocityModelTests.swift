import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct PeerVelocityModelTests {
  static let model = PeerVelocityModel(speed: Vector3(0.8, 0.7, 0.15), memory: 4)

  /// One axis predicted by a step: (position, velocity) and the covariance (pp, pv, vv).
  struct Axis {
    var mean = (0.3, 0.9)
    var p = (0.04, 0.01, 0.3)

    mutating func go(_ step: PeerVelocityModel.Step, axis: Int) {
      let (b, phi) = (step.reach, step.phi)
      mean = (mean.0 + b * mean.1, phi * mean.1)
      p = (
        p.0 + 2 * b * p.1 + b * b * p.2 + step.positionVariance[axis],
        phi * (p.1 + b * p.2) + step.crossCovariance[axis],
        phi * phi * p.2 + step.velocityVariance[axis]
      )
    }

    func difference(_ other: Axis) -> Double {
      [
        mean.0 - other.mean.0, mean.1 - other.mean.1, p.0 - other.p.0, p.1 - other.p.1, p.2 - other.p.2,
      ].map(abs).max()!
    }
  }

  /// Two successive steps equal one of both lengths, long or short.
  @Test func stepsAreASemigroup() {
    var random = SeededRandom(seed: 71)
    for _ in 0..<200 {
      let (s, t) = (pow(10, random.uniform(-4...1.5)), pow(10, random.uniform(-4...1.5)))
      for axis in 0..<3 {
        var (whole, parts) = (Axis(), Axis())
        whole.go(Self.model.step(s + t), axis: axis)
        parts.go(Self.model.step(s), axis: axis)
        parts.go(Self.model.step(t), axis: axis)
        #expect(whole.difference(parts) < 1e-9 * max(1, s + t))
      }
    }
  }

  /// In the limit the velocity has its stationary variance; a step of zero changes nothing.
  @Test func stepLimitsAreZeroAndStationary() {
    let (none, long) = (Self.model.step(0), Self.model.step(1000))
    #expect(
      none.reach == 0 && none.phi == 1 && none.positionVariance == .zero && none.velocityVariance == .zero
        && none.crossCovariance == .zero)
    for axis in 0..<3 {
      #expect(abs(long.velocityVariance[axis] - Self.model.speed[axis] * Self.model.speed[axis]) < 1e-12)
    }
    #expect(Self.model.step(-1) == none)
  }

  /// The series for short steps meets the closed form.
  @Test func theSpreadIsSmoothWhereItsFormulaChanges() {
    let (below, above) = (Self.model.step(0.04 * (1 - 1e-6)), Self.model.step(0.04 * (1 + 1e-6)))
    for axis in 0..<3 { #expect(abs(above.positionVariance[axis] / below.positionVariance[axis] - 1) < 1e-5) }
  }

  /// The prediction is linear in the world: positions, velocities and covariances follow each component's model.
  @Test(arguments: [[""], ["a", "b"]]) func componentsFollowTheModel(antennas: [String]) {
    var random = SeededRandom(seed: 72)
    for _ in 0..<30 {
      let before = RandomGaussianSum.make(&random, antennas: antennas, count: 6, isMoving: true)
      var after = before
      let seconds = random.uniform(0.05...2)
      after.movePeer(seconds: seconds)
      let (n, v) = (before.dimension, before.layout.velocity.lowerBound)
      for i in 0..<before.count {
        let step = before.velocityModels[before[i].velocityModel].step(seconds)
        // F over (position in the world, other states).
        var f = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
        for r in 0..<n { f[r][r] = 1 }
        for k in 0..<3 { (f[k][v + k], f[v + k][v + k]) = (step.reach, step.phi) }
        let x = before.scalars(i)
        let velocity = Vector3(x[v - 2], x[v - 1], x[v])
        #expect((after.position(i) - before.position(i) - step.reach * velocity).norm < 1e-9)
        let y = after.scalars(i)
        for k in 0..<3 { #expect(abs(y[v - 2 + k] - step.phi * velocity[k]) < 1e-12) }
        #expect(abs(after.direction(i).dot(after.tangent(i))) < 1e-9)
        let (p, q) = (before.cartesianCovariance(i), after.cartesianCovariance(i))
        for r in 0..<n {
          for c in 0..<n {
            var expected = 0.0
            for a in 0..<n where f[r][a] != 0 {
              for b in 0..<n where f[c][b] != 0 { expected += f[r][a] * p[a * n + b] * f[c][b] }
            }
            for k in 0..<3 {
              if (r, c) == (k, k) { expected += step.positionVariance[k] }
              if (r, c) == (v + k, v + k) { expected += step.velocityVariance[k] }
              if (r, c) == (k, v + k) || (r, c) == (v + k, k) { expected += step.crossCovariance[k] }
            }
            #expect(abs(q[r * n + c] - expected) < 1e-9, "row \(r), column \(c)")
          }
        }
        // Prediction at read-out equals the same step applied to the state.
        let (predicted, stepped) = (before.gaussian(i, weight: 1, after: seconds), after.gaussian(i, weight: 1))
        #expect((predicted.position - stepped.position).norm < 1e-9)
        for r in 0..<3 { for c in 0..<3 { #expect(abs(predicted.covariance[r, c] - stepped.covariance[r, c]) < 1e-9) } }
        #expect((predicted.scaleCovariance - stepped.scaleCovariance).norm < 1e-9)
      }
    }
  }

  /// A stationary sum begins to move once under each model, with its probability and the speeds of its prior.
  @Test func everyComponentMovesUnderEachModel() {
    var random = SeededRandom(seed: 74)
    let set = RandomGaussianSum.make(&random, antennas: ["a"], count: 5)
    let candidates = zip(RandomGaussianSum.velocityModels, [0.7, 0.3]).map {
      PeerVelocityModel.Candidate(model: $0, probability: $1)
    }
    let moving = set.moving(candidates)
    let v = moving.layout.velocity.lowerBound
    #expect(moving.count == 2 * set.count)
    for i in 0..<moving.count {
      let (one, source) = (moving[i], i % set.count)
      #expect(one.velocityModel == i / set.count && one.noise == set[source].noise)
      #expect(abs(one.logWeight - set.logWeight[source] - log(candidates[one.velocityModel].probability)) < 1e-12)
      #expect((moving.position(i) - set.position(source)).norm < 1e-12)
      for k in 0..<3 {
        let speed = candidates[one.velocityModel].model.speed[k]
        #expect(abs(one.covariance[(v + k) * (moving.dimension + 1)] - speed * speed) < 1e-12)
      }
    }
  }

  /// A Gaussian appended as a pair keeps its moments.
  @Test func aGaussianRoundTripsThroughAPair() {
    var random = SeededRandom(seed: 73)
    for _ in 0..<50 {
      let set = RandomGaussianSum.make(&random, antennas: ["a", "b"], count: 1)
      let (n, p, t) = (set.dimension, set.cartesianCovariance(1), set.position(1))
      let mean = [t.x, t.y, t.z] + set.scalars(1).dropFirst()
      var back = GaussianSum(
        anchor: set.anchor + random.gaussian3(), layout: set.layout, noises: [RandomGaussianSum.noises[0]])
      back.append(.init(probability: 1, mean: mean, covariance: p, losProbability: 0.25), RangingConfiguration())
      #expect(back.count == 2 && abs(exp(back.logWeight[0]) - 0.25) < 1e-12)
      #expect((back.position(1) - t).norm < 1e-9)
      let q = back.cartesianCovariance(1)
      for k in p.indices { #expect(abs(q[k] - p[k]) < 1e-9) }
      let los = back.cartesianCovariance(0)
      for k in 0..<n { #expect(los[(n - 1) * n + k] == 0 && los[k * n + n - 1] == 0) }
      #expect(back.scalars(0).last == 0)
    }
  }
}
