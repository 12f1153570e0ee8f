import Datasets
import Importing
import Testing

/// Broken sources end with the file, the line, what was found and what to do.
@Suite struct BrokenSourceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var kind: ImportKind
    var name: String
    var file: String
    var line: Int?
    var found: String
    var remedy: String
    var damage: @Sendable (Folder) throws -> Void

    init(
      _ kind: ImportKind, _ name: String, _ file: String, _ line: Int?, _ found: String, _ remedy: String,
      _ damage: @escaping @Sendable (Folder) throws -> Void
    ) {
      (self.kind, self.name, self.file, self.line) = (kind, name, file, line)
      (self.found, self.remedy, self.damage) = (found, remedy, damage)
    }

    var testDescription: String { "\(kind.rawValue): \(name)" }
  }

  static let cases: [Case] = [
    Case(.starloc, "no calibration", "", nil, "no calib.json", "calib.json") { try $0.remove("calib.json") },
    Case(.starloc, "no such column", "uwb.csv", 1, "columns time_s,", "also to_id") {
      try $0.line("uwb.csv", 1) { $0.replacingOccurrences(of: "to_id", with: "anchor") }
    },
    Case(.starloc, "text for a range", "uwb.csv", 7, "range 'far'", "finite number") {
      try $0.cell("uwb.csv", 7, 2, "far")
    },
    Case(.starloc, "a matrix for a quaternion", "calib.json", 1, "no tf_cam_imu", "calib.json of the data set") {
      try $0.replace("calib.json", "\"w\": 1}", "\"ww\": 1}")
    },
    Case(.starloc, "calib.json cut short", "calib.json", 1, "no JSON", "one JSON object") {
      try $0.write("calib.json", String($0.text("calib.json").dropLast(30)))
    },
    Case(.starloc, "no such tag", "uwb.csv", 5, "no from_id or to_id", "tag and anchor") {
      try $0.cell("uwb.csv", 5, 3, "")
    },
    Case(.miluv, "a range of text", "data/default_1/ifo001/uwb_range.csv", 4, "range '2,5'", "0.5 for 0,5") {
      try $0.cell("data/default_1/ifo001/uwb_range.csv", 4, 2, "\"2;5\"")
      let name = "data/default_1/ifo001/uwb_range.csv"
      let swapped = try $0.text(name).map { $0 == "," ? ";" : $0 == ";" ? "," : $0 }
      try $0.write(name, String(swapped))
    },
    Case(.miluv, "no configuration", "data/default_1/ifo001", nil, "no config/uwb/anchors.yaml", "config folder") {
      try $0.remove("config")
    },
    Case(.miluv, "no motion capture", "data/default_1/ifo001", nil, "no mocap.csv", "MILUV") {
      try $0.remove("data/default_1/ifo001/mocap.csv")
    },
    Case(.miluv, "a lever arm that is no vector", "config/uwb/tags.yaml", 2, "10: [0.13", "[x, y, z]") {
      try $0.replace("config/uwb/tags.yaml", "[0.13, -0.17, -0.05]", "[0.13, -0.17]")
    },
    Case(.miluv, "a quaternion of no length", "data/default_1/ifo001/mocap.csv", 5, "length 0.000", "length 1") {
      for column in 5...8 { try $0.cell("data/default_1/ifo001/mocap.csv", 5, column, "0") }
    },
    Case(.spectacular, "no JSON", "data.jsonl", 3, "no JSON", "one JSON object") {
      try $0.line("data.jsonl", 3) { String($0.dropLast()) }
    },
    Case(.spectacular, "two values", "data.jsonl", 1, "without three finite values", "values\":[x,y,z]") {
      try $0.line("data.jsonl", 1) { $0.replacingOccurrences(of: "values\":[", with: "v\":[") }
    },
    Case(.spectacular, "an unknown lens", "calibration.json", 1, "model omni", "kannala-brandt4") {
      try $0.replace("calibration.json", "kannala-brandt4", "omni")
    },
    Case(.spectacular, "a flat matrix row by row", "calibration.json", 4, "no rigid transform", "column by column") {
      try $0.replace(
        "calibration.json", "[[0, -1, 0, 0.1], [0, 0, -1, 0.2], [1, 0, 0, 0.3], [0, 0, 0, 1]]",
        "[0, -1, 0, 0.1, 0, 0, -1, 0.2, 1, 0, 0, 0.3, 0, 0, 0, 1]")
    },
    Case(.spectacular, "milliseconds", "data.jsonl", 2, "no time in seconds", "looks to be in ms") {
      try $0.line("data.jsonl", 2) {
        $0.replacingOccurrences(of: "\"time\":[0-9.]*", with: "\"time\":1700000000123", options: .regularExpression)
      }
    },
    Case(.spectacular, "a calibration cut short", "calibration.json", 4, "no JSON", "one JSON object") {
      try $0.write("calibration.json", String($0.text("calibration.json").dropLast(5)))
    },
    Case(.arkitNI, "no distances", "", nil, "no ni.csv", "ni.csv") { try $0.remove("ni.csv") },
    Case(.arkitNI, "rows for columns", "arkit.csv", 2, "determinant", "column by column") {
      try $0.cell("arkit.csv", 2, 2, "5")
    },
    Case(.arkitNI, "no unit vector", "ni.csv", 3, "a direction of length", "unit vector") {
      try $0.cell("ni.csv", 3, 4, "9")
    },
    Case(.stray, "no poses", "", nil, "no odometry.csv", "odometry.csv") { try $0.remove("odometry.csv") },
    Case(.stray, "another header", "imu.csv", 1, "columns timestamp", "also a_x") {
      try $0.line("imu.csv", 1) { $0.replacingOccurrences(of: "a_x", with: "x") }
    },
    Case(.stray, "a short row", "odometry.csv", 9, "4 cells", "9 as in the header") {
      try $0.line("odometry.csv", 9) { $0.split(separator: ",").prefix(4).joined(separator: ",") }
    },
    Case(.sensorLogger, "gravity taken off", "", nil, "no Gravity.csv", "Accelerometer.csv alone") {
      try $0.remove("Gravity.csv")
    },
    Case(.sensorLogger, "no gyroscope", "", nil, "no Gyroscope.csv", "Sensor Logger") {
      try $0.remove("Gyroscope.csv")
    },
    Case(.sensorLogger, "a time that is none", "Gyroscope.csv", 4, "time 'noon'", "a time in ns") {
      try $0.cell("Gyroscope.csv", 4, 1, "noon")
    },
    Case(.plaza, "no ranges", "", nil, "no table TD", "TD") { try $0.remove("Plaza9_TD.txt") },
    Case(.plaza, "three cells", "Plaza9_TD.txt", 6, "3 cells", "4 as in the header") {
      try $0.line("Plaza9_TD.txt", 6) { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    },
    Case(.plaza, "not a number", "Plaza9_DR.txt", 8, "distance 'nan'", "finite number") {
      try $0.line("Plaza9_DR.txt", 8) { "\($0.split(separator: " ")[0]) nan 0" }
    },
    Case(.csv, "a misspelt key", "map.yaml", 4, "key 'gyroscop'", "'gyroscope' (misspelt?)") {
      try $0.line("map.yaml", 4) { $0.replacingOccurrences(of: "gyroscope", with: "gyroscop") }
    },
    Case(.csv, "a column that is not there", "imu.csv", 1, "columns t, gx", "also wx") {
      try $0.replace("map.yaml", "[gx,", "[wx,")
    },
    Case(.csv, "an unknown unit", "map.yaml", 5, "gyroscope_unit: rpm", "rad/s, deg/s") {
      try $0.replace("map.yaml", "deg/s", "rpm")
    },
    Case(.csv, "degrees for radians", "ranges.csv", 9, "an angle of 35.0", "angle_unit: deg") {
      try $0.replace("map.yaml", "peer: who", "peer: who\n  azimuth: az")
      try $0.line("ranges.csv", 1) { $0 + ",az" }
      try $0.rows("ranges.csv") { $0 + ["0.1"] }
      try $0.cell("ranges.csv", 9, 4, "35.0")
    },
    Case(.csv, "no header", "imu.csv", 1, "a row of numbers", "a header line before it, with the columns t; gx") {
      try $0.write("imu.csv", $0.text("imu.csv").split(separator: "\n").dropFirst().joined(separator: "\n"))
    },
    Case(.csv, "a column twice", "poses.csv", 1, "column px twice", "every column once") {
      try $0.replace("poses.csv", "px,py,pz", "px,px,pz")
    },
    Case(.csv, "no sensor in the map", "map.yaml", 1, "no sensor", "sections imu0, odometry0") {
      try $0.write("map.yaml", "device_T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n")
    },
    Case(.csv, "no such file", "gone.csv", nil, "No such file", "readable file") {
      try $0.replace("map.yaml", "poses.csv", "gone.csv")
    },
  ]

  @Test(arguments: cases) func isRefused(_ broken: Case) throws {
    let (source, output) = (try Folder(), try Folder())
    let (path, map) = try ForeignSamples.write(broken.kind, to: source)
    try broken.damage(source)
    let error = try #require(throws: DatasetError.self) {
      try Importer.run(broken.kind, source: path, output: output.url.path, options: .init(map: map))
    }
    #expect(error.file == (broken.file.isEmpty ? source.url.path : source.path(broken.file)), "\(error)")
    #expect(error.line == broken.line, "\(error)")
    #expect(error.found.contains(broken.found), "\(error)")
    #expect(error.expected.contains(broken.remedy), "\(error)")
  }

  /// A few bad rows far inside a file are counted, as in a dataset folder; many are not accepted.
  @Test func fewBadRowsAreCounted() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.starloc(source)
    try source.cell("imu.csv", 1500, 2, "NaN")
    let report = try Importer.run(.starloc, source: source.url.path, output: output.url.path)
    #expect(report.counts["imu.csv bad rows skipped"] == 1)
    for line in 1600..<1620 { try source.cell("imu.csv", line, 2, "NaN") }
    let error = try #require(throws: DatasetError.self) {
      try Importer.run(.starloc, source: source.url.path, output: output.url.path)
    }
    #expect(error.found.contains("bad rows in") && error.line == 1500)
  }
}
