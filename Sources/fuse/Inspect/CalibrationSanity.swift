import Foundation
import Geometry
import SensorData

/// Plausibility of a calibration, in words.
enum CalibrationSanity {
  /// A line per sensor: position and orientation in body axes, and warnings.
  static func lines(_ rig: RigCalibration) -> [[String]] {
    var rows: [[String]] = []
    if let imu = rig.imu {
      rows.append(["imu0", offset(imu.bodyFromIMU), "x to \(axis(imu.bodyFromIMU, Vector3(1, 0, 0)))", imuWarning(imu)])
    }
    for (index, camera) in rig.cameras.enumerated() {
      rows.append([
        "cam\(index)", offset(camera.bodyFromCamera), "looks to \(axis(camera.bodyFromCamera, Vector3(0, 0, 1)))",
        "\(camera.width)x\(camera.height), \(lens(camera)), field \(Words.fixed(fieldOfView(camera), 0))° wide"
          + warning(camera),
      ])
    }
    if let radio = rig.radio {
      for (id, position) in radio.antennas.sorted(by: { $0.key < $1.key }) {
        rows.append([
          id.isEmpty ? "antenna" : "antenna \(id)", offset(Pose(translation: position)), "",
          position.norm > 0.5 ? "far from the body's origin: check the unit" : "",
        ])
      }
    }
    if let odometry = rig.odometry { rows.append(["odometry0", offset(odometry.bodyFromSensor), "", ""]) }
    rows.append([
      "device", offset(rig.bodyFromDevice), "back looks to \(axis(rig.bodyFromDevice, Vector3(0, 0, -1)))",
      "top to \(axis(rig.bodyFromDevice, Vector3(0, 1, 0)))",
    ])
    return rows
  }

  private static func offset(_ pose: Pose) -> String {
    let p = pose.translation * 100
    return "at (\(Words.fixed(p.x, 1)), \(Words.fixed(p.y, 1)), \(Words.fixed(p.z, 1))) cm"
  }

  /// The body axis nearest to a sensor's axis, and the angle between them.
  private static func axis(_ pose: Pose, _ direction: Vector3) -> String {
    let d = pose.rotation * direction
    let names = ["+x": d.x, "-x": -d.x, "+y": d.y, "-y": -d.y, "+z": d.z, "-z": -d.z]
    let best = names.max { ($0.value, $1.key) < ($1.value, $0.key) }!
    let off = Angle.inDegrees(acos(min(1, best.value)))
    return off < 0.5 ? best.key : "\(best.key), \(Words.fixed(off, 0))° off"
  }

  private static func lens(_ camera: CameraCalibration) -> String {
    switch camera.distortion {
    case .none: "no distortion"
    case .radialTangential: "radial-tangential"
    case .equidistant: "equidistant"
    case .fieldOfView: "fov"
    case .rational: "rational"
    case .omni: "omni"
    case .doubleSphere: "double sphere"
    case .extendedUnified: "extended unified"
    }
  }

  /// Field of view of an ideal pinhole of that focal length, degrees: smaller than a fisheye's own.
  private static func fieldOfView(_ camera: CameraCalibration) -> Double {
    Angle.inDegrees(2 * atan(Double(camera.width) / (2 * camera.fx)))
  }

  private static func warning(_ camera: CameraCalibration) -> String {
    let inside = camera.cx > 0 && camera.cx < Double(camera.width) && camera.cy > 0 && camera.cy < Double(camera.height)
    if !inside { return "; the principal point is outside the image" }
    return abs(camera.fx / camera.fy - 1) > 0.2 ? "; fx and fy differ by over 20 %" : ""
  }

  private static func imuWarning(_ imu: IMUCalibration) -> String {
    let gyroscope = imu.gyroscopeNoiseDensity
    let accelerometer = imu.accelerometerNoiseDensity
    if gyroscope > 0.1 || gyroscope < 1e-6 { return "gyroscope_noise_density \(gyroscope) is unlike any gyroscope" }
    if accelerometer > 1 || accelerometer < 1e-5 {
      return "accelerometer_noise_density \(accelerometer) is unlike any accelerometer"
    }
    return ""
  }
}
