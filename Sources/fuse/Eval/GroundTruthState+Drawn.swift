import Estimator
import Geometry
import SensorData
import Simulation

extension GroundTruthState {
  /// This state plus an error drawn from a filter's initial covariance.
  func drawn(_ calibration: IMUCalibration, seed: UInt64) -> GroundTruthState {
    var random = SeededRandom(seed: seed, stream: 4711)
    let sigmas = InitialEstimate.sigmas(of: self, calibration: calibration)
    var worldFromIMU = worldFromBody * calibration.bodyFromIMU
    worldFromIMU.rotation = Rotation.exp(sigmas.theta * random.gaussian3()) * worldFromIMU.rotation
    worldFromIMU.translation += sigmas.position * random.gaussian3()
    var state = self
    state.worldFromBody = worldFromIMU * calibration.bodyFromIMU.inverse
    state.velocity = (velocity ?? .zero) + sigmas.velocity * random.gaussian3()
    state.gyroscopeBias = (gyroscopeBias ?? .zero) + sigmas.gyroscopeBias * random.gaussian3()
    state.accelerometerBias = (accelerometerBias ?? .zero) + sigmas.accelerometerBias * random.gaussian3()
    return state
  }
}
