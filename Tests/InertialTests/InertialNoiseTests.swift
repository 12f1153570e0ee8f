import Geometry
import Inertial
import SensorData
import Simulation
import Testing

@Suite struct InertialNoiseTests {
  let calibration = IMUCalibration(
    gyroscopeNoiseDensity: 2e-3, gyroscopeRandomWalk: 1e-3, accelerometerNoiseDensity: 2e-2,
    accelerometerRandomWalk: 1e-2)

  /// Forty noisy steps, 4000 times: the predicted covariance equals the sample covariance of the final states.
  @Test func propagatedCovarianceMatchesMonteCarlo() {
    var source = SeededRandom(seed: 7)
    let propagation = InertialPropagation(gravityMagnitude: 9.81)
    let noise = InertialNoise(calibration)
    let dt = 0.005, steps = 40, runs = 4000
    let start = InertialState(rotation: source.rotation(), velocity: Vector3(1, 2, 3))
    let readings = (0..<steps).map { i in
      (Vector3(0.5, -1, Double(i) / 20), Vector3(1, 9, -3) + 0.1 * Double(i) * Vector3(1, 0, 1))
    }
    var predicted = BlockMatrix15()
    var clean = start
    for (omega, force) in readings {
      let next = propagation.propagated(clean, angularVelocity: omega, specificForce: force, dt: dt)
      let step = propagation.transition(
        from: clean, first: (clean.position, clean.velocity), to: next, angularVelocity: omega, specificForce: force,
        dt: dt)
      let carried = step.carried(predicted), processNoise = noise.processNoise(over: step, quality: .dense, spacing: dt)
      for i in 0..<5 { for j in 0..<5 { predicted[i, j] = carried[i, j] + processNoise[i, j] } }
      clean = next
    }
    var scatter = [Double](repeating: 0, count: 225)
    for _ in 0..<runs {
      var state = start
      for (omega, force) in readings {
        let white = 1 / dt.squareRoot(), randomWalk = dt.squareRoot()
        state = propagation.propagated(
          state, angularVelocity: omega + calibration.gyroscopeNoiseDensity * white * source.gaussian3(),
          specificForce: force + calibration.accelerometerNoiseDensity * white * source.gaussian3(), dt: dt)
        state.gyroscopeBias += calibration.gyroscopeRandomWalk * randomWalk * source.gaussian3()
        state.accelerometerBias += calibration.accelerometerRandomWalk * randomWalk * source.gaussian3()
      }
      let d = state.minus(clean)
      for i in 0..<15 { for j in 0..<15 { scatter[15 * i + j] += d[i] * d[j] / Double(runs) } }
    }
    let q = predicted.rowMajor
    for i in 0..<15 {
      for j in 0..<15 {
        // The standard deviation of a sample covariance of this many runs, times five.
        let variance = q[16 * i] * q[16 * j]
        let tolerance = 5 * ((variance + q[15 * i + j] * q[15 * i + j]) / Double(runs)).squareRoot()
        #expect(abs(scatter[15 * i + j] - q[15 * i + j]) < tolerance, "row \(i), column \(j)")
      }
    }
  }

  @Test func gapsRaiseTheNoise() {
    let noise = InertialNoise(calibration)
    var step = InertialTransition.identity
    step.dt = 0.05
    let variances = [InertialNoise.Quality.dense, .interpolated, .dropout].map {
      noise.processNoise(over: step, quality: $0, spacing: 0.05)[2, 2][0, 0]
    }
    #expect(variances[0] < variances[1] && variances[1] < variances[2])
    #expect(InertialNoise.quality(ofSpacing: 0.005) == .dense)
    #expect(InertialNoise.quality(ofSpacing: 0.05) == .interpolated)
    #expect(InertialNoise.quality(ofSpacing: 0.5) == .dropout)
  }
}
