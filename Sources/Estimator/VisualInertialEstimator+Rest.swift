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

  /// Nil where there is nothing to see.
  private func pictureStands(_ report: FrameReport) -> Bool? {
    report.motion.map { $0.stands(camera, isResting: rest.isOn) }
  }

  /// Holds a device that stands still; false when it moves, or the state contradicts rest.
  ///
  /// - Parameter spacing: since the frame before, seconds.
  func rest(_ navigation: InertialNavigation, _ report: FrameReport, spacing: Double) -> Bool {
    guard standsStill(navigation, report) else {
      rest.end(navigation)
      return false
    }
    return rest.apply(
      to: navigation, turnSigma: report.motion?.unseenTurn(camera, every: spacing) ?? RestConstraint.turnSigma)
  }
}
