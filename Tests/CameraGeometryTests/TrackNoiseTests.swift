import CameraGeometry
import Geometry
import Simulation
import Testing

@Suite struct TrackNoiseTests {
  /// A track with errors correlated over `correlationTime` seconds, observed at `rate` from a camera that moves
  /// sideways.
  static func sample(
    _ source: inout SeededRandom, correlationTime: Double, level: Double = 1, observations: Int, rate: Double
  ) -> TrackNoiseLearner.Sample {
    let times = (0..<observations).map { Double($0) / rate }
    let noise = TrackNoise(level: level, correlationTime: correlationTime)
    var residual: [Double] = [], point: [Double] = []
    var error = SIMD2(source.gaussian(), source.gaussian())
    let speed = 0.3 * source.gaussian()
    // The point's own error must not matter, so one is added.
    let d = source.gaussian3()
    for k in 0..<observations {
      if k > 0 {
        let c = noise.correlation(times[k] - times[k - 1])
        error = c * error + (1 - c * c).squareRoot() * SIMD2(source.gaussian(), source.gaussian())
      }
      for axis in 0..<2 {
        let row = Vector3(axis == 0 ? 250 : 0, axis == 1 ? 250 : 0, axis == 0 ? 250 * speed * times[k] : 3 * times[k])
        point += [row.x, row.y, row.z]
        residual.append(level * error[axis] + 0.004 * row.dot(d))
      }
    }
    return TrackNoiseLearner.Sample(residual: residual, point: point, times: times)
  }

  /// From tracks of five to twelve observations, as short as in the filter.
  @Test(arguments: [(0.0, 20.0), (0.1, 20), (0.4, 20), (0.8, 20), (0.2, 7.5), (0.8, 7.5)])
  func theCorrelationTimeIsFound(time: Double, rate: Double) {
    for seed in 1...3 as ClosedRange<UInt64> {
      var source = SeededRandom(seed: seed)
      var learner = TrackNoiseLearner()
      #expect(learner.noise == TrackNoise())
      for k in 0..<400 { learner.add(Self.sample(&source, correlationTime: time, observations: 5 + k % 8, rate: rate)) }
      let found = learner.noise.correlationTime
      #expect(time == 0 ? found == 0 : found >= time / 2 && found <= 2 * time, "\(found) s for \(time) s")
    }
  }

  /// Noise above the stated one is estimated; noise below it is not.
  @Test(arguments: [0.5, 1, 1.5]) func theLevelIsFound(level: Double) {
    var source = SeededRandom(seed: 5)
    var learner = TrackNoiseLearner()
    for _ in 0..<600 {
      learner.add(Self.sample(&source, correlationTime: 0, level: level, observations: 8, rate: 20))
    }
    #expect(abs(learner.noise.level / max(level, 1) - 1) < 0.05, "\(learner.noise.level)")
  }

  /// Tracks that slipped, are too short or not finite are ignored.
  @Test func invalidTracksAreIgnored() {
    var source = SeededRandom(seed: 6)
    var learner = TrackNoiseLearner()
    for _ in 0..<400 {
      var sample = Self.sample(&source, correlationTime: 0.8, observations: 10, rate: 20)
      sample.residual[3] = 40
      learner.add(sample)
      sample.residual[3] = .nan
      learner.add(sample)
      learner.add(Self.sample(&source, correlationTime: 0.8, observations: 4, rate: 20))
    }
    #expect(learner.noise == TrackNoise())
  }

  /// Whitened errors are independent and of unit variance: the covariance of a Gauss-Markov process becomes the
  /// identity.
  @Test func whiteningMakesUnitCovariance() {
    let noise = TrackNoise(level: 1.7, correlationTime: 0.3), times = [0, 0.05, 0.1, 0.3, 0.33]
    let weights = noise.whitening(times), n = times.count
    func covariance(_ i: Int, _ j: Int) -> Double { 1.7 * 1.7 * noise.correlation(times[i] - times[j]) }
    func whitened(_ i: Int, _ j: Int) -> Double {
      let rows = [(i, weights[i].own), (i - 1, -weights[i].before)].filter { $0.0 >= 0 }
      let columns = [(j, weights[j].own), (j - 1, -weights[j].before)].filter { $0.0 >= 0 }
      return rows.reduce(0) { sum, a in columns.reduce(sum) { $0 + a.1 * $1.1 * covariance(a.0, $1.0) } }
    }
    for i in 0..<n { for j in 0..<n { #expect(abs(whitened(i, j) - (i == j ? 1 : 0)) < 1e-12) } }
  }

  /// The mean of many observations has the variance that the lone weight implies, for any spacing.
  @Test(arguments: [0.02, 0.1, 1]) func isolatedObservationsDetermineTheMeanAtTheRightRate(spacing: Double) {
    let noise = TrackNoise(level: 1, correlationTime: 0.4), n = 4000
    var variance = 0.0  // of the mean of n errors
    for k in 1 - n..<n { variance += Double(n - abs(k)) * noise.correlation(Double(k) * spacing) }
    variance /= Double(n * n)
    let weight = noise.loneWeight(after: spacing)
    #expect(abs(variance * Double(n) * weight * weight - 1) < 0.02)
  }
}
