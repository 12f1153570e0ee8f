import Datasets
import Estimator
import Geometry
import SensorData

/// The camera calibration estimated by a run, as JSON and text.
enum CalibrationDocument {
  /// The keys of `sensor.yaml`, with standard deviations.
  static func json(_ estimate: CalibrationEstimate) -> JSONValue {
    let camera = estimate.camera, r = camera.bodyFromCamera.rotation.matrix, t = camera.bodyFromCamera.translation
    let pose: [Double] = (0..<3).flatMap { [r[$0, 0], r[$0, 1], r[$0, 2], t[$0]] } + [0, 0, 0, 1]
    return [
      "T_BS": numbers(pose), "intrinsics": numbers([camera.fx, camera.fy, camera.cx, camera.cy]),
      "time_offset_cam_to_imu_s": .number(camera.timeOffset),
      "rotationStd": numbers(estimate.rotation), "translationStd": numbers(estimate.translation),
      "intrinsicsStd": numbers(estimate.intrinsics), "timeOffsetStd": .number(estimate.timeOffset),
      "learnt": .array(estimate.learnt.map { .string($0.rawValue) }),
    ]
  }

  /// A line of text.
  static func words(_ estimate: CalibrationEstimate) -> String {
    let camera = estimate.camera, sigmas = estimate.intrinsics
    func pixels(_ value: Double, _ sigma: Double) -> String { "\(Words.fixed(value, 1)) ± \(Words.fixed(sigma, 1))" }
    let lens =
      "focal lengths \(pixels(camera.fx, sigmas[0])), \(pixels(camera.fy, sigmas[1])) px, centre "
      + "\(pixels(camera.cx, sigmas[2])), \(pixels(camera.cy, sigmas[3])) px"
    let clock =
      "time offset \(Words.fixed(1000 * camera.timeOffset, 1)) ± \(Words.fixed(1000 * estimate.timeOffset, 1)) ms"
    let mount =
      "mount ± \(Words.fixed(Angle.inDegrees(estimate.rotation.max() ?? 0), 2))°, "
      + "± \(Words.fixed(1000 * (estimate.translation.max() ?? 0), 0)) mm"
    let learnt = estimate.learnt.isEmpty ? "nothing" : estimate.learnt.map(\.rawValue).joined(separator: ", ")
    return "calibration: \(lens); \(clock); \(mount); learnt: \(learnt)"
  }

  private static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
}
