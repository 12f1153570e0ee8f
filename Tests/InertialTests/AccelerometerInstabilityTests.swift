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

  @Test func onlyAPhonesBiasWanders() {
    #expect(AccelerometerInstability(Self.unit(noiseDensity: 0.002)) == nil)
    #expect(AccelerometerInstability(Self.unit(noiseDensity: 0.0188)) != nil)
  }

  /// Two steps are one of their length together, and what is forgotten comes anew.
  @Test func stepsCompose() throws {
    let wander = try #require(AccelerometerInstability(Self.unit(noiseDensity: 0.02)))
    var source = SeededRandom(seed: 1)
    for _ in 0..<50 {
      let a = 20 * source.uniform(), b = 20 * source.uniform()
      let left = wander.left(after: b)
      #expect(abs(wander.left(after: a) * left - wander.left(after: a + b)) < 1e-12)
      let twice = left * left * wander.variance(after: a) + wander.variance(after: b)
      #expect(abs(twice - wander.variance(after: a + b)) < 1e-12)
      #expect(abs(left * left * wander.variance + wander.variance(after: b) - wander.variance) < 1e-12)
    }
    // Over a short time it is a walk.
    #expect(abs(wander.variance(after: 1e-4) / (wander.walk * wander.walk * 1e-4) - 1) < 1e-4)
  }

  @Test func jacobiansAreTheDerivatives() throws {
    let wander = try #require(AccelerometerInstability(Self.unit(noiseDensity: 0.02)))
    var source = SeededRandom(seed: 2)
    for _ in 0..<20 {
      let seconds = 30 * source.uniform()
      let state = InertialState(
        rotation: source.rotation(), position: source.gaussian3(), velocity: source.gaussian3(),
        gyroscopeBias: source.gaussian3(), accelerometerBias: source.gaussian3())
      let mean = source.gaussian3()
      func after(_ state: InertialState, _ mean: Vector3) -> InertialState {
        var next = state
        next.accelerometerBias = wander.bias(state.accelerometerBias, mean: mean, after: seconds)
        return next
      }
      let end = after(state, mean)
      let byState = FiniteDifferences.jacobian(inputs: 15) { after(state.plus($0), mean).minus(end) }
      let byMean = FiniteDifferences.jacobian(inputs: 3) {
        after(state, mean + Vector3($0[0], $0[1], $0[2])).minus(end)
      }
      #expect(FiniteDifferences.largestDifference(rows(wander.byState(after: seconds), 15), byState) < 1e-6)
      #expect(FiniteDifferences.largestDifference(rows(wander.byMean(after: seconds), 3), byMean) < 1e-6)
    }
  }

  private func rows(_ matrix: [Double], _ columns: Int) -> [[Double]] {
    stride(from: 0, to: matrix.count, by: columns).map { Array(matrix[$0..<$0 + columns]) }
  }
}
