import Foundation
import FuseCommandTestSupport
import Testing

/// Damaged folders end with one clear line and exit code 2, or run on with the damage counted; never anything else.
@Suite struct DamagedFolderTests {
  /// A damage of a recording, and a part of the expected error line.
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var message: String
    var arguments: [String] = []
    var damage: @Sendable (inout TinyRecording) -> Void
    var testDescription: String { name }

    init(
      _ name: String, message: String, _ arguments: [String] = [],
      _ damage: @escaping @Sendable (inout TinyRecording) -> Void
    ) {
      self.name = name
      self.message = message
      self.arguments = arguments
      self.damage = damage
    }
  }

  private typealias R = TinyRecording

  static let fatal: [Fault] = [
    Fault("no mav0", message: "mav0") { $0.files = ["dataset.yaml": Data("title: x\n".utf8)] },
    Fault("mav0 is a file", message: "mav0") { $0.files = ["mav0": Data("x".utf8)] },
    Fault("no IMU data", message: "imu0/data.csv") { $0.files[R.imu] = nil },
    Fault("no IMU calibration", message: "imu0/sensor.yaml") { $0.files[R.imuYAML] = nil },
    Fault("no camera calibration", message: "cam0/sensor.yaml") { $0.files[R.camYAML] = nil },
    Fault("zero-length IMU data", message: "imu0/data.csv") { $0.set(R.imu, "") },
    Fault("IMU header without rows", message: "imu0/data.csv") {
      $0.set(R.imu, $0.text(R.imu).components(separatedBy: "\n")[0] + "\n")
    },
    Fault("zero-length ranges", message: "uwb0/data.csv") { $0.set(R.uwb, "") },
    Fault("zero-length calibration", message: "imu0/sensor.yaml") { $0.set(R.imuYAML, "") },
    Fault("accelerations in g", message: "imu0/data.csv:1:") { $0.replace(R.imu, "a_RS_S_x [m s^-2]", "a_RS_S_x [g]") },
    Fault("ranges in centimetres", message: "uwb0/data.csv:1:") { $0.replace(R.uwb, "range [m]", "range [cm]") },
    Fault("no range column", message: "uwb0/data.csv:1:") { $0.replace(R.uwb, ",range [m]", ",distance [m]") },
    Fault("a misspelt column", message: "uwb0/data.csv:1:") { $0.replace(R.uwb, "peer_id", "peerid") },
    Fault("no header", message: "imu0/data.csv:1:") { r in
      r.change(R.imu, line: 1) { _ in "\(R.start - 1),0,0,0,0,9.8,0" }
    },
    Fault("NaN", message: "imu0/data.csv:12:") { $0.cell(R.imu, line: 12, 4, "nan") },
    Fault("infinity", message: "imu0/data.csv:13:") { $0.cell(R.imu, line: 13, 1, "inf") },
    Fault("text in a number", message: "imu0/data.csv:14:") { $0.cell(R.imu, line: 14, 2, "0.1x") },
    Fault("an empty cell", message: "imu0/data.csv:15:") { $0.cell(R.imu, line: 15, 3, "") },
    Fault("a truncated row", message: "imu0/data.csv:16:") { r in r.change(R.imu, line: 16) { String($0.prefix(25)) } },
    Fault("time going back", message: "imu0/data.csv:17:") { $0.cell(R.imu, line: 17, 0, "\(R.start + 1)") },
    Fault("a fractional stamp", message: "imu0/data.csv:18:") { $0.cell(R.imu, line: 18, 0, "1.7e18") },
    Fault("a stamp beyond 64 bits", message: "imu0/data.csv:19:") {
      $0.cell(R.imu, line: 19, 0, "99999999999999999999")
    },
    Fault("several antennas, a row without one", message: "uwb0/data.csv") {
      $0.set(R.uwbYAML, $0.text(R.uwbYAML) + "antennas:\n  a: [0, 0, 0]\n  b: [0.1, 0, 0]\n")
    },
    Fault("singular T_BS", message: "imu0/sensor.yaml") {
      $0.replace(R.imuYAML, "0,0,1,0, 0,0,0,1", "0,0,0,0, 0,0,0,1")
    },
    Fault("reflected T_BS", message: "cam0/sensor.yaml") { $0.replace(R.camYAML, "[1,0,0,0,", "[-1,0,0,0,") },
    Fault("T_BS with twelve numbers", message: "cam0/sensor.yaml") { $0.replace(R.camYAML, ", 0,0,0,1]", "]") },
    Fault("NaN in intrinsics", message: "cam0/sensor.yaml") { $0.replace(R.camYAML, "[400, 400,", "[.nan, 400,") },
    Fault("focal length zero", message: "cam0/sensor.yaml") { $0.replace(R.camYAML, "[400, 400,", "[0, 400,") },
    Fault("unknown distortion", message: "cam0/sensor.yaml") { $0.replace(R.camYAML, "radial-tangential", "barrel") },
    Fault("an image of 10 GB", message: "cam0/sensor.yaml") {
      $0.replace(R.camYAML, "[640, 480]", "[100000000, 100000000]")
    },
    Fault("no noise density", message: "imu0/sensor.yaml") {
      $0.replace(R.imuYAML, "gyroscope_noise_density: 0.001\n", "")
    },
    Fault("negative noise density", message: "imu0/sensor.yaml") {
      $0.replace(R.imuYAML, "gyroscope_noise_density: 0.001", "gyroscope_noise_density: -1")
    },
    Fault("broken YAML", message: "imu0/sensor.yaml") { $0.set(R.imuYAML, "T_BS: [1, 2\nrate_hz: {") },
    Fault("binary garbage as calibration", message: "imu0/sensor.yaml") { $0.files[R.imuYAML] = garbage },
    Fault("binary garbage as data", message: "imu0/data.csv") { $0.files[R.imu] = garbage },
    Fault("a line without end", message: "imu0/data.csv") {
      $0.set(R.imu, $0.text(R.imu) + String(repeating: "1", count: 20_000_000))
    },
    Fault("images but no tracks", message: "cam0") {
      $0.files[R.features] = nil
      $0.set("mav0/cam0/data.csv", "#timestamp [ns],filename\n\(R.start),\(R.start).png\n")
      $0.files["mav0/cam0/data/\(R.start).png"] = Data([0x89, 0x50, 0x4E, 0x47])
    },
    Fault("damage beyond one row in a thousand", message: "imu0/data.csv") { r in
      for line in stride(from: 200, to: 2400, by: 20) { r.cell(R.imu, line: line, 4, "?") }
    },
    Fault("one bad row, strictly", message: "imu0/data.csv:900:", ["--strict"]) { $0.cell(R.imu, line: 900, 4, "?") },
    Fault("a zero quaternion", message: "odometry0/data.csv:3:", ["--odometry"]) { r in
      r.files["mav0/odometry0/sensor.yaml"] = r.files[R.uwbYAML]
      r.set(
        "mav0/odometry0/data.csv",
        "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\n"
          + "\(R.start),0,0,0,1,0,0,0\n\(R.start + 100_000_000),0,0,0,0,0,0,0\n")
    },
    Fault("odometry asked for, none there", message: "odometry0", ["--odometry"]) { _ in },
  ]

  /// Deterministic noise that is neither text nor a table.
  static let garbage = Data((0..<5000).map { UInt8(truncatingIfNeeded: ($0 &* 197 &+ 31) ^ ($0 >> 3)) })

  @Test(arguments: fatal) func endsWithOneLine(_ fault: Fault) throws {
    let scratch = try Scratch()
    var recording = TinyRecording()
    fault.damage(&recording)
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["run", "in", "-o", "out"] + fault.arguments, in: scratch.url)
    #expect(!run.hung)
    #expect(run.status == 2)
    let errors = run.errorLines.filter { !$0.hasPrefix("warning: ") }
    #expect(errors.count == 1, "\(run.stderr)")
    #expect(errors.first?.hasPrefix("error: ") == true)
    #expect(errors.first?.contains(fault.message) == true, "\(errors)")
    // Nothing half-written, not even the folder.
    #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
  }

  @Test func atLeastTwentyFive() { #expect(Self.fatal.count + Self.counted.count >= 25) }

  /// Damage behind the first 100 rows: skipped and counted under its name.
  static let counted: [Fault] = [
    Fault("NaN", message: "notFinite") { $0.cell(R.imu, line: 1200, 4, "nan") },
    Fault("text", message: "notANumber") { $0.cell(R.imu, line: 1200, 4, "abc") },
    Fault("time going back", message: "timeGoingBack") { $0.cell(R.imu, line: 1200, 0, "\(R.start)") },
    Fault("twice", message: "duplicate") { r in
      let before = r.text(R.imu).components(separatedBy: "\n")[1198]
      r.change(R.imu, line: 1200) { _ in before }
    },
    Fault("cut off", message: "truncatedLastRow") { r in r.set(R.imu, String(r.text(R.imu).dropLast(20))) },
    Fault("negative range", message: "negativeRange") { $0.cell(R.uwb, line: 800, 2, "-3") },
    Fault("a negative range early", message: "negativeRange") { $0.cell(R.uwb, line: 30, 2, "-1") },
    Fault("no range", message: "notMeasured") { $0.cell(R.uwb, line: 30, 2, "") },
  ]

  @Test(arguments: counted) func isCounted(_ fault: Fault) throws {
    let scratch = try Scratch()
    var recording = TinyRecording()
    fault.damage(&recording)
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["run", "in", "-o", "out"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    let result = try #require(
      JSONSerialization.jsonObject(with: scratch.bytes("out/result.json")) as? [String: Any])
    let counts = try #require(result["counts"] as? [String: Any])
    let damaged = try #require(counts["damaged"] as? [String: [String: Int]])
    #expect(damaged.values.flatMap { $0 }.map(\.key) == [fault.message])
    #expect(damaged.values.flatMap { $0 }.map(\.value) == [1])
    #expect(run.stderr.contains("1 of "))
    #expect(run.stderr.contains(fault.message))
  }

  @Test func theSoundOneRuns() throws {
    let scratch = try Scratch()
    try TinyRecording().write(to: scratch.url.appendingPathComponent("in"))
    let run = try FuseProcess.run(["run", "in", "-o", "out"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    #expect(run.stderr.isEmpty, "\(run.stderr)")
  }
}
