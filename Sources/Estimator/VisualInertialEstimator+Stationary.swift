import Inertial
import SensorData

/// Stationary device.
extension VisualInertialEstimator {
  /// Zero-velocity detection: both the inertial unit and the image must be still; without features the inertial unit
  /// alone, with a stricter limit.
  private func isStationary(_ navigation: InertialNavigation, _ report: FrameReport) -> Bool {
    let window = navigation.samples.samples(
      after: report.timestamp.advanced(bySeconds: -StillnessDetector.window),
      before: report.timestamp.advanced(byNanoseconds: 1))
    guard let statistic = stillness.statistic(window) else { return false }
    guard let isImageStill = isImageStill(report) else {
      return statistic < StillnessDetector.stationaryLimitWithoutImage
    }
    return statistic < StillnessDetector.stationaryLimit && isImageStill
  }

  /// Nil without enough features.
  private func isImageStill(_ report: FrameReport) -> Bool? {
    report.motion.map { $0.isStill(camera, isStationary: zeroVelocity.isActive) }
  }

  /// Zero-velocity update of a stationary device; false when it moves, or the state contradicts it.
  ///
  /// - Parameter spacing: seconds since the previous frame.
  func applyZeroVelocity(_ navigation: InertialNavigation, _ report: FrameReport, spacing: Double) -> Bool {
    guard isStationary(navigation, report) else {
      zeroVelocity.end(navigation)
      return false
    }
    return zeroVelocity.apply(
      to: navigation,
      rotationSigma: report.motion?.unseenRotation(camera, every: spacing) ?? ZeroVelocityUpdate.rotationSigma)
  }
}
