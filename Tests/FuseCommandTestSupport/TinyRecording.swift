import Foundation

/// A small whole recording as text, to be damaged: 12.5 s of a stationary phone, five features, one peer.
package struct TinyRecording {
  package static let start = 1_700_000_000_000_000_000
  package static let imu = "mav0/imu0/data.csv"
  package static let imuYAML = "mav0/imu0/sensor.yaml"
  package static let features = "mav0/cam0/features.csv"
  package static let camYAML = "mav0/cam0/sensor.yaml"
  package static let uwb = "mav0/uwb0/data.csv"
  package static let uwbYAML = "mav0/uwb0/sensor.yaml"

  /// Contents by path in the folder.
  package var files: [String: Data] = [:]

  package init() {
    let identity = "T_BS:\n  cols: 4\n  rows: 4\n  data: [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]\n"
    func stamp(_ k: Int, _ step: Int) -> Int { Self.start + k * step }
    set(
      Self.imuYAML,
      "sensor_type: imu\n" + identity + """
        rate_hz: 200
        gyroscope_noise_density: 0.001
        gyroscope_random_walk: 0.0001
        accelerometer_noise_density: 0.01
        accelerometer_random_walk: 0.001

        """)
    set(
      Self.camYAML,
      "sensor_type: camera\n" + identity + """
        rate_hz: 10
        resolution: [640, 480]
        camera_model: pinhole
        intrinsics: [400, 400, 320, 240]
        distortion_model: radial-tangential
        distortion_coefficients: [0, 0, 0, 0]

        """)
    set(Self.uwbYAML, "sensor_type: uwb\n" + identity + "rate_hz: 10\n")
    set(
      Self.imu,
      "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
        + "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n"
        + (0..<2500).map { "\(stamp($0, 5_000_000)),0.001,0,-0.001,0.01,9.8,0.02\n" }.joined())
    set(
      Self.features,
      "#timestamp [ns],feature_id [],u [px],v [px]\n"
        + (0..<125).map { k in
          (1...5).map { "\(stamp(k, 100_000_000)),\($0),\(100 * $0),\(50 * $0)\n" }.joined()
        }.joined())
    set(
      Self.uwb,
      "#timestamp [ns],peer_id [],range [m]\n"
        + (0..<1200).map { "\(stamp($0, 10_000_000)),tag,3.5\n" }.joined())
  }

  /// Replaces a file by text.
  package mutating func set(_ path: String, _ text: String) { files[path] = Data(text.utf8) }

  /// The text of a file.
  package func text(_ path: String) -> String { String(decoding: files[path] ?? Data(), as: UTF8.self) }

  /// Replaces the first occurrence of some text.
  package mutating func replace(_ path: String, _ old: String, _ new: String) {
    var text = text(path)
    let range = text.range(of: old)
    precondition(range != nil, "\(path) does not hold '\(old)'")
    text.replaceSubrange(range!, with: new)
    set(path, text)
  }

  /// Changes one line; 1 is the header.
  package mutating func change(_ path: String, line: Int, _ change: (String) -> String) {
    var lines = text(path).components(separatedBy: "\n")
    lines[line - 1] = change(lines[line - 1])
    set(path, lines.joined(separator: "\n"))
  }

  /// Changes one cell, counted from 0.
  package mutating func cell(_ path: String, line: Int, _ column: Int, _ value: String) {
    change(path, line: line) { row in
      var cells = row.components(separatedBy: ",")
      cells[column] = value
      return cells.joined(separator: ",")
    }
  }

  /// Writes the folder.
  package func write(to folder: URL) throws {
    for (path, data) in files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
  }
}
