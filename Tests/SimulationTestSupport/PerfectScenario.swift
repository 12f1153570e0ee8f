import Simulation

extension Scenario {
  /// The same scenario with error-free sensors; the hand's tremor stays.
  package var withoutErrors: Scenario {
    var scenario = self
    scenario.imu.gyroscopeNoiseDensity = 0
    scenario.imu.gyroscopeRandomWalk = 0
    scenario.imu.gyroscopeBias = 0
    scenario.imu.gyroscopeTriad = Triad()
    scenario.imu.accelerometerNoiseDensity = 0
    scenario.imu.accelerometerRandomWalk = 0
    scenario.imu.accelerometerBias = 0
    scenario.imu.accelerometerTriad = Triad()
    scenario.imu.stampJitter = 0
    scenario.camera?.pixelNoise = 0
    scenario.camera?.outlierShare = 0
    scenario.radio.rangeNoise = 0
    scenario.radio.driftDeviation = 0
    scenario.radio.nlosShare = 0
    scenario.radio.outlierShare = 0
    scenario.radio.dropoutShare = 0
    scenario.body = nil
    for index in scenario.peers.indices {
      scenario.peers[index].rangeBias = 0
      scenario.peers[index].rangeBiasDeviation = 0
      scenario.peers[index].rangeScale = 0
    }
    return scenario
  }
}
