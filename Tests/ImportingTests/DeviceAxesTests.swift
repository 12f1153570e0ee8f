import Datasets
import Foundation
import Geometry
import Importing
import Testing

/// Which way the device looks: stated, by name, or found where it travels.
@Suite struct DeviceAxesTests {
  @Test(arguments: [
    ("rep103", Vector3(1, 0, 0), Vector3(0, 0, 1)), ("FLU", Vector3(1, 0, 0), Vector3(0, 0, 1)),
    ("frd", Vector3(1, 0, 0), Vector3(0, 0, -1)), ("rfu", Vector3(0, 1, 0), Vector3(0, 0, 1)),
    ("android", Vector3(0, 0, -1), Vector3(0, 1, 0)), ("arkit", Vector3(0, 0, -1), Vector3(-1, 0, 0)),
    ("optical", Vector3(0, 0, 1), Vector3(0, -1, 0)), ("forward=x,up=z", Vector3(1, 0, 0), Vector3(0, 0, 1)),
    ("{forward: -y, up: +x}", Vector3(0, -1, 0), Vector3(1, 0, 0)),
    ("up = z, forward = -X", Vector3(-1, 0, 0), Vector3(0, 0, 1)),
  ]) func namesAndStatements(text: String, forward: Vector3, up: Vector3) throws {
    let axes = try #require(DeviceAxes(text)).bodyFromDevice.rotation
    #expect((axes * Vector3(0, 0, -1) - forward).norm < 1e-12 && (axes * Vector3(0, 1, 0) - up).norm < 1e-12)
  }

  @Test(arguments: [
    "", "rep104", "forward=x", "forward=x,up=x", "forward=x,up=-x", "forward=w,up=z", "forward=x,up=z,left=y", "x,z",
  ])
  func nonsenseIsRefused(text: String) { #expect(DeviceAxes(text) == nil) }

  /// A body that drives ten metres in a curve with the given axes ahead and up, seen by motion capture.
  private func drive(_ source: Folder, course: Double = 0, forward: Vector3, up: Vector3, backs: Bool = false) throws {
    let body = Matrix3(columns: forward, up.cross(forward), up)
    var poses = "t,x,y,z,qw,qx,qy,qz\n", ranges = "t,id,d\n"
    for k in 0..<400 {
      let t = 0.05 * Double(k), s = backs && k > 200 ? 10 - 0.05 * Double(k - 200) : t, heading = 0.1 * s
      let place = Vector3(sin(heading) / 0.1, (1 - cos(heading)) / 0.1, 0.3)
      // The path's frame has x along the course; the body's ahead lies `course` beside it.
      let turn = Rotation.exp(Vector3(0, 0, heading + course)) * Rotation(matrix: body.transpose)
      poses += "\(Walk.n(t)),\(Walk.n(place)),\(Walk.n(turn.w)),\(Walk.n(turn.v))\n"
      ranges += "\(Walk.n(t)),tag,\(Walk.n((place - Vector3(4, 5, 1)).norm))\n"
    }
    try source.write("p.csv", poses)
    try source.write("r.csv", ranges)
  }

  private static let map =
    "odometry0: {file: p.csv, time: t, position: [x, y, z], quaternion: [qw, qx, qy, qz]}\n"
    + "uwb0: {file: r.csv, time: t, peer: id, range: d}\n"

  private func imported(_ source: Folder, _ device: String, option: DeviceAxes? = nil) throws -> ImportReport {
    let output = try Folder()
    try source.write("map.yaml", Self.map + device)
    return try Importer.run(
      .csv, source: source.url.path, output: output.url.path,
      options: .init(map: source.path("map.yaml"), device: option))
  }

  @Test(arguments: [
    (Vector3(1, 0, 0), Vector3(0, 0, 1), "device: rep103", "which is rep103", 90.0),
    (Vector3(1, 0, 0), Vector3(0, 0, -1), "device: {forward: x, up: -z}", "which is frd", 90.0),
    (Vector3(0, 0, 1), Vector3(0, -1, 0), "device: optical", "which is optical", 180.0),
    (Vector3(-1, 0, 0), Vector3(0, 0, 1), "device: {forward: -x, up: z}", "{forward: -x, up: z}", -90.0),
  ]) func aBodyThatTravelsBesideAheadIsFound(
    forward: Vector3, up: Vector3, statement: String, suggested: String, degrees: Double
  ) throws {
    let source = try Folder()
    try drive(source, course: 0.05, forward: forward, up: up)
    let silent = try imported(source, "")
    #expect(silent.decisions.contains { $0.contains("not stated: the body's are assumed") })
    let finding = try #require(silent.findings.first { $0.code == "deviceAxes" }, "\(silent.findings)")
    #expect(finding.weight == .note && finding.remedy.contains(suggested), "\(finding)")
    let course = try #require(silent.figures["course, counted from ahead, positive right [deg]"])
    #expect(abs(remainder(course - degrees, 360)) < 5, "\(course)")
    let stated = try imported(source, statement + "\n")
    #expect(!stated.findings.contains { $0.code == "deviceAxes" }, "\(stated.findings)")
    #expect(stated.decisions.contains { $0.contains("the device travels ahead") })
    let asked = try imported(source, "", option: DeviceAxes(String(statement.dropFirst("device: ".count))))
    #expect(
      !asked.findings.contains { $0.code == "deviceAxes" } && !asked.decisions.contains { $0.contains("not stated") })
  }

  /// A robot that also backs up has the same axis of travel; one that goes any way has none.
  @Test func reversingIsNoOtherAxis() throws {
    let source = try Folder()
    try drive(source, forward: Vector3(1, 0, 0), up: Vector3(0, 0, 1), backs: true)
    #expect(try imported(source, "device: rep103\n").decisions.contains { $0.contains("travels ahead") })
    #expect(try imported(source, "").findings.contains { $0.code == "deviceAxes" && $0.evidence.contains("other way") })
  }

  @Test func aPersonWhoWandersHasNoAxis() throws {
    let source = try Folder()
    var poses = "t,x,y,z,qw,qx,qy,qz\n", ranges = "t,id,d\n"
    for k in 0..<400 {
      let t = 0.05 * Double(k), place = Vector3(2 * sin(t), 2 * cos(t), 1)
      poses += "\(Walk.n(t)),\(Walk.n(place)),1,0,0,0\n"
      ranges += "\(Walk.n(t)),tag,\(Walk.n((place - Vector3(4, 5, 1)).norm))\n"
    }
    try source.write("p.csv", poses)
    try source.write("r.csv", ranges)
    let report = try imported(source, "")
    #expect(
      !report.findings.contains { $0.code == "deviceAxes" }
        && report.figures.keys.allSatisfy { !$0.hasPrefix("course") })
  }

  @Test(arguments: [
    ("device: rep104\n", "device: rep104"), ("device: {forward: x}\n", "device: {forward: x, up: }"),
    ("device: {forward: x, up: x}\n", "device: {forward: x, up: x}"), ("device: {forwrd: x, up: z}\n", "key 'forwrd'"),
    ("device: rep103\ndevice_T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n", "device beside device_T_BS"),
  ]) func wrongStatementsAreRefused(statement: String, found: String) throws {
    let source = try Folder()
    try drive(source, forward: Vector3(1, 0, 0), up: Vector3(0, 0, 1))
    let error = #expect(throws: DatasetError.self) { try imported(source, statement) }
    #expect(error?.found.contains(found) == true && error?.line != nil, "\(String(describing: error))")
  }
}
