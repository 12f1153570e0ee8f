import Foundation
import FuseCommandTestSupport
import Images
import TestSupport

/// A rendered recording in the layout of EuRoC or TUM-VI: exactly the files of their archives.
struct PublishedFolder {
  /// What was made by `fuse simulate --images`, and becomes the folder.
  let url: URL
  private let files = FileManager.default

  /// Renders a look around with two cameras, without ranges.
  init(in folder: URL, camera: String) throws {
    url = folder.appendingPathComponent("recording")
    let scenario = folder.appendingPathComponent("scenario.yaml")
    let text = """
      name: published
      description: a look around
      peers: []
      camera: {rate_hz: 20, tracks: 10, exposure_ms: 3, second: {position_m: [-0.085, 0.06, -0.004]}, \(camera)}
      motion:
        - hold: {duration_s: 1.1}
        - arc: {duration_s: 1.6, horizontal_deg: 30, horizontal_period_s: 1.6}

      """
    try Data(text.utf8).write(to: scenario)
    let made = try FuseProcess.run(["simulate", scenario.path, "-o", url.path, "--images"])
    guard made.status == 0 else { throw CocoaError(.featureUnsupported, userInfo: ["text": made.stderr]) }
    for camera in ["cam0", "cam1"] { try remove("mav0/\(camera)/features.csv", "mav0/\(camera)/frames.csv") }
    try remove("dataset.yaml")
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func remove(_ names: String...) throws { for name in names { try files.removeItem(atPath: path(name)) } }

  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  func write(_ name: String, _ text: String) throws {
    let location = url.appendingPathComponent(name)
    try files.createDirectory(at: location.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: location)
  }

  /// The rows of a table, without its header.
  func rows(_ name: String) throws -> [String] {
    try text(name).split(whereSeparator: \.isNewline).dropFirst().map(String.init)
  }

  /// The value of a key in a `sensor.yaml`, the lines of a matrix too.
  func value(_ key: String, _ name: String) throws -> String {
    let lines = try text(name).components(separatedBy: "\n")
    guard let first = lines.firstIndex(where: { $0.hasPrefix(key + ":") }) else { return "" }
    let more = lines[(first + 1)...].prefix { $0.hasPrefix(" ") }
    return ([String(lines[first].dropFirst(key.count + 1))] + more).joined(separator: "\n")
  }

  /// EuRoC's Machine Hall: `body.yaml`, two cameras, `imu0`, `leica0`, the ground-truth estimate; the lists have
  /// Windows line endings. Frames `dropped` are missing in both cameras, as they are in some of its recordings.
  func convertToEuRoC(dropped: Set<Int>) throws {
    try write("mav0/body.yaml", "comment: AscTec Firefly with VI-Sensor\n")
    for camera in 0...1 {
      let folder = "mav0/cam\(camera)"
      let names = try rows("\(folder)/data.csv")
      for index in dropped { try remove("\(folder)/data/\(names[index].split(separator: ",")[1])") }
      let kept = names.indices.filter { !dropped.contains($0) }.map { names[$0] + "\r\n" }
      try write("\(folder)/data.csv", "#timestamp [ns],filename\r\n" + kept.joined())
      let calibration = "\(folder)/sensor.yaml"
      try write(
        calibration,
        """
        # General sensor definitions.
        sensor_type: camera
        comment: VI-Sensor cam\(camera) (MT9M034)

        # Sensor extrinsics wrt. the body-frame.
        T_BS:\(try value("T_BS", calibration))

        # Camera specific definitions.
        rate_hz: 20
        resolution:\(try value("resolution", calibration))
        camera_model: pinhole
        intrinsics:\(try value("intrinsics", calibration)) #fu, fv, cu, cv
        distortion_model: radial-tangential
        distortion_coefficients:\(try value("distortion_coefficients", calibration))

        """)
    }
    let truth = "mav0/state_groundtruth_estimate0"
    let states = try rows("\(truth)/data.csv")
    let vectors = ["p_RS_R_x [m]", "p_RS_R_y [m]", "p_RS_R_z [m]", "q_RS_w []", "q_RS_x []", "q_RS_y []", "q_RS_z []"]
    let rates = [("v_RS_R", "m s^-1"), ("b_w_RS_S", "rad s^-1"), ("b_a_RS_S", "m s^-2")].flatMap { name, unit in
      ["x", "y", "z"].map { "\(name)_\($0) [\(unit)]" }
    }
    try write(
      "\(truth)/data.csv",
      (["#timestamp"] + vectors + rates).joined(separator: ", ") + "\n" + states.joined(separator: "\n") + "\n")
    let identity =
      "T_BS:\n  cols: 4\n  rows: 4\n  data: [1.0, 0.0, 0.0, 0.0,\n         0.0, 1.0, 0.0, 0.0,\n         0.0, 0.0, 1.0, "
    try write("\(truth)/sensor.yaml", "sensor_type: visual-inertial\n\(identity)0.0,\n         0.0, 0.0, 0.0, 1.0]\n")
    try write(
      "mav0/leica0/sensor.yaml",
      "sensor_type: position\ncomment: Position measurement from a Leica Nova MS50.\n\(identity)-0.12,\n         0.0, 0.0, 0.0, 1.0]\n"
    )
    try write(
      "mav0/leica0/data.csv",
      "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m]\n"
        + stride(from: 0, to: states.count, by: 10).map {
          states[$0].split(separator: ",").prefix(4).joined(separator: ",") + "\n"
        }.joined())
  }

  /// TUM-VI's folder: 16-bit images, no `sensor.yaml` but Kalibr's files in `dso`, with the exposures, and `mocap0`.
  func convertToTUMVI() throws {
    var chain = ""
    for camera in 0...1 {
      let folder = "mav0/cam\(camera)", calibration = "\(folder)/sensor.yaml"
      let numbers = try value("T_BS", calibration).components(separatedBy: "data:")[1].split { "[], \n".contains($0) }
        .compactMap { Double($0) }
      chain += "cam\(camera):\n  T_cam_imu:\n" + Self.inverse(numbers).map { "  - \($0)\n" }.joined()
      if camera == 1 {
        chain += "  T_cn_cnm1:\n" + (0..<4).map { i in "  - \((0..<4).map { $0 == i ? 1.0 : 0 })\n" }.joined()
      }
      chain += """
          cam_overlaps: [\(1 - camera)]
          camera_model: pinhole
          distortion_coeffs:\(try value("distortion_coefficients", calibration))
          distortion_model: equidistant
          intrinsics:\(try value("intrinsics", calibration))
          resolution:\(try value("resolution", calibration))
          rostopic: /cam\(camera)/image_raw
          timeshift_cam_imu: 0.0

        """
      let rows = try rows("\(folder)/data.csv")
      var times = "# name, time [s], exposure [ms]\n"
      for (index, row) in rows.enumerated() {
        let cells = row.split(separator: ","), name = String(cells[1]), file = "\(folder)/data/\(name)"
        let image = try GrayImage(encoded: [UInt8](Data(contentsOf: URL(fileURLWithPath: path(file)))))
        let bytes = StoredPNG.grey16(width: image.width, height: image.height, pixels: image.pixels) {
          UInt8(truncatingIfNeeded: $0 &* 31 &+ index)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path(file)))
        times += "\(cells[0]) \(cells[0].dropLast(9)).\(cells[0].suffix(9)) 3.0\n"
      }
      try write("dso/cam\(camera)/times.txt", times)
      try remove(calibration)
    }
    try write("dso/camchain.yaml", chain)
    let noise = try ["gyroscope", "accelerometer"].flatMap { sensor in
      try ["noise_density", "random_walk"].map {
        "\(sensor)_\($0):\(try value("\(sensor)_\($0)", "mav0/imu0/sensor.yaml"))\n"
      }
    }
    try write("dso/imu_config.yaml", noise.joined() + "rostopic: /imu0\nupdate_rate: 200.0\n")
    try remove("mav0/imu0/sensor.yaml")
    let states = try rows("mav0/state_groundtruth_estimate0/data.csv")
    try remove("mav0/state_groundtruth_estimate0")
    try write(
      "mav0/mocap0/data.csv",
      "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []\n"
        + states.map { $0.split(separator: ",").prefix(8).joined(separator: ", ") + "\n" }.joined())
  }

  /// The inverse of a pose in 16 numbers, row by row.
  private static func inverse(_ m: [Double]) -> [[Double]] {
    let rows = (0..<3).map { i -> [Double] in
      let column = [m[i], m[4 + i], m[8 + i]]
      return column + [-(column[0] * m[3] + column[1] * m[7] + column[2] * m[11])]
    }
    return rows + [[0, 0, 0, 1]]
  }
}
