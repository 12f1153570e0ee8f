import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct AccelerometerInstabilityTests {
  static func unit(noiseDensity: Double) -> IMUCalibration {
    IMUCalibration(
      gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: noiseDensity,
      accelerometerRandomWalk: 1e-3)
  }

  @Test func onlyAPhonesBiasIsUnstable() {
    #expect(AccelerometerInstability(Self.unit(noiseDensity: 0.002)) == nil)
    #expect(AccelerometerInstability(Self.unit(noiseDensity: 0.0188)) != nil)
  }

  /// Two steps equal one of their total length, and the lost variance is replaced.
  @Test func stepsCompose() throws {
    let instability = try #require(AccelerometerInstability(Self.unit(noiseDensity: 0.02)))
    var source = SeededRandom(seed: 1)
    for _ in 0..<50 {
      let a = 20 * source.uniform(), b = 20 * source.uniform()
      let left = instability.left(after: b)
      #expect(abs(instability.left(after: a) * left - instability.left(after: a + b)) < 1e-12)
      let twice = left * left * instability.variance(after: a) + instability.variance(after: b)
      #expect(abs(twice - instability.variance(after: a + b)) < 1e-12)
      #expect(abs(left * left * instability.variance + instability.variance(after: b) - instability.variance) < 1e-12)
    }
    // Over a short time it is a random walk.
    let randomWalk = instability.equivalentRandomWalk
    #expect(abs(instability.variance(after: 1e-4) / (randomWalk * randomWalk * 1e-4) - 1) < 1e-4)
  }

  @Test func jacobiansAreTheDerivatives() throws {
    let instability = try #require(AccelerometerInstability(Self.unit(noiseDensity: 0.02)))
    var source = SeededRandom(seed: 2)
    for _ in 0..<20 {
      let seconds = 30 * source.uniform()
      let state = InertialState(
        rotation: source.rotation(), position: source.gaussian3(), velocity: source.gaussian3(),
        gyroscopeBias: source.gaussian3(), accelerometerBias: source.gaussian3())
      let mean = source.gaussian3()
      func after(_ state: InertialState, _ mean: Vector3) -> InertialState {
        var next = state
        next.accelerometerBias = instability.bias(state.accelerometerBias, mean: mean, after: seconds)
        return next
      }
      let end = after(state, mean)
      let byState = FiniteDifferences.jacobian(inputs: 15) { after(state.plus($0), mean).minus(end) }
      let byMean = FiniteDifferences.jacobian(inputs: 3) {
        after(state, mean + Vector3($0[0], $0[1], $0[2])).minus(end)
      }
      #expect(FiniteDifferences.largestDifference(rows(instability.byState(after: seconds), 15), byState) < 1e-6)
      #expect(FiniteDifferences.largestDifference(rows(instability.byMean(after: seconds), 3), byMean) < 1e-6)
    }
  }

  private func rows(_ matrix: [Double], _ columns: Int) -> [[Double]] {
    stride(from: 0, to: matrix.count, by: columns).map { Array(matrix[$0..<$0 + columns]) }
  }
}
