import Foundation

/// A small valid recording in a temporary folder, for damage tests; removed with the object.
///
/// Ten seconds: IMU 200 Hz, ten features at 20 Hz, ranges of two peers at 200 Hz; long enough for one bad row in 1,000.
package final class Fixture {
  package static let start: Int64 = 1_700_000_000_000_000_000
  package static let rows = 2000
  package static let identity = "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n"
  package static let imuHeader =
    "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],"
    + "a_RS_S_z [m s^-2]"
  package static let poseHeader =
    "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
  package static let featureHeader = "#timestamp [ns],feature_id [],u [px],v [px]"
  package static let rangeHeader = "#timestamp [ns],peer_id [],range [m]"
  package static let imuYAML =
    identity + """
      rate_hz: 200
      gyroscope_noise_density: 0.001
      gyroscope_random_walk: 0.0001
      accelerometer_noise_density: 0.01
      accelerometer_random_walk: 1

      """
  package static let cameraYAML =
    identity + """
      resolution: [640, 480]
      camera_model: pinhole
      intrinsics: [400, 400.5, 320, 240]
      distortion_model: radial-tangential
      distortion_coefficients: [-0.28, 0.07, 0.0002, 1.7e-05]

      """

  package static let imu = "mav0/imu0/data.csv"
  package static let imuCalibration = "mav0/imu0/sensor.yaml"
  package static let features = "mav0/cam0/features.csv"
  package static let frames = "mav0/cam0/frames.csv"
  package static let cameraCalibration = "mav0/cam0/sensor.yaml"
  package static let ranges = "mav0/uwb0/data.csv"
  package static let radioCalibration = "mav0/uwb0/sensor.yaml"
  package static let odometry = "mav0/odometry0/data.csv"
  package static let odometryCalibration = "mav0/odometry0/sensor.yaml"

  package let folder: URL

  /// The valid recording, or an empty folder.
  package init(isEmpty: Bool = false) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-datasets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if isEmpty { return }
    try write(Self.imu, Self.imuHeader, Self.imuRows())
    try write(Self.imuCalibration, Self.imuYAML)
    try write(Self.features, Self.featureHeader, Self.featureRows())
    try write(Self.cameraCalibration, Self.cameraYAML)
    try write(Self.ranges, Self.rangeHeader, Self.rangeRows())
    try write(Self.radioCalibration, Self.identity + "rate_hz: 200\n")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  package func write(_ name: String, _ text: String) throws { try write(name, data: Data(text.utf8)) }

  package func write(_ name: String, data: Data) throws {
    let url = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  package func write(_ name: String, _ header: String, _ rows: [String]) throws {
    try write(name, header + "\n" + rows.map { $0 + "\n" }.joined())
  }

  package func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  /// Changes line `line` (the header is line 1) of a file.
  package func edit(_ name: String, line: Int, _ change: (String) -> String) throws {
    var lines = try text(name).components(separatedBy: "\n")
    lines[line - 1] = change(lines[line - 1])
    try write(name, lines.joined(separator: "\n"))
  }

  /// Replaces a part of a file that must be there.
  package func replace(_ name: String, _ part: String, with new: String) throws {
    let old = try text(name)
    precondition(old.contains(part), "\(part) is not in \(name)")
    try write(name, old.replacingOccurrences(of: part, with: new))
  }

  /// Adds external odometry.
  package func addOdometry() throws {
    try write(
      Self.odometry, Self.poseHeader, (0..<Self.rows).map { "\(Self.time($0)),\(Double($0) / 100),1,2,1,0,0,0" })
    try write(Self.odometryCalibration, Self.identity + "yaw_random_walk: 0.02\n")
  }

  package static func time(_ row: Int) -> Int64 { start + Int64(row) * 5_000_000 }

  package static func imuRows() -> [String] { (0..<rows).map { "\(time($0)),0.\($0),-0.25,1e-3,0.5,\($0),9.81" } }

  package static func featureRows() -> [String] {
    (0..<rows).map { "\(start + Int64($0 / 10) * 50_000_000),\($0 % 10 + $0 / 100),\($0 % 640).25,\($0 % 480).5" }
  }

  package static func rangeRows() -> [String] {
    (0..<rows).map { "\(time($0)),tag-\($0 % 2),\(3 + Double($0) / 1000)" }
  }
}
