import Datasets
import Estimator
import Geometry
import JSONText
import SensorData

/// The camera calibration estimated by a run, as JSON.
package enum CalibrationDocument {
  /// The keys of `sensor.yaml`, with standard deviations.
  package static func json(_ estimate: CalibrationEstimate) -> JSONValue {
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

  private static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
}
