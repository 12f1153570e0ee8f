import Datasets
import Foundation
import Geometry
import SensorData
import Wording

/// A phone's log of ARKit poses and Nearby Interaction rows, and its inertial unit's where it was logged:
/// `arkit.csv`: time, the camera's transform (position and quaternion, or 16 numbers column by column);
/// `ni.csv`: time, peer, distance, direction (x, y, z, may be empty); `motion.csv`: time, acceleration in g with
/// Apple's sign, rotation rate.
struct ARKitNIImport: SourceImporter {
  private let folder: SourceFolder

  var rangeColumns: [String] { ["azimuth", "elevation"] }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: ["arkit.csv", "ni.csv"], kind: .arkitNI)
  }

  func read(into target: inout ImportTarget) throws {
    target.report.decide("ARKit's world has y up: turned about x, so that z is up")
    target.report.decide(
      "ARKit's camera is in landscape: odometry0's T_BS turns it into the device's axes, which are the body's")
    var delays: [String: RangeDelay] = [:]
    var path = RangeDelay()
    target.rig.odometry = OdometryCalibration(
      bodyFromSensor: Pose(rotation: PhoneUnits.deviceFromARKitCamera), positionRandomWalk: 0.01, yawRandomWalk: 0.002)
    target.device = .identity
    try readPoses("\(folder.path)/arkit.csv", &target) { path.add(position: $0.translation, at: $1) }
    // First for the clock, then for the delay, then for the rows.
    let form = try TimeForm.find("\(folder.path)/ni.csv", names: PhoneRanges.times, content: .ranges)
    target.report.decide(form.words)
    var counts = RowCounts()
    var first = Int64.max, last = Int64.min
    try readRanges(form.form, &counts) { _, row, _ in (first, last) = (min(first, row.time), max(last, row.time)) }
    var shift: Int64 = 0
    if first <= last, let clock = target.clock() {
      shift = clock.shift(first: first, last: last, name: "ni.csv", &target.report)
    }
    counts = RowCounts()
    try readRanges(form.form, &counts) { peer, row, _ in
      delays[peer, default: path].add(range: row.distance, at: row.time &+ shift)
    }
    let found = delays.values.compactMap { $0.estimate() }.sorted { $0.delay < $1.delay }
    var delay = 0.0
    if let middle = found.isEmpty ? nil : found[found.count / 2] {
      delay = middle.delay
      target.report.figures["Nearby Interaction's delay [s]"] = delay
      target.report.decide(
        "Nearby Interaction's rows carry the time of the callback: they are \(Words.fixed(delay * 1000, 0)) ms late "
          + "(residual \(Words.fixed(middle.residual, 3)) m there, \(Words.fixed(middle.unshifted, 3)) m as stamped)"
      )
    } else {
      target.report.decide(
        "Nearby Interaction's rows carry the time of the callback, usually 30 to 150 ms late: the motion does not show "
          + "by how much, they stay as stamped")
    }
    counts = RowCounts()
    let late = Int64((delay * 1e9).rounded())
    try readRanges(form.form, &counts) { peer, row, table in
      var range = RangeMeasurement(
        timestamp: Timestamp(nanoseconds: row.time &+ shift &- late), peer: peer, range: row.distance)
      if let u = row.direction {
        range.azimuth = atan2(u.x, -u.z)
        range.elevation = asin(max(-1, min(1, u.y)))
      }
      try target.add(range, table.refuse)
    }
    target.report.count("ni.csv rows without a distance", counts.empty)
    target.report.count("ni.csv rows that repeat the last", counts.repeated)
    target.report.count("ni.csv bad rows skipped", counts.bad)
    if let motion = folder.file("motion.csv") { try Self.readMotion(motion, &target) }
    target.rig.radio = RadioCalibration()
  }

  // MARK: - Rows

  private struct RowCounts { var empty = 0, repeated = 0, bad = 0 }

  private struct Row {
    var time: Int64
    var distance: Double
    var direction: Vector3?
  }

  private func readRanges(
    _ form: TimeForm, _ counts: inout RowCounts, _ use: (String, Row, SourceTable) throws -> Void
  ) throws {
    let table = try SourceTable(
      path: "\(folder.path)/ni.csv",
      columns: [
        .init(names: PhoneRanges.times), .init(names: PhoneRanges.ranges),
        .init(names: PhoneRanges.peers, needed: false),
        .init("direction_x", "dx", needed: false), .init("direction_y", "dy", needed: false),
        .init("direction_z", "dz", needed: false),
      ], isRadio: true)
    var last: [String: Row] = [:]
    while let (peer, row) = try table.next({ (t: SourceTable) throws(SourceFault) -> (String, Row)? in
      guard let distance = try t.numberIfAny(1), distance > 0 else {
        counts.empty += 1
        return nil
      }
      var direction: Vector3?
      if let x = try t.numberIfAny(3), let y = try t.numberIfAny(4), let z = try t.numberIfAny(5) {
        let u = Vector3(x, y, z)
        guard abs(u.norm - 1) < 0.02 else {
          throw SourceFault(found: "a direction of length \(Words.fixed(u.norm, 3))", expected: "a unit vector")
        }
        direction = u
      }
      return (try t.text(2) ?? "peer", Row(time: try t.time(0, form), distance: distance, direction: direction))
    }) {
      if let previous = last[peer], previous.distance == row.distance, previous.direction == row.direction {
        counts.repeated += 1
        continue
      }
      last[peer] = row
      try use(peer, row, table)
    }
    counts.bad = table.bad
  }

  /// ARKit's poses, z up, of its camera.
  private func readPoses(_ path: String, _ target: inout ImportTarget, _ use: (Pose, Int64) -> Void) throws {
    let header = SourceHeader.peek(path)?.names ?? []
    let matrix = (0..<4).flatMap { column in (0..<4).map { "m\(column)\($0)" } }
    let isMatrix = header.contains { $0.lowercased() == "m00" }
    let form = try TimeForm.find(path, names: PhoneRanges.times, content: .poses)
    target.report.decide(form.words)
    var columns: [SourceTable.Column] = [.init(names: PhoneRanges.times)]
    columns +=
      isMatrix
      ? matrix.map { .init($0) }
      : ["x", "y", "z"].map { .init($0, "t\($0)", "p\($0)") } + ["w", "x", "y", "z"].map { .init("q\($0)") }
    let turn = WorldUp(.y)
    let table = try SourceTable(path: path, columns: columns)
    while let (time, pose) = try table.next({ (t: SourceTable) throws(SourceFault) -> (Int64, Pose)? in
      let time = try t.time(0, form.form)
      guard isMatrix else {
        return (time, Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1)))
      }
      let r = Matrix3(columns: try t.vector(1), try t.vector(5), try t.vector(9))
      let skew = r.transpose * r - Matrix3.identity
      guard r.determinant > 0.9, [skew.c0, skew.c1, skew.c2].allSatisfy({ $0.norm < 0.01 }) else {
        throw SourceFault(
          found: "a matrix that is no rotation (determinant \(Words.fixed(r.determinant, 3)))",
          expected: "a rotation, column by column (m00, m01, m02, m03 is the first column)")
      }
      return (time, Pose(rotation: Rotation(matrix: r), translation: try t.vector(13)))
    }) {
      let turned = turn.turned(pose)
      use(turned, time)
      try target.add(
        OdometryPose(timestamp: Timestamp(nanoseconds: time), worldFromSensor: turned), table.refuse)
    }
    target.report.count("arkit.csv bad rows skipped", table.bad)
  }

  /// Core Motion's rows: acceleration in g, Apple's sign (at rest face up: z = -1), rotation rate in rad/s.
  static func readMotion(_ path: String, _ target: inout ImportTarget) throws {
    let form = try TimeForm.find(path, names: PhoneRanges.times, content: .inertial)
    target.report.decide(form.words)
    let table = try SourceTable(
      path: path,
      columns: [.init(names: PhoneRanges.times)]
        + ["x", "y", "z"].map { .init("gyro_\($0)", "rotation_rate_\($0)", "w\($0)") }
        + ["x", "y", "z"].map { .init("accel_\($0)", "acceleration_\($0)", "a\($0)") })
    while let sample = try table.next({ (t: SourceTable) throws(SourceFault) -> IMUSample? in
      IMUSample(
        timestamp: Timestamp(nanoseconds: try t.time(0, form.form)), angularVelocity: try t.vector(1),
        specificForce: -PhoneUnits.gravity * (try t.vector(4)))
    }) { try target.add(sample, table.refuse) }
    target.report.count("motion.csv bad rows skipped", table.bad)
    target.report.decide("acceleration is in g with Apple's sign (at rest face up z = -1): multiplied by -9.80665")
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
  }
}
