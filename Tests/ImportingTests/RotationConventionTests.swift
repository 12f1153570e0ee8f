import Datasets
import Foundation
import Geometry
import Importing
import SensorData
import TestSupport
import Testing

/// Inverted rotations are named as such, with the mount that goes with them, and not as a mirror or a clock.
@Suite struct RotationConventionTests {
  private static let map =
    "imu0: {file: i.csv, time: t, gyroscope: [gx, gy, gz], accelerometer: [ax, ay, az]}\n"
    + "odometry0: {file: p.csv, time: t, position: [x, y, z], quaternion: [qw, qx, qy, qz]}\n"
    + "uwb0: {file: r.csv, time: t, peer: id, range: d}\n"

  /// The first matrix of a remedy: that of imu0; the second is that of odometry0.
  private static func matrix(_ finding: ImportReport.Finding, of sensor: Int = 0) -> String {
    "[" + finding.remedy.split(separator: "[")[sensor + 1].prefix { $0 != "]" } + "]"
  }

  /// The walk with an inertial unit mounted so, and rotations inverted or not.
  private func imported(
    _ mount: Rotation, isInverted: Bool, map: String = map, noise: Double = 0, late: Double = 0,
    path: (Double) -> Pose = Walk.pose,
    written: ((Pose) -> (place: Vector3, q: [Double]))? = nil
  ) throws -> ImportReport {
    let (source, output) = (try Folder(), try Folder())
    var imu = "t,gx,gy,gz,ax,ay,az\n", poses = "t,x,y,z,qw,qx,qy,qz\n", ranges = "t,id,d\n"
    for (k, t) in Walk.times(100).enumerated() {
      let (rate, force) = Walk.motion(t, of: path)
      let jitter = noise * Vector3(sin(Double(k) * 12.9), cos(Double(k) * 78.2), sin(Double(k) * 37.7))
      imu += "\(Walk.n(t)),\(Walk.n(mount.inverse * rate + jitter)),\(Walk.n(mount.inverse * force))\n"
    }
    for t in Walk.times(30) {
      let pose = path(t), q = isInverted ? pose.rotation.inverse : pose.rotation
      let row = written?(pose) ?? (place: pose.translation, q: [q.w, q.v.x, q.v.y, q.v.z])
      let numbers = row.q.map { Walk.n($0) }.joined(separator: ",")
      poses += "\(Walk.n(t + late)),\(Walk.n(row.place)),\(numbers)\n"
    }
    for t in Walk.times(10) { ranges += "\(Walk.n(t)),1,\(Walk.n(Walk.range(t, Walk.peers[0].place)))\n" }
    try source.write("i.csv", imu)
    try source.write("p.csv", poses)
    try source.write("r.csv", ranges)
    try source.write("map.yaml", map)
    return try Importer.run(
      .csv, source: source.url.path, output: output.url.path, options: .init(map: source.path("map.yaml")))
  }

  // By index: rotations are wider aligned than the arguments of a test may be.
  private static let mounts = [
    Rotation.identity, Rotation(w: 0, x: 1, y: 0, z: 0), Rotation.exp(Vector3(0, 0, .pi / 2)),
    Rotation.exp(Vector3(0.3, -1.2, 0.4)),
  ]

  @Test(arguments: 0..<4) func invertedRotationsAreNamed(index: Int) throws {
    let mount = Self.mounts[index]
    let report = try imported(mount, isInverted: true, noise: 0.05)
    let finding = try #require(report.findings.first { $0.code == "odometryConvention" }, "\(report.findings)")
    #expect(
      finding.weight == .fault && finding.sentence.contains("inverted") && finding.remedy.contains("body_from_world"))
    #expect(
      !report.findings.contains { ["imuAxes", "odometryClock", "gravitySign"].contains($0.code) }, "\(report.findings)")
    let turned = report.findings.first { $0.code == "imuMount" }
    #expect((turned != nil) == (mount.log.norm > 0.4))
    // What the remedies say mends it.
    guard let turned else { return }
    let numbers = Self.matrix(turned)
    let mended = try imported(
      mount, isInverted: true,
      map: Self.map.replacingOccurrences(of: "qz]}", with: "qz], rotation: body_from_world}")
        .replacingOccurrences(of: "az]}", with: "az], T_BS: \(numbers)}"))
    #expect(!mended.hasFault, "\(mended.findings)")
  }

  /// Rotations as they should be are not taken for inverted, however the unit is mounted.
  @Test(arguments: [0, 1, 3]) func othersAreNot(index: Int) throws {
    let mount = Self.mounts[index]
    let report = try imported(mount, isInverted: false, noise: 0.05)
    #expect(!report.findings.contains { $0.sentence.contains("inverted") }, "\(report.findings)")
    let faults = report.findings.filter { $0.weight == .fault }
    #expect(faults.map(\.code) == (mount.log.norm > 0.4 ? ["imuMount"] : []), "\(report.findings)")
    guard let turned = faults.first else { return }
    let mended = try imported(
      mount, isInverted: false,
      map: Self.map.replacingOccurrences(of: "az]}", with: "az], T_BS: \(Self.matrix(turned))}"))
    #expect(!mended.hasFault, "\(mended.findings)")
    let other = try imported(
      mount, isInverted: false,
      map: Self.map.replacingOccurrences(of: "qz]}", with: "qz], T_BS: \(Self.matrix(turned, of: 1))}"))
    #expect(!other.findings.contains { $0.code == "imuMount" || $0.code == "imuAxes" }, "\(other.findings)")
  }

  /// Unity's world has y up and is left-handed, and its camera looks along +z: what the remedy states mends it.
  @Test func aLeftHandedWorldIsNamed() throws {
    // The device looks along -z with y up: mirrored, along +z. Right-handed with y up first.
    func unity(_ pose: Pose) -> (place: Vector3, q: [Double]) {
      let turned = ForeignSamples.yUp(pose), q = turned.rotation, p = turned.translation
      return (Vector3(p.x, p.y, -p.z), [q.w, -q.v.x, -q.v.y, q.v.z])
    }
    let report = try imported(.identity, isInverted: false, written: unity)
    let faults = report.findings.filter { $0.weight == .fault }
    #expect(faults.map(\.code) == ["odometryConvention"], "\(report.findings)")
    #expect(faults.first?.sentence.contains("left-handed") == true)
    let mended = try imported(
      .identity, isInverted: false,
      map: Self.map.replacingOccurrences(of: "qz]}", with: "qz], handedness: left, world_up: y}"), written: unity)
    #expect(!mended.hasFault, "\(mended.findings)")
  }

  /// Unreal's has z up, x ahead and y to the right: it becomes a body of REP 103.
  @Test func aLeftHandedWorldWithZUpIsMended() throws {
    let mended = try imported(
      .identity, isInverted: false,
      map: Self.map.replacingOccurrences(of: "qz]}", with: "qz], handedness: left}"),
      written: { pose in
        let q = pose.rotation, p = pose.translation
        return (Vector3(p.x, -p.y, p.z), [q.w, -q.v.x, q.v.y, -q.v.z])
      })
    #expect(!mended.hasFault, "\(mended.findings)")
  }

  @Test func theOrderOfAQuaternionIsNoMount() throws {
    let report = try imported(
      .identity, isInverted: false, noise: 0.05,
      written: { ($0.translation, [$0.rotation.v.x, $0.rotation.v.y, $0.rotation.v.z, $0.rotation.w]) })
    let faults = report.findings.filter { $0.weight == .fault }
    #expect(faults.map(\.code) == ["odometryConvention"], "\(report.findings)")
    #expect(faults.first?.sentence.contains("x, y, z, w") == true)
  }

  /// Turns to and fro, half a period late, look like a mount.
  @Test(arguments: [0.3, 1.0, 2.0]) func aClockIsNoMount(late: Double) throws {
    let report = try imported(.identity, isInverted: false, late: late)
    #expect(report.findings.contains { $0.code.hasSuffix("Clock") }, "\(report.findings)")
    #expect(!report.findings.contains { $0.code == "imuMount" }, "\(report.findings)")
  }

  /// A robot on a floor turns about one axis: that the unit is upside down shows, the matrix does not.
  @Test func aFlatPathShowsNoMatrix() throws {
    let report = try imported(
      Rotation(w: 0, x: 1, y: 0, z: 0), isInverted: false, noise: 0.01,
      path: { t in
        let s = max(0, t - 2)
        return Pose(
          rotation: .yaw(1.2 * sin(0.8 * s)), translation: Vector3(1.5 * sin(0.5 * s), 1.5 - 1.5 * cos(0.5 * s), 0.3))
      })
    let turned = try #require(report.findings.first { $0.code == "imuMount" }, "\(report.findings)")
    #expect(turned.evidence.contains("one axis alone") && !turned.remedy.contains("["), "\(turned)")
  }

  /// A mount that is stated already is corrected, not replaced.
  @Test func theStatedMountCounts() throws {
    let mount = Self.mounts[3]
    let report = try imported(
      mount, isInverted: false,
      map: Self.map.replacingOccurrences(
        of: "az]}", with: "az], T_BS: [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}"), noise: 0.05)
    let turned = try #require(report.findings.first { $0.code == "imuMount" }, "\(report.findings)")
    let mended = try imported(
      mount, isInverted: false,
      map: Self.map.replacingOccurrences(of: "az]}", with: "az], T_BS: \(Self.matrix(turned))}"))
    #expect(!mended.hasFault, "\(mended.findings)")
  }

  /// A gyroscope alone in other axes is no mount: the accelerometer stands.
  @Test func aTurnedGyroscopeIsNoMount() throws {
    let report = try imported(
      .identity, isInverted: false, map: Self.map.replacingOccurrences(of: "[gx, gy, gz]", with: "[gz, gx, gy]"))
    #expect(report.findings.contains { $0.code == "imuAxes" } && report.hasFault, "\(report.findings)")
    #expect(!report.findings.contains { $0.code == "imuMount" }, "\(report.findings)")
  }

  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message))) func theCaseHasTheRightCause() throws {
    let source = SharedData.recording("cases/poses-inverted-rotation").path, output = try Folder()
    let report = try Importer.run(
      .csv, source: source, output: output.url.path, options: .init(map: source + "/map.yaml"))
    #expect(report.findings.contains { $0.code == "odometryConvention" && $0.sentence.contains("inverted") })
    #expect(
      report.findings.contains { $0.code == "imuMount" && $0.evidence.contains("x along +x, y along -y, z along -z") },
      "\(report.findings)")
    #expect(!report.findings.contains { ["imuAxes", "odometryClock"].contains($0.code) }, "\(report.findings)")
  }
}
