/// A kind of foreign recording or calibration.
package enum ImportKind: String, CaseIterable, Sendable {
  case kalibr, openvins, calibration, starloc, miluv, spectacular
  case arkitNI = "arkit-ni"
  case stray
  case sensorLogger = "sensor-logger"
  case record3d, mars
  case videoIMU = "video-imu-capture"
  case iosLogger = "ios-logger"
  case plaza, csv, ros

  /// Whether it brings calibrations, and no data.
  package var isCalibration: Bool { [.kalibr, .openvins, .calibration].contains(self) }

  /// What the source is, one line.
  package var summary: String {
    switch self {
    case .kalibr: "Kalibr's <bag>-camchain-imucam.yaml, <bag>-imu.yaml: calibrations into a folder that has the data"
    case .openvins: "an OpenVINS or UVIO configuration: calibrations and anchors into a folder that has the data"
    case .calibration:
      "a camera's calibration of OpenCV, ROS, camodocal, VINS or Basalt: into a folder that has the data"
    case .starloc: "STAR-loc: a run's folder (uwb.csv, imu.csv, calib.json), or the data set's with one run"
    case .miluv: "MILUV: an experiment's folder or a robot's (ifo001/uwb_range.csv, imu_px4.csv, mocap.csv)"
    case .spectacular: "Spectacular AI or HybVIO: data.jsonl with calibration.json"
    case .arkitNI: "a phone's ARKit poses and Nearby Interaction rows: arkit.csv, ni.csv, optional motion.csv"
    case .stray: "Stray Scanner: odometry.csv, imu.csv, camera_matrix.csv, optional ranges.csv"
    case .sensorLogger:
      "Sensor Logger: its zip, its JSON or its folder (Accelerometer.csv, Gyroscope.csv, ...), optional ranges.csv, poses.csv"
    case .record3d: "Record3D: an .r3d file, or the folder with metadata.json, optional ranges.csv"
    case .mars: "MARS logger: gyro_accel.csv, movie_metadata.csv, frame_timestamps.txt, optional ranges.csv"
    case .videoIMU: "VideoIMUCapture: video_meta.pb3 beside the video, optional ranges.csv"
    case .iosLogger: "ios_logger: ARposes.txt, Accel.txt, Gyro.txt, Frames.txt, optional ranges.csv"
    case .plaza: "Plaza: tables DR (odometry) and TD (ranges), optional GT and TL"
    case .csv: "any CSV files, described by --map map.yaml"
    case .ros: "ROS 1 bag, ROS 2 db3, MCAP: by fuse-import of the Python package"
    }
  }
}
