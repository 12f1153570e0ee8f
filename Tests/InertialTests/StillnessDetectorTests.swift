import Geometry
import Inertial
import SensorData
import Simulation
import Testing

@Suite struct StillnessDetectorTests {
  static let calibration = IMUCalibration(
    gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: 1e-2,
    accelerometerRandomWalk: 1e-3)

  static func samples(tremor: Double, _ source: inout SeededRandom) -> ArraySlice<IMUSample> {
    let white = 200.0.squareRoot()
    return ArraySlice(
      (0..<100).map { i in
        let shake = i % 20 < 10 ? tremor : -tremor
        return IMUSample(
          timestamp: Timestamp(nanoseconds: Int64(i) * 5_000_000),
          angularVelocity: Vector3(0.1, 0.2, shake) + 1e-3 * white * source.gaussian3(),
          specificForce: Vector3(5, 0, 8) + 1e-2 * white * source.gaussian3())
      })
  }

  /// One for a stationary device, whatever its biases; far above for a hand's tremor.
  @Test func theStatisticIsOneWhenStationary() throws {
    var source = SeededRandom(seed: 1)
    let detector = StillnessDetector(Self.calibration)
    for _ in 0..<100 {
      let stationary = try #require(detector.statistic(Self.samples(tremor: 0, &source)))
      #expect(abs(stationary - 1) < 0.3 && stationary < StillnessDetector.stationaryLimitWithoutImage)
      let hand = try #require(detector.statistic(Self.samples(tremor: 0.05, &source)))
      #expect(hand > StillnessDetector.stationaryLimit)
    }
  }

  @Test func tooFewSamplesGiveNoStatistic() {
    var source = SeededRandom(seed: 2)
    let detector = StillnessDetector(Self.calibration)
    let samples = Self.samples(tremor: 0, &source)
    #expect(detector.statistic([]) == nil)
    #expect(detector.statistic(samples.prefix(50)) == nil)
    #expect(detector.statistic(samples.prefix(5)) == nil)
  }
}
