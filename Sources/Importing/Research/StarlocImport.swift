import Datasets
import Foundation
import Geometry
import SensorData
import Wording

/// STAR-loc, as its authors store a run (arXiv 2309.05518): ranges with the motion capture's pose at each of them, a
/// ZED2's inertial unit on a clock of its own, and the camera's pose at each look at a marker.
struct StarlocImport: SourceImporter {
  /// Seconds of the run are counted from zero: they are put here, so that no stamp is negative.
  private static let origin: Int64 = 1_600_000_000_000_000_000
  /// Two poses nearer than this are one of the motion capture, interpolated twice.
  private static let shortestStep: Int64 = 4_000_000
  private let run: SourceFolder

  var rangeColumns: [String] { ["range_std", "antenna_id"] }

  init(source: String) throws(DatasetError) {
    var folder = source
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    if !RegularFile.exists("\(folder)/uwb.csv"), RegularFile.isFolder("\(folder)/data") {
      let runs = ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/data")) ?? []).sorted().filter {
        RegularFile.exists("\(folder)/data/\($0)/uwb.csv")
      }
      guard runs.count == 1 else {
        throw DatasetError(
          file: "\(folder)/data", found: "\(runs.count) runs",
          expected: "the folder of one run: \(runs.prefix(5).map { "\(folder)/data/\($0)" }.joined(separator: ", "))")
      }
      folder += "/data/\(runs[0])"
    }
    run = try SourceFolder(folder, needed: ["uwb.csv", "calib.json"], kind: .starloc)
  }

  func read(into target: inout ImportTarget) throws {
    let name = URL(fileURLWithPath: run.path).lastPathComponent
    target.title = "STAR-loc \(name): real UWB ranges, motion-capture trajectory"
    target.licence = "not stated; cite arXiv 2309.05518; do not redistribute"
    target.report.decide("seconds are counted from zero in this data set: stamps begin at 1600000000 s")
    var clock = RotationClock()
    try readRanges(&target, &clock)
    let camera = try mount(&target)
    try readInertial(&target, &clock, bodyFromCamera: camera)
  }

  // MARK: ranges, poses, anchors

  private func readRanges(_ target: inout ImportTarget, _ clock: inout RotationClock) throws {
    let table = try SourceTable(
      path: "\(run.path)/uwb.csv",
      columns: [
        .init("time_s"), .init("range"), .init("from_id"), .init("to_id"), .init("x"), .init("y"), .init("z"),
        .init("rot_x"), .init("rot_y"), .init("rot_z"), .init("w"), .init("tag_pos_x"), .init("tag_pos_y"),
        .init("tag_pos_z"), .init("gt_range", needed: false), .init("std", needed: false),
      ], isRadio: true)
    var antennas: [String: Mean] = [:]
    var anchors: [String: AnchorPosition] = [:]
    var previous = Int64.min / 2, first: Int64?
    var noPose = 0, withoutRange = 0
    target.report.decide(
      "range as measured, not range_calib: that one is calibrated with the truth; the std of the calibration likewise")
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> Row? in try Self.row(t) }) {
      let time = Self.origin + row.time
      if first == nil { first = time }
      if let pose = row.pose, let tag = row.tag {
        antennas[row.antenna, default: Mean()].add(pose.inverse * tag)
        if let range = row.trueRange { anchors[row.peer, default: AnchorPosition()].add(tag: tag, range: range) }
        if time - previous >= Self.shortestStep {
          let stamp = Timestamp(nanoseconds: time)
          try target.add(OdometryPose(timestamp: stamp, worldFromSensor: pose), table.refuse)
          try target.add(GroundTruthState(timestamp: stamp, worldFromBody: pose), table.refuse)
          clock.add(rotation: pose.rotation, at: time)
        }
      } else {
        noPose += 1
      }
      previous = time
      if row.range > 0 {
        try target.add(
          RangeMeasurement(
            timestamp: Timestamp(nanoseconds: time), peer: row.peer, range: row.range, antenna: row.antenna),
          table.refuse)
      } else {
        withoutRange += 1
      }
    }
    target.report.count("uwb.csv bad rows skipped", table.bad)
    target.report.count("uwb.csv rows without a pose", noPose)
    target.report.count("uwb.csv rows without a range", withoutRange)
    target.report.decide("a pose less than 4 ms after the row before it repeats the motion capture's: left out")
    target.rig.radio = RadioCalibration(
      antennas: antennas.mapValues { ($0.value * 1000).rounded(.toNearestOrAwayFromZero) / 1000 }, rate: 222)
    target.report.decide("antennas: tag_pos in body axes, mean over the run, to a millimetre")
    target.rig.odometry = OdometryCalibration(positionRandomWalk: 0.003, yawRandomWalk: 0.0005)
    target.report.decide("the motion capture's poses are the trajectory (odometry0), and the truth")
    guard let first else { return }
    for id in anchors.keys.sorted(by: Self.isBefore) {
      guard let position = anchors[id]!.solve() else { continue }
      try target.add(
        GroundTruthPeer(timestamp: Timestamp(nanoseconds: first), peer: id, position: position)
      ) { throw table.error($0) }
    }
    target.report.decide(
      anchors.isEmpty
        ? "uwb.csv has no gt_range: the anchors' true positions are not known"
        : "the anchors' true positions are where the spheres of gt_range about the tags meet")
  }

  private struct Row {
    var time: Int64
    var range: Double
    var antenna: String
    var peer: String
    var pose: Pose?
    var tag: Vector3?
    var trueRange: Double?
  }

  private static func row(_ t: SourceTable) throws(SourceFault) -> Row? {
    guard let antenna = try t.text(2), let peer = try t.text(3) else {
      throw SourceFault(found: "no from_id or to_id", expected: "the ids of tag and anchor")
    }
    var pose: Pose?, tag: Vector3?
    if let x = try t.numberIfAny(4), let w = try t.numberIfAny(10) {
      let p = Vector3(x, try t.number(5), try t.number(6)), v = try t.vector(7)
      guard abs(w * w + v.squaredNorm - 1) < 0.02 else {
        throw SourceFault(found: "a quaternion of length \((w * w + v.squaredNorm).squareRoot())", expected: "length 1")
      }
      pose = Pose(rotation: Rotation(w: w, x: v.x, y: v.y, z: v.z), translation: p)
      if try t.numberIfAny(11) != nil { tag = try t.vector(11) }
    }
    return Row(
      time: try t.time(0, .seconds), range: try t.number(1), antenna: antenna, peer: peer, pose: pose, tag: tag,
      trueRange: try t.numberIfAny(14))
  }

  private static func isBefore(_ a: String, _ b: String) -> Bool {
    if let x = Int(a), let y = Int(b) { return x < y }
    return a < b
  }

  // MARK: camera and inertial unit

  /// The camera in the body: how it is turned from `tf_cam_rig`, whose rig is turned by half a turn about y against
  /// the poses' (the camera hangs upside down), and whose camera axes are down, forward, right; where it is from its pose
  /// beside the body's. The turn of those poses is ten degrees off what the gyroscope says. Sets the device's axes.
  private func mount(_ target: inout ImportTarget) throws -> Pose {
    let rig = try transform("tf_cam_rig").rotation
    let rotation =
      Rotation(w: 0, x: 0, y: 1, z: 0) * rig
      * Rotation(matrix: Matrix3(rows: Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 0, 0)))
    let place = try cameraPlace(&target)
    target.device = Pose(rotation: rotation * Rotation(w: 0, x: 1, y: 0, z: 0))
    target.report.decide("the device's axes: the camera's, by tf_cam_rig of calib.json: the rig hangs upside down")
    return Pose(rotation: rotation, translation: place)
  }

  private func cameraPlace(_ target: inout ImportTarget) throws -> Vector3 {
    guard let path = run.file("apriltag_cal.csv", "apriltag.csv") else {
      target.report.decide("no apriltag_cal.csv: the camera's place on the body is not known, and taken as its origin")
      return .zero
    }
    let table = try SourceTable(
      path: path,
      columns: [
        .init("x"), .init("y"), .init("z"), .init("rot_x"), .init("rot_y"), .init("rot_z"), .init("w"),
        .init("cam_x"), .init("cam_y"), .init("cam_z"),
      ])
    let place = try table.next { (t: SourceTable) throws(SourceFault) -> Vector3? in
      let body = Pose(rotation: try t.quaternion(w: 6, xyz: 3), translation: try t.vector(0))
      return body.inverse * (try t.vector(7))
    }
    return place ?? .zero
  }

  private func readInertial(
    _ target: inout ImportTarget, _ clock: inout RotationClock, bodyFromCamera: Pose
  ) throws {
    guard let path = run.file("imu.csv") else { return target.report.decide("no imu.csv: no inertial unit") }
    let columns: [SourceTable.Column] =
      [.init("time_s")] + ["x", "y", "z"].map { .init("angular_velocity_\($0)") }
      + ["x", "y", "z"].map { .init("linear_acceleration_\($0)") }
    func reading(_ t: SourceTable) throws(SourceFault) -> (time: Int64, rate: Vector3, force: Vector3)? {
      (Self.origin + (try t.time(0, .seconds)), try t.vector(1), try t.vector(4))
    }
    // First for the clock, then for the rows: memory stays bounded.
    let look = try SourceTable(path: path, columns: columns)
    while let r = try look.next(reading) { clock.add(angularVelocity: r.rate, at: r.time) }
    var shift: Int64 = 0
    if let found = clock.estimate(within: 5), abs(found.shift) > 0.05 {
      shift = Int64((found.shift * 1e9).rounded())
      target.report.figures["imu.csv clock shift [s]"] = found.shift
      target.report.decide(
        "the inertial unit's stamps are shifted by \(Words.fixed(found.shift, 3)) s: there its rotation follows the "
          + "motion capture's (correlation \(Words.fixed(found.correlation, 3)), unshifted "
          + "\(Words.fixed(found.unshifted, 3)))")
    }
    let table = try SourceTable(path: path, columns: columns)
    while let r = try table.next(reading) {
      try target.add(
        IMUSample(timestamp: Timestamp(nanoseconds: r.time + shift), angularVelocity: r.rate, specificForce: r.force),
        table.refuse)
    }
    target.report.count("imu.csv bad rows skipped", table.bad)
    target.rig.imu = IMUCalibration(
      bodyFromIMU: try inertialMount(bodyFromCamera), gyroscopeNoiseDensity: 0.002, gyroscopeRandomWalk: 0.0001,
      accelerometerNoiseDensity: 0.02, accelerometerRandomWalk: 0.001, rate: 200)
    target.report.decide(
      "imu0's T_BS: the camera on the body and tf_cam_imu of calib.json, in the ZED's own axes (x forward, z up)")
    target.report.decide("the inertial unit's noise is not published: that of a consumer's unit is assumed")
  }

  private func transform(_ name: String) throws(DatasetError) -> Pose {
    let document = try JSONSource(path: "\(run.path)/calib.json")
    let keys = ["x", "y", "z", "w", "rot_x", "rot_y", "rot_z"]
    let n = keys.map { document[name]?[$0]?.double }
    guard n.allSatisfy({ $0 != nil }) else {
      throw document.fault(
        name, found: "no \(name) of \(keys.joined(separator: ", "))", expected: "calib.json of the data set")
    }
    guard Rotation.isUnit(n[3]!, Vector3(n[4]!, n[5]!, n[6]!)) else {
      throw document.fault(
        name, found: "\(name) with a quaternion that is not of length 1", expected: "w, rot_x, rot_y, rot_z of length 1"
      )
    }
    return Pose(
      rotation: Rotation(w: n[3]!, x: n[4]!, y: n[5]!, z: n[6]!), translation: Vector3(n[0]!, n[1]!, n[2]!))
  }

  private func inertialMount(_ bodyFromCamera: Pose) throws(DatasetError) -> Pose {
    let cameraFromIMU = try transform("tf_cam_imu")
    // tf_cam_imu is in the ZED's axes x forward, y left, z up; the camera's pose in x right, y down, z forward.
    let opticalFromZED = Rotation(
      matrix: Matrix3(rows: Vector3(0, -1, 0), Vector3(0, 0, -1), Vector3(1, 0, 0)))
    return bodyFromCamera * Pose(rotation: opticalFromZED) * cameraFromIMU
  }
}

/// A running mean of vectors.
private struct Mean {
  private var sum = Vector3.zero, count = 0.0
  mutating func add(_ v: Vector3) {
    sum += v
    count += 1
  }
  var value: Vector3 { count > 0 ? sum / count : .zero }
}

/// A fixed point from exact distances to known ones: the differences of their squares are linear in it.
private struct AnchorPosition {
  private var normal = Matrix3.zero, right = Vector3.zero
  private var first: (tag: Vector3, range: Double)?
  private var count = 0

  mutating func add(tag: Vector3, range: Double) {
    guard let first else {
      self.first = (tag, range)
      return
    }
    // |x - a|^2 - |x - a0|^2 = d^2 - d0^2, about a0.
    let a = tag - first.tag
    let b = 0.5 * (a.squaredNorm - range * range + first.range * first.range)
    normal += Matrix3(outer: a, a)
    right += a * b
    count += 1
  }

  /// The point; nil where the known ones lie in a plane.
  func solve() -> Vector3? {
    guard let first, count >= 3, let inverse = normal.inverse else { return nil }
    let x = inverse * right
    return x.isFinite ? first.tag + x : nil
  }
}
