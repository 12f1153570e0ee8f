import Inertial
import SensorData

/// A device that stands.
extension VisualInertialEstimator {
  /// Two witnesses: the inertial unit and the picture; in the dark the first alone, more strictly.
  private func standsStill(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    let window = navigation.samples.samples(
      after: report.timestamp.advanced(bySeconds: -StillnessDetector.window),
      before: report.timestamp.advanced(byNanoseconds: 1))
    guard let statistic = stillness.statistic(window) else { return false }
    guard let pictureStands = pictureStands(report) else { return statistic < StillnessDetector.surelyAtRest }
    return statistic < StillnessDetector.atRest && pictureStands
  }

  /// Nil where there is nothing to see. Noise alone moves a feature by a median of 1.67 sigma, and that of a few by a sigma
  /// more now and then: a rest that has begun is not ended for that.
  func pictureStands(_ report: FrameReport) -> Bool? {
    let sigmas = rest.isOn ? 3.0 : 2.0
    return report.medianDisparity.map { $0 < max(0.3, sigmas * camera.pixelNoise) }
  }

  /// Holds a device that stands still; false when it moves, or the state contradicts rest.
  func rest(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    guard standsStill(navigation, report) else {
      rest.end(navigation)
      return false
    }
    return rest.apply(to: navigation)
  }
}
