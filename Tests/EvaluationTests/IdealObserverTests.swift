import Evaluation
import Foundation
import Geometry
import Simulation
import TestSupport
import Testing

/// The yardstick itself: right, honest, as fine as it says, and never at a loss.
@Suite struct IdealObserverTests {
  /// A phone held upright, its back towards +x.
  static let upright = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0)))
  /// The model of `RangingTrial`.
  static let model = RangeErrorModel(
    white: RangingTrial.white, coloured: RangingTrial.coloured, memory: RangingTrial.memory,
    constant: RangingTrial.constant)

  static func run(_ trial: RangingTrial, cellsPerSigma: Double = 1.5) -> IdealObserver {
    var observer = IdealObserver(model, cellsPerSigma: cellsPerSigma, limit: 2_000_000)
    for reading in trial.readings { observer.update(range: reading.range, antenna: reading.device, after: 0.1) }
    return observer
  }

  static func view(_ observer: IdealObserver, _ device: Vector3) throws -> IdealView {
    try #require(IdealView(observer, worldFromDevice: Pose(rotation: upright, translation: device)))
  }

  /// The shared filter's weights are the density of the ranges: the sum over innovations is the quadratic form of the
  /// dense covariance (constant, Gauss-Markov, white), and the product of variances its determinant.
  @Test func theFilterIsTheDensity() throws {
    var random = SeededRandom(seed: 311)
    let gaps = [0, 0.1, 0.1, 0.5, 0, 3, 0.2, 0.1]
    let residuals = gaps.map { _ in 0.2 * random.gaussian() }
    var filter = BiasFilter(Self.model)
    var (constant, coloured, sum, logDeterminant) = (0.0, 0.0, 0.0, 0.0)
    for (gap, residual) in zip(gaps, residuals) {
      let step = filter.step(range: 0, antenna: .zero, after: gap)
      coloured *= step.kept
      let innovation = residual - constant - coloured
      sum += innovation * innovation * step.information
      logDeterminant -= log(step.information)
      constant += step.constantGain * innovation
      coloured += step.colouredGain * innovation
    }
    // Cholesky of the dense covariance, row by row.
    var times: [Double] = []
    for gap in gaps { times.append((times.last ?? 0) + gap) }
    let m = Self.model
    var (lower, y) = ([[Double]](), [Double]())
    for i in times.indices {
      var row: [Double] = []
      var rest = residuals[i]
      for j in 0...i {
        var c = m.constant * m.constant + m.coloured * m.coloured * exp(-(times[i] - times[j]) / m.memory)
        if i == j { c += m.white * m.white }
        for k in 0..<j { c -= row[k] * (i == j ? row[k] : lower[j][k]) }
        row.append(i == j ? c.squareRoot() : c / lower[j][j])
        if j < i { rest -= row[j] * y[j] }
      }
      y.append(rest / row[i])
      lower.append(row)
    }
    let form = y.reduce(0) { $0 + $1 * $1 }
    let determinant = lower.indices.reduce(0) { $0 + 2 * log(lower[$1][$1]) }
    #expect(abs(sum - form) < 1e-9 * form && abs(logDeterminant - determinant) < 1e-9)
  }

  /// One range tells the distance to within all its errors, and leaves the prior of the direction.
  @Test func oneRangeLeavesThePrior() throws {
    var observer = IdealObserver(Self.model)
    observer.update(range: 5, antenna: Vector3(1, 2, 3), after: 0)
    let view = try Self.view(observer, Vector3(1, 2, 3))
    #expect(abs(view.distance.mean - 5) < 1e-6 && abs(view.distance.sigma / Self.model.total - 1) < 1e-3)
    #expect(view.publishedAngle == nil && view.decidedLevel == nil && !view.isConverged)
    #expect(abs(view.arc.upperBound - 0.9 * .pi) < 0.02 && abs(view.arc.lowerBound + 0.9 * .pi) < 0.02)
    var (mass, square) = (0.0, 0.0)
    for k in -8999...8999 {
      let elevation = Double(k) * 1e-4 * .pi / 1.8
      let density = cos(elevation) * exp(-0.5 * pow(elevation / Self.model.elevationPrior, 2))
      (mass, square) = (mass + density, square + elevation * elevation * density)
    }
    let found = try #require(observer.mean { pow(asin(($0.z - 3) / ($0 - Vector3(1, 2, 3)).norm), 2) })
    #expect(abs(found / (square / mass) - 1) < 1e-3)
  }

  /// Cells half as wide say the same, to a small part of the posterior's own width.
  @Test(arguments: [RangingTrial.Motion.arc, .arcAndVertical, .lWalk, .still])
  func finerCellsSayTheSame(motion: RangingTrial.Motion) throws {
    var random = SeededRandom(seed: 313)
    for seconds in [1.0, 3, 6] {
      let trial = RangingTrial(motion, seconds: seconds, random: &random)
      let device = trial.readings.last!.device
      let (coarse, fine) = (Self.run(trial), Self.run(trial, cellsPerSigma: 3))
      #expect(coarse.isResolved && fine.isResolved && coarse.count < fine.count)
      let (a, b) = (try Self.view(coarse, device), try Self.view(fine, device))
      let sigma = b.angleDeviation
      #expect(abs(Angle.wrapped(a.angle - b.angle)) < 0.01 * sigma)
      #expect(abs(a.angleDeviation - sigma) < 0.01 * sigma)
      #expect(abs(a.arc.lowerBound - b.arc.lowerBound) < 0.03 * sigma, "\(motion) \(seconds)")
      #expect(abs(a.arc.upperBound - b.arc.upperBound) < 0.03 * sigma, "\(motion) \(seconds)")
      #expect(abs(a.distance.mean - b.distance.mean) < 0.01 * b.distance.sigma)
      #expect(abs(a.distance.sigma - b.distance.sigma) < 0.01 * b.distance.sigma)
      #expect((a.position.mean - b.position.mean).norm < 0.01 * b.position.covariance.trace.squareRoot())
      #expect(abs(a.beyond20 - b.beyond20) < 0.005 && abs(a.beyond45 - b.beyond45) < 0.005)
      for level in TrueView.Level.allCases { #expect(abs(a.levels[level]! - b.levels[level]!) < 0.01) }
    }
  }

  /// Without noise and with one antenna the place is found, the surer the finer the radio.
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
      let view = try Self.view(observer, device)
      let sigma = view.position.covariance.trace.squareRoot()
      #expect((view.position.mean - peer).norm < 0.2 * sigma && sigma < 0.5 * last)
      #expect(observer.isResolved && view.isConverged && view.decidedLevel == .above)
      last = sigma
    }
    #expect(last < 0.01)
  }

  /// The outputs are those of the posterior: shares sum to one, the arc holds nine tenths.
  @Test func theViewIsThePosteriors() throws {
    var random = SeededRandom(seed: 314)
    let trial = RangingTrial(.arcAndVertical, seconds: 4, random: &random)
    let observer = Self.run(trial, cellsPerSigma: 3)
    let device = trial.readings.last!.device
    let view = try Self.view(observer, device)
    #expect(abs(view.levels.values.reduce(0, +) - 1) < 1e-9)
    let held = try #require(
      observer.mean {
        view.arcHolds(HorizontalAngle.of($0 - device, worldFromDevice: Self.upright)) ? 1 : 0
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
      IdealView(observer, worldFromDevice: Pose(rotation: .yaw(1) * Self.upright, translation: device)))
    #expect(abs(Angle.wrapped(turned.angle - view.angle - 1)) < 1e-9)
  }

  /// A hand that stands or goes straight never converges; the mirror image is as likely as the truth.
  @Test func straightMotionLeavesTheMirrorImage() throws {
    var random = SeededRandom(seed: 315)
    for _ in 0..<10 {
      let trial = RangingTrial(.sway, seconds: 4, peer: IdealHonestyTests.peer(&random), random: &random)
      let device = trial.readings.last!.device
      let observer = Self.run(trial)
      let view = try Self.view(observer, device)
      #expect(!view.isConverged)
      let left = try #require(observer.mean { $0.y > 0 ? 1 : 0 })
      #expect(abs(left - 0.5) < 1e-6)
    }
  }

  /// Ranges that no radio measures: everything stays finite, and what is no distance is left out and counted.
  @Test(arguments: [model, RangeErrorModel(white: 0), RangeErrorModel(white: 0, constant: 0, elevationPrior: 0)])
  func sillyInputStaysFinite(model: RangeErrorModel) throws {
    var observer = IdealObserver(model)
    #expect(IdealView(observer, worldFromDevice: .identity) == nil && observer.mean { $0.x } == nil)
    func check() throws {
      let view = try Self.view(observer, Vector3(0, 0, 0))
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

  /// A limit that is too low is kept, and said.
  @Test func aLimitIsSaid() {
    var random = SeededRandom(seed: 316)
    let trial = RangingTrial(.sway, seconds: 3, random: &random)
    var observer = IdealObserver(Self.model, limit: 60_000)
    for reading in trial.readings { observer.update(range: reading.range, antenna: reading.device, after: 0.1) }
    #expect(!observer.isResolved && observer.count <= 60_000)
  }
}
