import Inertial
import SensorData

/// A device that stands.
extension VisualInertialEstimator {
  /// Two witnesses: the inertial unit and the picture; in the dark the first alone, more strictly.
  private func isStandingStill(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    let window = navigation.samples.samples(
      after: report.timestamp.advanced(bySeconds: -StillnessDetector.window),
      before: report.timestamp.advanced(byNanoseconds: 1))
    guard let statistic = stillness.statistic(window) else { return false }
    guard let isImageStill = isImageStill(report) else { return statistic < StillnessDetector.surelyAtRest }
    return statistic < StillnessDetector.atRest && isImageStill
  }

  /// Nil where there is nothing to see.
  private func isImageStill(_ report: FrameReport) -> Bool? {
    report.motion.map { $0.stands(camera, isResting: rest.isOn) }
  }

  /// Holds a device that stands still; false when it moves, or the state contradicts rest.
  ///
  /// - Parameter spacing: since the frame before, seconds.
  func rest(_ navigation: InertialNavigation, _ report: FrameReport, spacing: Double) -> Bool {
    guard isStandingStill(navigation, report) else {
      rest.end(navigation)
      return false
    }
    return rest.apply(
      to: navigation, rotationSigma: report.motion?.unseenRotation(camera, every: spacing) ?? ZeroVelocityUpdate.rotationSigma)
  }
}
