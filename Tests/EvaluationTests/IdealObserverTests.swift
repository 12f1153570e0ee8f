import Evaluation
import EvaluationTestSupport
import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

/// The ideal observer: exact, consistent, of the stated resolution, and finite for any input.
@Suite struct IdealObserverTests {
  /// The prior's density over the solid angle, but for a constant, at a place from the first antenna's, metres.
  private func prior(_ model: RangeErrorModel, _ place: Vector3) -> Double {
    place.norm * model.heights.density(place.z, distance: place.norm)
  }

  /// The shared filter's weights are the density of the ranges: the sum over innovations is the quadratic form of the
  /// dense covariance (constant, Gauss-Markov, white), and the product of variances its determinant.
  @Test func theFilterIsTheDensity() throws {
    var random = SeededRandom(seed: 311)
    let gaps = [0, 0.1, 0.1, 0.5, 0, 3, 0.2, 0.1]
    let residuals = gaps.map { _ in 0.2 * random.gaussian() }
    var filter = BiasFilter(IdealTrialObserver.model)
    var (constant, coloured, sum, logDeterminant) = (0.0, 0.0, 0.0, 0.0)
    for (gap, residual) in zip(gaps, residuals) {
      let step = filter.step(range: 0, at: RangingPose(antenna: .zero), after: gap)
      coloured *= step.decay
      let innovation = residual - constant - coloured
      sum += innovation * innovation * step.information
      logDeterminant -= log(step.information)
      constant += step.constantGain * innovation
      coloured += step.colouredGain * innovation
    }
    let whitener = Whitener(IdealTrialObserver.model, gaps: gaps)
    let form = whitener.whitened(residuals).reduce(0) { $0 + $1 * $1 }
    #expect(abs(sum - form) < 1e-9 * form && abs(logDeterminant - whitener.logDeterminant) < 1e-9)
  }

  /// The same with errors bound to poses, some of them visited again.
  @Test func theFilterIsTheDensityOfBoundErrors() throws {
    var random = SeededRandom(seed: 318)
    let gaps = [0, 0.1, 0.1, 0.5, 0, 3, 0.2, 0.1, 0.1, 0.1]
    var poses = gaps.map { _ in
      RangingPose(antenna: 0.2 * random.gaussian3(), worldFromDevice: .exp(0.5 * random.gaussian3()))
    }
    poses[4] = poses[1]
    poses[7].antenna = poses[2].antenna
    poses[8].antennaID = "other"
    poses[9] = poses[8]
    let peer = Vector3(2, 1, 0.5)
    let residuals = gaps.map { _ in 0.2 * random.gaussian() }
    var filter = BiasFilter(BoundTrial.model, peer: peer)
    var (constant, coloured, sum, logDeterminant) = (0.0, 0.0, 0.0, 0.0)
    var normals: [Double] = []
    for (k, residual) in residuals.enumerated() {
      let step = filter.step(range: 0, at: poses[k], after: gaps[k])
      normals += [Double](repeating: 0, count: step.features.count - normals.count)
      coloured *= step.decay
      let innovation = residual - constant - coloured - zip(step.features, normals).reduce(0) { $0 + $1.0 * $1.1 }
      sum += innovation * innovation * step.information
      logDeterminant -= log(step.information)
      constant += step.constantGain * innovation
      coloured += step.colouredGain * innovation
      for (j, gain) in step.featureGains.enumerated() { normals[j] += gain * innovation }
    }
    #expect(normals.count == 8, "poses visited again need no further normal")
    let whitener = Whitener(BoundTrial.model, gaps: gaps, poses: poses, peer: peer)
    let form = whitener.whitened(residuals).reduce(0) { $0 + $1 * $1 }
    #expect(abs(sum - form) < 1e-9 * form && abs(logDeterminant - whitener.logDeterminant) < 1e-9)
  }

  /// Errors bound to the pose, a pattern, a shadow, against Monte Carlo: every position has the dense covariance of its own
  /// directions.
  @Test(arguments: [RangingTrial.Motion.arc, .arcAndVertical, .lWalk], [false, true])
  func theLatticeIsTheIntegralOfBoundErrors(motion: RangingTrial.Motion, isShadowed: Bool) throws {
    let model = BoundTrial.model
    let excess = isShadowed ? BoundTrial.excess : nil
    var random = SeededRandom(seed: 319)
    // To the side and behind: the swing takes the peer through the shadow's edge.
    let peer = Vector3(-1.5, 4, 0.6)
    let trial = BoundTrial(motion, seconds: 1.5, peer: peer, excess: excess, random: &random)
    let observer = trial.observed(excess: excess)
    let origin = trial.poses[0].antenna
    let functions: [(Vector3) -> Double] = [
      { $0.x }, { $0.y }, { $0.z }, { $0.z * $0.z }, { $0.x * $0.y }, { ($0 - origin).norm },
    ]
    let shadows = trial.poses.map { excess?($0.worldFromDevice) }
    var (total, drawn) = (0.0, [(weight: Double, values: [Double])]())
    for _ in 0..<300_000 {
      let spread = 6 * model.total
      let u = random.direction()
      let least = max(trial.ranges[0] - spread - (isShadowed ? 0.4 : 0), 0)
      let position = origin + random.uniform(least...(trial.ranges[0] + spread)) * u
      let errors = trial.poses.indices.map { k in
        let toPeer = position - trial.poses[k].antenna
        return trial.ranges[k] - toPeer.norm - (shadows[k]?(toPeer) ?? 0)
      }
      let whitener = Whitener(model, gaps: trial.gaps, poses: trial.poses, peer: position)
      let form = whitener.whitened(errors).reduce(0) { $0 + $1 * $1 }
      let weight = prior(model, position - origin) * exp(-0.5 * (form + whitener.logDeterminant) - 30)
      total += weight
      drawn.append((weight, functions.map { $0(position) }))
    }
    for (k, f) in functions.enumerated() {
      let mean = drawn.reduce(0) { $0 + $1.weight * $1.values[k] } / total
      let variance = drawn.reduce(0) { $0 + $1.weight * pow($1.values[k] - mean, 2) } / total
      let error = drawn.reduce(0) { $0 + pow($1.weight * ($1.values[k] - mean), 2) }.squareRoot() / total
      let found = try #require(observer.mean(of: f))
      // A sector's covariance instead of the position's own moves a mean by a fiftieth of its 1-sigma.
      #expect(
        abs(found - mean) < 4 * error + 0.02 * variance.squareRoot(), "\(motion), \(k): \(found), \(mean) +- \(error)")
      #expect(error < 0.1)
    }
  }

  /// Lattice, refinement and replay against Monte Carlo: positions drawn from the prior and weighted by the dense
  /// covariance of the ranges have the observer's means.
  @Test(arguments: [RangingTrial.Motion.arc, .arcAndVertical, .lWalk])
  func theLatticeIsTheIntegral(motion: RangingTrial.Motion) throws {
    var random = SeededRandom(seed: 317)
    let trial = RangingTrial(motion, seconds: 1.5, random: &random)
    let observer = IdealTrialObserver.run(trial)
    let whitener = Whitener(IdealTrialObserver.model, gaps: trial.readings.indices.map { $0 == 0 ? 0 : 0.1 })
    let origin = trial.readings[0]
    let functions: [(Vector3) -> Double] = [
      { $0.x }, { $0.y }, { $0.z }, { $0.z * $0.z }, { $0.x * $0.y }, { ($0 - origin.device).norm },
    ]
    var (total, drawn) = (0.0, [(weight: Double, values: [Double])]())
    for _ in 0..<450_000 {
      let spread = 6 * IdealTrialObserver.model.total
      let u = random.direction()
      let position = origin.device + random.uniform(max(origin.range - spread, 0)...(origin.range + spread)) * u
      let residuals = whitener.whitened(trial.readings.map { $0.range - (position - $0.device).norm })
      let weight =
        prior(IdealTrialObserver.model, position - origin.device) * exp(-0.5 * residuals.reduce(0) { $0 + $1 * $1 })
      total += weight
      if weight > 1e-12 { drawn.append((weight, functions.map { $0(position) })) }
    }
    for (k, f) in functions.enumerated() {
      let mean = drawn.reduce(0) { $0 + $1.weight * $1.values[k] } / total
      let error = drawn.reduce(0) { $0 + pow($1.weight * ($1.values[k] - mean), 2) }.squareRoot() / total
      #expect(abs(try #require(observer.mean(of: f)) - mean) < 4 * error, "\(motion), function \(k)")
      #expect(error < 0.1)
    }
  }

  /// One range determines the distance to within its total error, and leaves the prior of the direction.
  @Test func oneRangeLeavesThePrior() throws {
    var observer = IdealObserver(IdealTrialObserver.model)
    observer.update(range: 5, antenna: Vector3(1, 2, 3), after: 0)
    let view = try IdealTrialObserver.view(observer, Vector3(1, 2, 3))
    #expect(abs(view.distance.mean - 5) < 1e-6 && abs(view.distance.sigma / IdealTrialObserver.model.total - 1) < 1e-3)
    #expect(view.publishedAngle == nil && view.decidedLevel == nil && !view.isConverged)
    #expect(abs(view.arc.upperBound - 0.9 * .pi) < 0.02 && abs(view.arc.lowerBound + 0.9 * .pi) < 0.02)
    var (mass, square) = (0.0, 0.0)
    for k in -8999...8999 {
      let elevation = Double(k) * 1e-4 * .pi / 1.8
      let density = cos(elevation) * prior(IdealTrialObserver.model, 5 * Vector3(cos(elevation), 0, sin(elevation)))
      (mass, square) = (mass + density, square + elevation * elevation * density)
    }
    let found = try #require(observer.mean { pow(asin(($0.z - 3) / ($0 - Vector3(1, 2, 3)).norm), 2) })
    // The distance is uncertain by a thirtieth.
    #expect(abs(found / (square / mass) - 1) < 3e-3)
  }

  /// For a peer straight above the device the level is decided but the angle undefined: the contract withholds both.
  @Test func withoutAnAngleNoLevelIsPublished() throws {
    let peer = Vector3(0.1, 0, 4)
    var observer = IdealObserver(RangeErrorModel(white: 0.02, constant: 0.001))
    var device = Vector3.zero
    for k in 0...80 {
      device = RangingTrial.Motion.arcAndVertical.position(at: 0.1 * Double(k))
      observer.update(range: (peer - device).norm, antenna: device, after: 0.1)
    }
    let above = try IdealTrialObserver.view(observer, peer - Vector3(0, 0, 4))
    #expect(above.decidedLevel == .above && above.publishedAngle == nil && above.publishedLevel == nil)
    let aside = try IdealTrialObserver.view(observer, peer - Vector3(3, 0, 4))
    #expect(aside.publishedAngle != nil && aside.publishedLevel == aside.decidedLevel && aside.decidedLevel == .above)
  }

  /// Without noise and with one antenna the position is found, with the radio's accuracy.
  @Test func withoutNoiseItFindsTheTruth() throws {
    let peer = Vector3(3, -2, 1.5)
    var last = Double.infinity
    for white in [0.02, 0.005, 0.001] {
      var observer = IdealObserver(RangeErrorModel(white: white, constant: 0.001))
      var device = Vector3.zero
      for k in 0...60 {
        device = RangingTrial.Motion.arcAndVertical.position(at: 0.1 * Double(k))
        observer.update(range: (peer - device).norm, antenna: device, after: 0.1)
      }
      let view = try IdealTrialObserver.view(observer, device)
      let sigma = view.position.covariance.trace.squareRoot()
      #expect((view.position.mean - peer).norm < 0.2 * sigma && sigma < 0.5 * last)
      #expect(observer.isResolved && view.isConverged && view.decidedLevel == .above)
      last = sigma
    }
    #expect(last < 0.01)
  }

  /// The outputs are those of the posterior: probabilities sum to one, the arc contains 90 %.
  @Test func theViewIsThePosteriors() throws {
    var random = SeededRandom(seed: 314)
    let trial = RangingTrial(.arcAndVertical, seconds: 4, random: &random)
    let observer = IdealTrialObserver.run(trial, cellsPerSigma: 3)
    let device = trial.readings.last!.device
    let view = try IdealTrialObserver.view(observer, device)
    #expect(abs(view.levels.values.reduce(0, +) - 1) < 1e-9)
    let held = try #require(
      observer.mean {
        view.arcContains(HorizontalAngle.of($0 - device, worldFromDevice: HeldPhone.facingEast)) ? 1 : 0
      })
    #expect(abs(held - 0.9) < 0.02)
    let above = try #require(
      observer.mean {
        TrueView(worldFromDevice: Pose(translation: device), peer: $0).level == .above ? 1 : 0
      })
    #expect(abs(above - view.levels[.above]!) < 0.02)
    let distance = try #require(observer.mean { ($0 - device).norm })
    #expect(abs(distance - view.distance.mean) < 1e-9)
    let turned = try #require(
      IdealView(observer, worldFromDevice: Pose(rotation: .yaw(1) * HeldPhone.facingEast, translation: device)))
    #expect(abs(Angle.wrapped(turned.angle - view.angle - 1)) < 1e-9)
  }

  /// Stationary or straight motion never converges; the reflection image is as likely as the truth.
  @Test func straightMotionLeavesTheReflection() throws {
    var random = SeededRandom(seed: 315)
    for _ in 0..<10 {
      let trial = RangingTrial(.sway, seconds: 4, peer: IdealTrialObserver.peer(&random), random: &random)
      let device = trial.readings.last!.device
      let observer = IdealTrialObserver.run(trial)
      let view = try IdealTrialObserver.view(observer, device)
      #expect(!view.isConverged)
      let left = try #require(observer.mean { $0.y > 0 ? 1 : 0 })
      #expect(abs(left - 0.5) < 1e-6)
    }
  }

  /// Invalid ranges: everything stays finite, and invalid distances are ignored and counted.
  @Test(arguments: [
    IdealTrialObserver.model, RangeErrorModel(white: 0),
    RangeErrorModel(
      white: 0, constant: 0, heights: HeightPrior(sigma: 0.01, storey: 3, otherStoreys: 0, anywhere: 0)),
  ])
  func sillyInputStaysFinite(model: RangeErrorModel) throws {
    var observer = IdealObserver(model)
    #expect(IdealView(observer, worldFromDevice: .identity) == nil && observer.mean { $0.x } == nil)
    func check() throws {
      let view = try IdealTrialObserver.view(observer, Vector3(0, 0, 0))
      let numbers = [
        view.angle, view.arc.lowerBound, view.arc.upperBound, view.angleDeviation, view.beyond20, view.beyond45,
        view.directionBeyond20, view.distance.mean, view.distance.sigma, view.horizontalDistance.sigma,
        view.position.covariance.trace, view.levels[.same]!,
      ]
      #expect(numbers.allSatisfy(\.isFinite) && view.position.mean.isFinite && observer.count > 0)
    }
    for range in [0, 0, 0.0, 5, 1e6, 0, 5] {
      observer.update(range: range, antenna: .zero, after: 0.1)
      try check()
    }
    for k in 0..<50 { observer.update(range: 5, antenna: Vector3(0.01 * Double(k), 0, 0), after: 0) }
    try check()
    observer.update(range: 5, antenna: Vector3(1e6, 0, 0), after: 1e9)
    observer.update(range: 5, antenna: .zero, after: -3)
    try check()
    for range in [Double.nan, .infinity, -1, 1e7] { observer.update(range: range, antenna: .zero, after: 0.1) }
    observer.update(range: 5, antenna: Vector3(.nan, 0, 0), after: 0.1)
    observer.update(range: 5, antenna: .zero, after: .nan)
    #expect(observer.ignored == 6)
    try check()
  }

  /// A limit that is too low is kept, and reported.
  @Test func aLimitIsReported() {
    var random = SeededRandom(seed: 316)
    let trial = RangingTrial(.sway, seconds: 3, random: &random)
    var observer = IdealObserver(IdealTrialObserver.model, limit: 60_000)
    for reading in trial.readings { observer.update(range: reading.range, antenna: reading.device, after: 0.1) }
    #expect(!observer.isResolved && observer.count <= 60_000)
  }
}
