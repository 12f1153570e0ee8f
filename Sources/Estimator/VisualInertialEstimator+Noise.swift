import CameraGeometry
import SensorData

/// The features' noise, where the images show more than is stated.
extension VisualInertialEstimator {
  /// Takes a frame of the first camera in. A changed level is that of both cameras, and what was learnt of the tracks'
  /// noise in units of the old one does not count.
  func learnNoise(_ frame: CameraFrame) {
    guard configuration.learnsPixelNoise, noiseLevel.append(frame, lens: camera.lens, noise: camera.statedNoise) else {
      return
    }
    let level = noiseLevel.level
    camera.setNoise(level: level)
    second?.camera.setNoise(level: level)
    for i in visualUpdate.cameras.indices { visualUpdate.cameras[i].setNoise(level: level) }
    initializer.camera = camera
    window.keptParallax = configuration.keptParallax * camera.pixelNoise
    trackNoise = TrackNoiseLearner()
  }
}
