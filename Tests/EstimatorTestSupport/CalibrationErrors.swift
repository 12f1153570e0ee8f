import CameraGeometry
import Estimator
import Foundation
import Geometry
import Inertial
import SensorData
import Simulation

/// Calibration errors of a filter, and their covariance.
package struct CalibrationErrors {
  /// (phi, tau, delta, a_x, a_y, b_x, b_y): truth minus estimate.
  package var errors: [Double]
  /// 11 x 11, row-major.
  package var covariance: [Double]

  /// - Parameters:
  ///   - truth: the true camera.
  ///   - stated: the calibration given to the filter.
  package init?(_ navigation: InertialNavigation, truth: CameraCalibration, stated: CameraCalibration) {
    guard let mountBlock = navigation.mountBlock, let lensBlock = navigation.lensBlock, let lens = navigation.lens
    else {
      return nil
    }
    let mount = CameraMount(
      imuFromCamera: navigation.bodyFromNavigation.inverse * truth.bodyFromCamera,
      delay: truth.timeOffset - stated.timeOffset)
    errors = mount.minus(navigation.mount) + LensModel(truth).minus(lens)
    covariance = navigation.covariance.marginal([mountBlock, lensBlock])
  }

  /// 1-sigma of each component.
  package var sigmas: [Double] { errors.indices.map { covariance[$0 * (errors.count + 1)].squareRoot() } }

  /// Each error in its sigmas.
  package var inSigmas: [Double] { zip(errors, sigmas).map { abs($0) / $1 } }

  /// `e^T P^-1 e`, by elimination: P is positive definite.
  package var normalizedSquare: Double {
    let n = errors.count
    // Scaled by the sigmas for equal magnitudes.
    var a = (0..<n).map { i in (0..<n).map { covariance[i * n + $0] / (sigmas[i] * sigmas[$0]) } }
    let start = zip(errors, sigmas).map { $0 / $1 }
    var x = start
    for k in 0..<n {
      for i in k + 1..<max(n, k + 1) {
        let factor = a[i][k] / a[k][k]
        for j in k..<n { a[i][j] -= factor * a[k][j] }
        x[i] -= factor * x[k]
      }
    }
    for k in (0..<n).reversed() {
      for j in k + 1..<max(n, k + 1) { x[k] -= a[k][j] * x[j] }
      x[k] /= a[k][k]
    }
    return zip(start, x).reduce(0) { $0 + $1.0 * $1.1 }
  }
}

extension CalibrationConfiguration {
  /// The default settings with everything estimated online.
  package static var allOnline: CalibrationConfiguration {
    var configuration = CalibrationConfiguration()
    configuration.online = true
    return configuration
  }
}
