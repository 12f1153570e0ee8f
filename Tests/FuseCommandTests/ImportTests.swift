import Datasets
import Foundation
import FuseCommandTestSupport
import Testing
import fuse

/// `fuse import`, `fuse template`, and foreign folders where a dataset folder is expected.
@Suite struct ImportTests {
  /// A planar drive as Plaza has it.
  private func plaza(_ scratch: Scratch, _ name: String) throws {
    try FileManager.default.createDirectory(atPath: scratch.path(name), withIntermediateDirectories: true)
    var (turns, ranges) = ("", "")
    for k in 1...100 {
      let t = 0.1 * Double(k)
      turns += "\(t) 0.1 0.02\n"
      ranges += "\(t) 1 7 \(5 + 0.3 * sin(t))\n"
    }
    try turns.write(toFile: scratch.path("\(name)/DR.txt"), atomically: true, encoding: .utf8)
    try ranges.write(toFile: scratch.path("\(name)/TD.txt"), atomically: true, encoding: .utf8)
  }

  @Test func kindsAreListed() throws {
    let run = try FuseProcess.run(["import", "--list"])
    #expect(run.status == 0)
    let lines = run.stdout.split(separator: "\n")
    for kind in [
      "kalibr", "openvins", "calibration", "starloc", "miluv", "spectacular", "arkit-ni", "stray", "sensor-logger",
      "plaza", "csv",
      "ros",
    ] { #expect(lines.contains { $0.hasPrefix("\(kind) ") }, "\(kind)") }
  }

  @Test func aGuessIsSaidAndTheFolderRuns() throws {
    let scratch = try Scratch()
    try plaza(scratch, "mower")
    let done = try FuseProcess.run(["import", "mower", "-o", "walk"], in: scratch.url)
    #expect(done.status == 0, "\(done.stderr)")
    #expect(done.stdout.contains("mower looks like plaza: it has the tables DR and TD"))
    #expect(done.stdout.contains("next: fuse run walk"))
    let run = try FuseProcess.run(["run", "walk", "--quiet"], in: scratch.url)
    #expect(run.status == 0, "\(run.stderr)")
    let check = try FuseProcess.run(["import", "--check", "walk"], in: scratch.url)
    #expect(check.status == 0 && check.stdout.contains("checked walk"), "\(check.stderr)")
  }

  @Test(arguments: ["run", "inspect"]) func aForeignFolderIsNamed(command: String) throws {
    let scratch = try Scratch()
    try plaza(scratch, "mower")
    let run = try FuseProcess.run([command, "mower"], in: scratch.url)
    #expect(run.status == 2)
    #expect(
      run.errorLines == [
        "error: mower: a plaza source (it has the tables DR and TD), expected a dataset folder; this makes one: "
          + "fuse import plaza mower -o <folder>"
      ])
    try "x".write(toFile: scratch.path("walk.bag"), atomically: true, encoding: .utf8)
    let bag = try FuseProcess.run([command, "walk.bag"], in: scratch.url)
    #expect(
      bag.status == 2 && bag.stderr.contains("tools/python of fuse's sources>, then fuse-import walk.bag"),
      "\(bag.stderr)")
  }

  @Test func wrongKindsAreNamed() throws {
    let scratch = try Scratch()
    try plaza(scratch, "mower")
    let unknown = try FuseProcess.run(["import", "plazza", "mower", "-o", "x"], in: scratch.url)
    #expect(unknown.status == 64 && unknown.stderr.contains("mower looks like plaza"), "\(unknown.stderr)")
    let other = try FuseProcess.run(["import", "stray", "mower", "-o", "x"], in: scratch.url)
    #expect(other.status == 2 && other.stderr.contains("no odometry.csv") && other.stderr.contains("looks like plaza"))
    let ros = try FuseProcess.run(["import", "ros", "mower", "-o", "x"], in: scratch.url)
    #expect(ros.status == 2 && ros.stderr.contains("pip install <the folder tools/python"), "\(ros.stderr)")
    #expect(try FuseProcess.run(["import", "mower"], in: scratch.url).status == 64)
    #expect(try FuseProcess.run(["import", "gone", "-o", "x"], in: scratch.url).status == 2)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("x/mav0")))
  }

  /// A recording with all templates as its calibrations loads without a warning about any of their keys.
  @Test func templatesLoad() throws {
    let scratch = try Scratch()
    var recording = TinyRecording()
    for (template, path) in [
      (Template.imu0, TinyRecording.imuYAML), (.cam0, TinyRecording.camYAML), (.uwb0, TinyRecording.uwbYAML),
    ] {
      recording.set(path, template.text)
    }
    recording.set("dataset.yaml", Template.dataset.text)
    recording.set("mav0/odometry0/sensor.yaml", Template.odometry0.text)
    recording.set(
      "mav0/odometry0/data.csv",
      "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\n"
        + "\(TinyRecording.start),0,0,0,1,0,0,0\n")
    try recording.write(to: scratch.url.appendingPathComponent("in"))
    let opened = try Recording.open(scratch.url.appendingPathComponent("in"))
    #expect(opened.warnings == [])
    #expect(opened.rig.radio?.rangeNoise == 0.1 && opened.rig.cameras[0].fx == 458.7)
    let list = try FuseProcess.run(["template", "--list"])
    #expect(list.stdout.split(separator: "\n").count == Template.allCases.count)
    let printed = try FuseProcess.run(["template", "cam0"])
    #expect(printed.stdout == Template.cam0.text)
  }

  @Test func theMapsTemplateImports() throws {
    let scratch = try Scratch()
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: scratch.path(name), atomically: true, encoding: .utf8)
    }
    try write("map.yaml", Template.map.text)
    let times = (0..<600).map { 0.02 * Double($0) }
    try write("imu.csv", "t,gx,gy,gz,ax,ay,az\n" + times.map { "\($0),0,0,0,0,0,9.81\n" }.joined())
    try write("poses.csv", "t,x,y,z,qw,qx,qy,qz\n" + times.map { "\($0),0,0,1,1,0,0,0\n" }.joined())
    try write("ranges.csv", "t,id,d\n" + times.map { "\($0),tag,3.5\n" }.joined())
    let done = try FuseProcess.run(["import", "csv", ".", "-o", "walk", "--map", "map.yaml"], in: scratch.url)
    #expect(done.status == 0, "\(done.stdout)\(done.stderr)")
    #expect(done.stdout.contains("uwb0 rows: 600"))
  }

  /// A robot's poses without any statement: what was assumed, where it travels, and the option that mends it.
  @Test func aRobotsAxesAreAsked() throws {
    let scratch = try Scratch()
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: scratch.path(name), atomically: true, encoding: .utf8)
    }
    let times = (0..<200).map { 0.1 * Double($0) }
    try write("poses.csv", "t,x,y,z,qw,qx,qy,qz\n" + times.map { "\($0),\(0.5 * $0),0,0,1,0,0,0\n" }.joined())
    try write(
      "ranges.csv",
      "t,id,d\n" + times.map { "\($0),tag,\(((0.5 * $0 - 3) * (0.5 * $0 - 3) + 4).squareRoot())\n" }.joined())
    try write(
      "map.yaml",
      "odometry0: {file: poses.csv, time: t, position: [x, y, z], quaternion: [qw, qx, qy, qz]}\n"
        + "uwb0: {file: ranges.csv, time: t, peer: id, range: d}\n")
    let command = ["import", "csv", ".", "-o", "walk", "--map", "map.yaml"]
    let silent = try FuseProcess.run(command, in: scratch.url)
    #expect(silent.status == 0 && silent.stdout.contains("next: fuse run walk"), "\(silent.stdout)\(silent.stderr)")
    #expect(
      silent.stdout.contains("note: deviceAxes: the device travels 90 degrees right of ahead, along +x of its body"))
    #expect(silent.stdout.contains("device: {forward: x, up: z}, which is rep103"))
    // Nobody who runs a folder without an import overlooks it.
    let unstated = try FuseProcess.run(["run", "walk", "--quiet"], in: scratch.url)
    #expect(unstated.status == 0 && unstated.stderr.hasPrefix("verdict: doubtful: deviceAxes: "), "\(unstated.stderr)")
    #expect(
      unstated.stderr.contains("device_T_BS: [0, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]"), "\(unstated.stderr)")
    let stated = try FuseProcess.run(command + ["--device", "rep103"], in: scratch.url)
    #expect(stated.status == 0 && !stated.stdout.contains("deviceAxes"), "\(stated.stdout)")
    let mended = try FuseProcess.run(["run", "walk", "--quiet"], in: scratch.url)
    #expect(mended.status == 0 && !mended.stderr.contains("deviceAxes"), "\(mended.stderr)")
    let wrong = try FuseProcess.run(command + ["--device", "rep104"], in: scratch.url)
    #expect(wrong.status == 64 && wrong.stderr.contains("rep103, frd, rfu"), "\(wrong.stderr)")
    let calibration = try FuseProcess.run(
      ["import", "kalibr", ".", "-o", "walk", "--device", "rep103"], in: scratch.url)
    #expect(calibration.status == 2 && calibration.stderr.contains("--device goes with data"), "\(calibration.stderr)")
  }

  /// Ranges alone: no trajectory, and no promise. A folder that is no recording gets no import.json.
  @Test func nothingIsPromised() throws {
    let scratch = try Scratch()
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: scratch.path(name), atomically: true, encoding: .utf8)
    }
    try write("ranges.csv", "t,id,d\n" + (0..<200).map { "\(0.1 * Double($0)),tag,3.5\n" }.joined())
    try write("map.yaml", "uwb0: {file: ranges.csv, time: t, peer: id, range: d}\n")
    let done = try FuseProcess.run(["import", "csv", ".", "-o", "walk", "--map", "map.yaml"], in: scratch.url)
    #expect(done.status == 1 && done.stdout.contains("fault: noTrajectory"), "\(done.stdout)")
    #expect(!done.stdout.contains("next: fuse run"))
    #expect(try FuseProcess.run(["run", "walk", "--quiet"], in: scratch.url).status == 2)
    let check = try FuseProcess.run(["import", "--check", "."], in: scratch.url)
    #expect(check.status == 2 && check.stderr.contains("no folder mav0"), "\(check.stderr)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path("import.json")))
    // A failed import leaves no folder, however deep.
    let failed = try FuseProcess.run(["import", "csv", ".", "-o", "a/b/c", "--map", "gone.yaml"], in: scratch.url)
    #expect(failed.status == 2 && !FileManager.default.fileExists(atPath: scratch.path("a")))
  }
}
