import Estimator
import Evaluation
import Geometry
import Report
import RunResults

extension CalibrationDocument {
  /// A line of text; each ± is 90 %.
  static func words(_ estimate: CalibrationEstimate) -> String {
    let camera = estimate.camera, sigmas = estimate.intrinsics
    func half(_ sigma: Double, _ decimals: Int) -> String {
      "± " + Words.fixed(NinetyPercent.halfWidth(sigma), decimals)
    }
    func pixels(_ value: Double, _ sigma: Double) -> String { "\(Words.fixed(value, 1)) \(half(sigma, 1))" }
    let lens =
      "focal lengths \(pixels(camera.fx, sigmas[0])), \(pixels(camera.fy, sigmas[1])) px, centre "
      + "\(pixels(camera.cx, sigmas[2])), \(pixels(camera.cy, sigmas[3])) px"
    let clock =
      "time offset \(Words.fixed(1000 * camera.timeOffset, 1)) \(half(1000 * estimate.timeOffset, 1)) ms"
    let mount =
      "mount \(half(Angle.inDegrees(estimate.rotation.max() ?? 0), 2))°, "
      + "\(half(1000 * (estimate.translation.max() ?? 0), 0)) mm"
    let learnt = estimate.learnt.isEmpty ? "nothing" : estimate.learnt.map(\.rawValue).joined(separator: ", ")
    return "calibration: \(lens); \(clock); \(mount); learnt: \(learnt)"
  }
}
