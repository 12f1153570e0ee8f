import Datasets
import DatasetsTestSupport
import Foundation
import Testing

/// A folder damaged beyond reading, and the expected error.
struct FatalCase: Sendable, CustomTestStringConvertible {
  var name: String
  /// The file that the error names, relative to the folder; empty for the folder itself.
  var file: String
  var line: Int?
  /// Words of the one line.
  var words: [String]
  var options = ReadingOptions()
  var damage: @Sendable (Fixture) throws -> Void

  init(
    _ name: String, _ file: String, _ line: Int?, _ words: String..., options: ReadingOptions = ReadingOptions(),
    damage: @escaping @Sendable (Fixture) throws -> Void
  ) {
    self.name = name
    self.file = file
    self.line = line
    self.words = words
    self.options = options
    self.damage = damage
  }

  var testDescription: String { name }

  /// A cell of one row replaced.
  static func cell(_ file: String, line: Int, _ cell: Int, _ value: String) -> @Sendable (Fixture) throws -> Void {
    {
      try $0.edit(file, line: line) { row in
        var cells = row.components(separatedBy: ",")
        cells[cell] = value
        return cells.joined(separator: ",")
      }
    }
  }
}

@Suite struct FatalDamageTests {
  @Test(arguments: FatalCase.structure + FatalCase.rows + FatalCase.calibration)
  func endsInOneClearLine(damaged: FatalCase) throws {
    let fixture = try Fixture()
    try damaged.damage(fixture)
    let error = try #require(throws: DatasetError.self) { _ = try fixture.read(damaged.options) }
    let root = fixture.folder.path
    #expect(error.file == (damaged.file.isEmpty ? root : "\(root)/\(damaged.file)"))
    #expect(error.line == damaged.line)
    for word in damaged.words { #expect(error.description.contains(word)) }
    #expect(error.description.hasPrefix("error: \(error.file)\(error.line.map { ":\($0)" } ?? ""): "))
    #expect(!error.description.contains("\n"))
  }

  @Test func theHealthyFolderReads() throws {
    let reading = try Fixture().read(ReadingOptions(strict: true))
    #expect(reading.imu.count == 2000 && reading.frames.count == 200 && reading.ranges.count == 2000)
    #expect(reading.damage.allSatisfy { $0.total == 0 })
  }

  @Test func noFolderIsNamedAsTheUserNamedIt() throws {
    let error = try #require(throws: DatasetError.self) { _ = try Recording.open(URL(fileURLWithPath: "no/such/")) }
    #expect(error.description == "error: no/such: no such folder, expected a dataset folder")
  }

  @Test(.enabled(if: geteuid() != 0, "skipped: root may read everything"))
  func aFileThatMayNotBeRead() throws {
    let fixture = try Fixture()
    chmod(fixture.path(Fixture.imu), 0)
    let error = try #require(throws: DatasetError.self) { _ = try fixture.read() }
    #expect(error.found == "Permission denied")
  }
}

extension FatalCase {
  static let structure = [
    FatalCase("no mav0", "", nil, "no folder mav0") { try $0.remove("mav0") },
    FatalCase("imu0 without data", Fixture.imu, nil, "no such file") { try $0.remove(Fixture.imu) },
    FatalCase("zero-length file", Fixture.imu, 1, "an empty file") { try $0.write(Fixture.imu, "") },
    FatalCase("header only", Fixture.imu, 2, "no rows") { try $0.write(Fixture.imu, Fixture.imuHeader + "\n") },
    FatalCase("tracks with header only and no frames.csv", Fixture.features, 2, "no rows") {
      try $0.write(Fixture.features, Fixture.featureHeader + "\n")
    },
    FatalCase("wrong unit", Fixture.ranges, 1, "unit [cm] of column range", "expected [m]") {
      try $0.replace(Fixture.ranges, "range [m]", with: "range [cm]")
    },
    FatalCase("empty unit where there is one", Fixture.ranges, 1, "unit []", "[m]") {
      try $0.replace(Fixture.ranges, "range [m]", with: "range []")
    },
    FatalCase("slip in a column", Fixture.ranges, 1, "'rnage'", "'range'") {
      try $0.replace(Fixture.ranges, "range [m]", with: "rnage [m]")
    },
    FatalCase("slip in an optional column", Fixture.ranges, 1, "'Azimuth'", "'azimuth'") {
      try $0.write(Fixture.ranges, Fixture.rangeHeader + ",Azimuth [rad]\n1,a,1,0\n")
    },
    FatalCase("column missing", Fixture.features, 1, "no column v") {
      try $0.replace(Fixture.features, ",v [px]", with: ",w [px]")
    },
    FatalCase("column twice", Fixture.features, 1, "column u twice") {
      try $0.replace(Fixture.features, "v [px]", with: "u [px]")
    },
    FatalCase("no header", Fixture.imu, 1, "a row of numbers", "#timestamp [ns]") {
      try $0.replace(Fixture.imu, Fixture.imuHeader + "\n", with: "")
    },
    FatalCase("binary garbage", Fixture.features, 1, "binary data") {
      try $0.write(Fixture.features, data: Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 128) }))
    },
    FatalCase("UTF-16", Fixture.features, 1, "binary data") {
      try $0.write(Fixture.features, data: ($0.text(Fixture.features)).data(using: .utf16)!)
    },
    FatalCase("ten gigabytes without a line", Fixture.imu, 1, "more than 65536 bytes") {
      try $0.write(Fixture.imu, "")
      truncate($0.path(Fixture.imu), 10 << 30)
    },
    FatalCase("ten gigabytes of nothing after good rows", Fixture.imu, 2002, "more than 65536 bytes") {
      truncate($0.path(Fixture.imu), 10 << 30)
    },
    FatalCase("an endless header", Fixture.imu, 1, "more than 65536 bytes") {
      try $0.write(Fixture.imu, Fixture.imuHeader + String(repeating: ",x", count: 40_000) + "\n")
    },
    FatalCase("a folder in place of a file", Fixture.imu, nil, "a folder", "a regular file") {
      try $0.remove(Fixture.imu)
      try FileManager.default.createDirectory(atPath: $0.path(Fixture.imu), withIntermediateDirectories: false)
    },
    FatalCase("a pipe in place of a file", Fixture.imu, nil, "a special file", "a regular file") {
      try $0.remove(Fixture.imu)
      mkfifo($0.path(Fixture.imu), 0o600)
    },
    FatalCase("images only", "mav0/cam0", nil, "images without tracks") {
      try $0.remove(Fixture.features)
      try $0.write("mav0/cam0/data.csv", "#timestamp [ns],filename\n1,1.png\n")
    },
    FatalCase("camera folder with nothing in it", Fixture.features, nil, "no such file") {
      try $0.remove(Fixture.features)
    },
    FatalCase(
      "everything missing at once", Fixture.imu, nil, "the data of imu0",
      "mav0/imu0/sensor.yaml (the calibration of imu0)",
      "mav0/uwb0/sensor.yaml", "mav0/cam0/features.csv", "mav0/cam0/sensor.yaml"
    ) {
      for name in [
        Fixture.imu, Fixture.imuCalibration, Fixture.radioCalibration, Fixture.features, Fixture.cameraCalibration,
      ] { try $0.remove(name) }
    },
    FatalCase("a link to nothing", Fixture.imu, nil, "a link to a file that is not there") {
      try $0.remove(Fixture.imu)
      symlink("nowhere", $0.path(Fixture.imu))
    },
    FatalCase("not written to its end", "", nil, "not written to its end") {
      try $0.write("mav0/.unfinished", "")
    },
    FatalCase("IMU and nothing else", Fixture.features, nil, "no such file", "odometry0") {
      try $0.remove("mav0/cam0")
    },
    FatalCase("camera and nothing else", "mav0/imu0", nil, "no such folder") { try $0.remove("mav0/imu0") },
    FatalCase("odometry asked for", "mav0/odometry0", nil, "asked for", options: ReadingOptions(usesOdometry: true)) {
      _ in
    },
    FatalCase("cam1 without cam0", "mav0/cam1/features.csv", nil, "without tracks of cam0") {
      try FileManager.default.moveItem(atPath: $0.path("mav0/cam0"), toPath: $0.path("mav0/cam1"))
    },
  ]

  static let rows = [
    FatalCase("NaN early", Fixture.imu, 6, "'nan' in column w_RS_S_y", damage: cell(Fixture.imu, line: 6, 2, "nan")),
    FatalCase("infinity early", Fixture.imu, 6, "finite", damage: cell(Fixture.imu, line: 6, 6, "-inf")),
    FatalCase("beyond Double", Fixture.imu, 6, "finite", damage: cell(Fixture.imu, line: 6, 6, "1e999")),
    FatalCase("a huge value", Fixture.imu, 6, "from -100000.0", damage: cell(Fixture.imu, line: 6, 6, "1e300")),
    FatalCase("text early", Fixture.imu, 4, "'abc'", "[rad s^-1]", damage: cell(Fixture.imu, line: 4, 1, "abc")),
    FatalCase("hexadecimal", Fixture.imu, 4, "'0x1p3'", damage: cell(Fixture.imu, line: 4, 1, "0x1p3")),
    FatalCase("empty cell", Fixture.imu, 4, "an empty cell", damage: cell(Fixture.imu, line: 4, 1, " ")),
    FatalCase("stamp as a float", Fixture.imu, 3, "'1.4e18'", "whole", damage: cell(Fixture.imu, line: 3, 0, "1.4e18")),
    FatalCase(
      "stamp beyond 64 bits", Fixture.imu, 3, "64 bits", damage: cell(Fixture.imu, line: 3, 0, "99999999999999999999")),
    FatalCase(
      "stamp at the end of the clock", Fixture.imu, 3, "2^62",
      damage: cell(Fixture.imu, line: 3, 0, "9223372036854775807")),
    FatalCase("time going back", Fixture.imu, 11, "timestamp 5 after", damage: cell(Fixture.imu, line: 11, 0, "5")),
    FatalCase("feature without an id", Fixture.features, 4, "'1.5'", damage: cell(Fixture.features, line: 4, 1, "1.5")),
    FatalCase("a name that is no UTF-8", Fixture.ranges, 2, "peer_id", "plain text") {
      try $0.write(Fixture.ranges, data: Data("\(Fixture.rangeHeader)\n1,".utf8) + [0xFF, 0xFE] + Data(",2\n".utf8))
    },
    FatalCase("too few cells", Fixture.imu, 5, "a row of 3 cells", "7") {
      try $0.edit(Fixture.imu, line: 5) { $0.components(separatedBy: ",")[..<3].joined(separator: ",") }
    },
    FatalCase("too many cells", Fixture.imu, 5, "a row of 8 cells", "7") {
      try $0.edit(Fixture.imu, line: 5) { $0 + ",1" }
    },
    FatalCase("cut short within the first rows", Fixture.imu, 3, "cut short") {
      try $0.write(Fixture.imu, Fixture.imuHeader + "\n" + Fixture.imuRows()[0] + "\n1700000000")
    },
    FatalCase("sigma of nothing", Fixture.ranges, 2, "range_std") {
      try $0.write(Fixture.ranges, Fixture.rangeHeader + ",range_std [m]\n1,a,2,0\n")
    },
    FatalCase("light beyond white", Fixture.frames, 2, "mean_luma", "from 0.0 to 1.0") {
      try $0.write(Fixture.frames, "#timestamp [ns],mean_luma []\n\(Fixture.start),2\n")
    },
    FatalCase(
      "quaternion too long", Fixture.odometry, 7, "quaternion", "1 %", options: ReadingOptions(usesOdometry: true)
    ) {
      try $0.addOdometry()
      try cell(Fixture.odometry, line: 7, 4, "1.02")($0)
    },
    FatalCase("antenna that is not there", Fixture.ranges, 2, "antenna_id '9'") {
      try $0.write(Fixture.radioCalibration, "antennas: {\"1\": [0, 0, 0], 2: [0.1, 0, 0]}\n")
      try $0.write(Fixture.ranges, Fixture.rangeHeader + ",antenna_id []\n1,a,2,9\n")
    },
    FatalCase("two antennas and none given", Fixture.ranges, 2, "no antenna_id") {
      try $0.write(Fixture.radioCalibration, "antennas: {\"1\": [0, 0, 0], 2: [0.1, 0, 0]}\n")
    },
    FatalCase("arrival before the measurement", Fixture.ranges, 2, "arrival") {
      try $0.write(Fixture.ranges, Fixture.rangeHeader + ",arrival [ns]\n100,a,2,99\n")
    },
    FatalCase("two bad rows in 1,500", Fixture.imu, 502, "2 bad rows in", "one in 1,000", "'x'") {
      try $0.write(Fixture.imu, Fixture.imuHeader, Array(Fixture.imuRows()[..<1500]))
      try cell(Fixture.imu, line: 502, 1, "x")($0)
      try cell(Fixture.imu, line: 602, 1, "y")($0)
    },
    FatalCase(
      "strict", Fixture.imu, 502, "'x'", options: ReadingOptions(strict: true),
      damage: cell(Fixture.imu, line: 502, 1, "x")),
  ]

  static let calibration = [
    FatalCase("no calibration of the camera", Fixture.cameraCalibration, nil, "no such file", "calibration of cam0") {
      try $0.remove(Fixture.cameraCalibration)
    },
    FatalCase("no calibration of the IMU", Fixture.imuCalibration, nil, "no such file") {
      try $0.remove(Fixture.imuCalibration)
    },
    FatalCase("no calibration of the radio", Fixture.radioCalibration, nil, "no such file") {
      try $0.remove(Fixture.radioCalibration)
    },
    FatalCase("singular T_BS", Fixture.cameraCalibration, 1, "T_BS is singular") {
      try $0.replace(Fixture.cameraCalibration, "0, 0, 1, 0, 0", with: "0, 1, 0, 0, 0")
    },
    FatalCase("reflected T_BS", Fixture.cameraCalibration, 1, "T_BS is a reflection") {
      try $0.replace(Fixture.cameraCalibration, "T_BS: [1,", with: "T_BS: [-1,")
    },
    FatalCase("skewed T_BS", Fixture.imuCalibration, 1, "T_BS is no rotation") {
      try $0.replace(Fixture.imuCalibration, "T_BS: [1, 0,", with: "T_BS: [1, 0.01,")
    },
    FatalCase("T_BS of 15", Fixture.imuCalibration, 1, "15 numbers") {
      try $0.replace(Fixture.imuCalibration, "T_BS: [1,", with: "T_BS: [")
    },
    FatalCase("T_BS with a wrong last row", Fixture.imuCalibration, 1, "last row 0 0 0 1") {
      try $0.replace(Fixture.imuCalibration, "0, 0, 0, 1]", with: "0, 0, 0, 2]")
    },
    FatalCase("T_BS with NaN", Fixture.imuCalibration, 1, "16 numbers") {
      try $0.replace(Fixture.imuCalibration, "T_BS: [1,", with: "T_BS: [.nan,")
    },
    FatalCase(
      "unknown distortion", Fixture.cameraCalibration, 5, "distortion_model: barrel", "fov, rational or none"
    ) {
      try $0.replace(Fixture.cameraCalibration, "radial-tangential", with: "barrel")
    },
    FatalCase("unknown camera model", Fixture.cameraCalibration, 3, "camera_model: hole", "pinhole, omni") {
      try $0.replace(Fixture.cameraCalibration, "pinhole", with: "hole")
    },
    FatalCase("intrinsics of another camera model", Fixture.cameraCalibration, 4, "of 4 numbers", "[xi, fx, fy") {
      try $0.replace(Fixture.cameraCalibration, "pinhole", with: "omni")
    },
    FatalCase("a bent double sphere", Fixture.cameraCalibration, 5, "camera model ds", "no distortion") {
      try $0.replace(Fixture.cameraCalibration, "pinhole", with: "ds")
      try $0.replace(Fixture.cameraCalibration, "[400,", with: "[0.5, 0.6, 400,")
    },
    FatalCase("two projections", Fixture.cameraCalibration, 5, "omni-radtan beside camera_model: pinhole") {
      try $0.replace(Fixture.cameraCalibration, "radial-tangential", with: "omni-radtan")
    },
    FatalCase("coefficients missing", Fixture.cameraCalibration, 6, "of 3 numbers", "[k1, k2, p1, p2]") {
      try $0.replace(Fixture.cameraCalibration, "[-0.28, ", with: "[")
    },
    FatalCase("focal length below 0", Fixture.cameraCalibration, 4, "intrinsics") {
      try $0.replace(Fixture.cameraCalibration, "[400,", with: "[-400,")
    },
    FatalCase("image of no size", Fixture.cameraCalibration, 2, "resolution") {
      try $0.replace(Fixture.cameraCalibration, "[640,", with: "[0,")
    },
    FatalCase("noise of zero", Fixture.imuCalibration, 3, "gyroscope_noise_density: '0'", "above 0") {
      try $0.replace(Fixture.imuCalibration, "density: 0.001", with: "density: 0")
    },
    FatalCase("noise in words", Fixture.imuCalibration, 3, "'low'") {
      try $0.replace(Fixture.imuCalibration, "density: 0.001", with: "density: low")
    },
    FatalCase("noise missing", Fixture.imuCalibration, 1, "no key accelerometer_random_walk") {
      try $0.replace(Fixture.imuCalibration, "accelerometer_random_walk: 1", with: "")
    },
    FatalCase("slip in a key", Fixture.imuCalibration, 3, "'gyroscope_noise_densty'", "'gyroscope_noise_density'") {
      try $0.replace(Fixture.imuCalibration, "gyroscope_noise_density", with: "gyroscope_noise_densty")
    },
    FatalCase("YAML with an alias as a key", Fixture.imuCalibration, 2, "an alias") {
      try $0.write(Fixture.imuCalibration, "a: &a [1, 1]\n? *a\n: 1\n")
    },
    FatalCase("a control character", Fixture.imuCalibration, 2, "no YAML") {
      try $0.write(Fixture.imuCalibration, "a: 1\nb: \u{1}\n")
    },
    FatalCase("a calibration that is no UTF-8", Fixture.imuCalibration, 2, "no UTF-8") {
      try $0.write(Fixture.imuCalibration, data: Data("a: 1\nb: ".utf8) + [0xFF, 0x0A])
    },
    FatalCase("no YAML", Fixture.imuCalibration, 2, "no YAML") {
      try $0.write(Fixture.imuCalibration, "a: [1, 2\nb: }\n")
    },
    FatalCase("a key twice", Fixture.imuCalibration, 2, "twice") {
      try $0.write(Fixture.imuCalibration, Fixture.imuYAML + "rate_hz: 100\n")
    },
    FatalCase("YAML that unfolds without end", Fixture.imuCalibration, 2, "an alias") {
      let unfolding = (0..<9).map {
        "a\($0 + 1): &a\($0 + 1) [\(Array(repeating: "*a\($0)", count: 9).joined(separator: ", "))]\n"
      }
      try $0.write(Fixture.imuCalibration, "a0: &a0 lol\n" + unfolding.joined() + "? *a9\n: 1\n")
    },
    FatalCase("YAML nested deep", Fixture.imuCalibration, 1, "nested") {
      try $0.write(Fixture.imuCalibration, "T_BS: " + String(repeating: "[", count: 100_000))
    },
    FatalCase("empty YAML", Fixture.imuCalibration, 1, "no keys") { try $0.write(Fixture.imuCalibration, "\n") },
    FatalCase("a megabyte of YAML", Fixture.imuCalibration, nil, "1000000 bytes") {
      try $0.write(Fixture.imuCalibration, String(repeating: "#", count: 1_000_000))
    },
    FatalCase("reflected device axes", "dataset.yaml", 1, "device_T_BS is a reflection") {
      try $0.write("dataset.yaml", "device_T_BS: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n")
    },
    FatalCase("feature_ids in other words", "mav0/cam1/sensor.yaml", 7, "shared or separate") {
      try $0.write("mav0/cam1/features.csv", Fixture.featureHeader, Fixture.featureRows())
      try $0.write("mav0/cam1/sensor.yaml", Fixture.cameraYAML + "feature_ids: common\n")
    },
  ]
}
