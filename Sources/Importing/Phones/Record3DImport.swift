import Datasets
import Geometry
import JSONText
import LeastSquares
import SensorData
import Wording

/// Record3D: `metadata.json` beside its images, or in the `.r3d` file as `metadata`: ARKit's poses (x, y, z, w, then the
/// place), the frames' times, the camera's matrix column by column.
struct Record3DImport: SourceImporter {
  private let folder: SourceFolder
  private let path: String

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: [], kind: .record3d)
    guard let path = folder.file("metadata.json", "metadata") else {
      throw DatasetError(
        file: folder.path, found: "no metadata.json, no metadata", expected: ImportKind.record3d.summary)
    }
    self.path = path
  }

  func read(into target: inout ImportTarget) throws {
    let document = try JSONSource(path: path)
    guard case .array(let list)? = document["poses"], !list.isEmpty else {
      throw document.fault("poses", found: "no poses", expected: "\"poses\": [[qx, qy, qz, qw, x, y, z], ...]")
    }
    let times = try times(document, list.count, &target.report)
    let first = try pose(list[0], document)
    var begin = Pose.identity
    if let start = document["initPose"], start != .null {
      begin = try pose(start, document)
      target.report.decide("poses begin at initPose: they are taken onto it")
    } else if first.rotation.log.norm < 1e-3, first.translation.norm < 1e-3 {
      throw document.fault(
        "poses", found: "poses that begin at zero, and no initPose",
        expected: "the world's vertical: export with a version of Record3D that writes initPose")
    }
    let turn = WorldUp(.y)
    target.report.decide("ARKit's world has y up: turned about x, so that z is up")
    target.report.decide(
      "poses are of ARKit's camera, in landscape: odometry0's T_BS turns them into the device's axes")
    target.device = .identity
    target.rig.odometry = OdometryCalibration(
      bodyFromSensor: Pose(rotation: PhoneUnits.deviceFromARKitCamera), positionRandomWalk: 0.01, yawRandomWalk: 0.002)
    for (element, time) in zip(list, times) {
      let pose = turn.turned(begin * (try pose(element, document)))
      try target.add(OdometryPose(timestamp: Timestamp(nanoseconds: time), worldFromSensor: pose)) { refused in
        throw document.fault("poses", found: refused.found, expected: refused.expected)
      }
    }
    try writeVideo(document, times, &target)
    try PhoneRanges.read(folder, &target)
  }

  private func pose(_ element: JSONValue, _ document: JSONSource) throws(DatasetError) -> Pose {
    var values: [Double] = []
    if case .array(let list) = element { values = list.compactMap(\.double) }
    guard values.count == 7, values.allSatisfy(\.isFinite),
      Rotation.isUnit(values[3], Vector3(values[0], values[1], values[2]))
    else {
      throw document.fault(
        "poses",
        found: "a pose of \(values.count) numbers\(values.count == 7 ? " whose quaternion is not of length 1" : "")",
        expected: "[qx, qy, qz, qw, x, y, z]")
    }
    return Pose(
      rotation: Rotation(w: values[3], x: values[0], y: values[1], z: values[2]),
      translation: Vector3(values[4], values[5], values[6]))
  }

  private func times(
    _ document: JSONSource, _ count: Int, _ report: inout ImportReport
  ) throws(DatasetError) -> [Int64] {
    if case .array(let list)? = document["frameTimestamps"] {
      let times = list.compactMap { $0.double.flatMap { DecimalTime.nanoseconds(seconds: $0) } }
      guard times.count == list.count, times.count == count else {
        throw document.fault(
          "frameTimestamps", found: "\(times.count) times of \(count) poses",
          expected: "a time in seconds for each pose")
      }
      report.decide(
        "frameTimestamps: times in s, \(abs(times.first ?? 0) < 60_000_000_000 ? "from zero" : "of the phone's clock")")
      return times
    }
    guard let rate = document["fps"]?.double, rate > 0.5, rate < 1000 else {
      throw document.fault("fps", found: "no frameTimestamps, and no fps", expected: "one of them")
    }
    report.decide("no frameTimestamps: the frames are taken to come at fps, \(Words.fixed(rate, 1)) Hz, from zero")
    return (0..<count).map { Int64((Double($0) / rate * 1e9).rounded()) }
  }

  private func writeVideo(_ document: JSONSource, _ times: [Int64], _ target: inout ImportTarget) throws {
    var k: [Double] = []
    if case .array(let list)? = document["K"] { k = list.compactMap(\.double) }
    guard k.count == 9, k[0] > 0, k[4] > 0 else {
      return target.report.decide("no camera matrix K: the images are left out")
    }
    var video = PhoneVideo(name: "<the .r3d file, or the folder with rgb>")
    video.focal = (k[0], k[4])
    // Column by column: the principal point is at the end; the other way round it is where zeros are.
    video.principal = k[6] != 0 ? (k[6], k[7]) : (k[2], k[5])
    if let w = document["w"]?.double, let h = document["h"]?.double, w >= 1, h >= 1, w < 1e5, h < 1e5 {
      video.size = (Int(w), Int(h))
    }
    try video.write(times, into: &target)
  }
}

/// Stray Scanner: poses of ARKit's camera in OpenCV's axes and a world with y up, an inertial unit in g, a video.
struct StrayImport: SourceImporter {
  private let folder: SourceFolder

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: ["odometry.csv"], kind: .stray)
  }

  func read(into target: inout ImportTarget) throws {
    let turn = WorldUp(.y)
    // The camera's x (right in landscape) is the device's -y, its y (down) the device's -x, its z (forward) -z.
    let deviceFromCamera = PhoneVideo.axes()
    target.report.decide("the world has y up: turned about x, so that z is up")
    target.report.decide(
      "poses are of the camera in landscape, OpenCV's axes: odometry0's T_BS turns them into the device's")
    target.device = .identity
    target.rig.odometry = OdometryCalibration(
      bodyFromSensor: Pose(rotation: deviceFromCamera), positionRandomWalk: 0.01, yawRandomWalk: 0.002)
    let path = "\(folder.path)/odometry.csv"
    let form = try TimeForm.find(path, names: ["timestamp"], content: .poses)
    target.report.decide(form.words)
    let table = try SourceTable(
      path: path,
      columns: [.init("timestamp")] + ["x", "y", "z", "qw", "qx", "qy", "qz"].map { .init($0) }
        + ["frame", "fx", "fy", "cx", "cy"].map { .init($0, needed: false) })
    var stamps: [Int64] = [], frames: [Int] = [], lens: [[Double]] = []
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> (OdometryPose, Int?, [Double])? in
      let pose = OdometryPose(
        timestamp: Timestamp(nanoseconds: try t.time(0, form.form)),
        worldFromSensor: turn.turned(Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1))))
      var lens: [Double] = []
      for column in 9..<13 { if let value = try t.numberIfAny(column) { lens.append(value) } }
      let frame = try t.numberIfAny(8).flatMap { Int(exactly: $0) }
      return (pose, frame, lens)
    }) {
      try target.add(row.0, table.refuse)
      stamps.append(row.0.timestamp.nanoseconds)
      if let frame = row.1 { frames.append(frame) }
      if row.2.count == 4 { lens.append(row.2) }
    }
    target.report.count("odometry.csv bad rows skipped", table.bad)
    if let path = folder.file("imu.csv") { try readMotion(path, &target) }
    try PhoneRanges.read(folder, &target)
    try writeVideo(stamps, frames, lens, &target)
  }

  /// The frames of `rgb.mp4`: a pose each, by its number; the lens a frame, or one for all in `camera_matrix.csv`.
  private func writeVideo(
    _ stamps: [Int64], _ frames: [Int], _ lens: [[Double]], _ target: inout ImportTarget
  ) throws {
    var video = PhoneVideo(name: "rgb.mp4")
    var all = (0..<4).compactMap { k in lens.map { $0[k] }.median }
    if all.count < 4, let path = folder.file("camera_matrix.csv") {
      let table = try SourceTable(path: path, columns: ["a", "b", "c"].map { .init($0) }, names: ["a", "b", "c"])
      var rows: [SIMD3<Double>] = []
      while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> SIMD3<Double>? in try t.vector(0) }) {
        rows.append(row)
      }
      if rows.count == 3 { all = [rows[0].x, rows[1].y, rows[0].z, rows[1].z] }
    }
    guard all.count == 4, all.allSatisfy({ $0 > 0 }) else {
      return target.report.decide("no camera_matrix.csv, no fx, fy, cx, cy: rgb.mp4 is left out")
    }
    (video.focal, video.principal) = ((all[0], all[1]), (all[2], all[3]))
    video.bodyFromCamera = Pose(rotation: PhoneVideo.axes())
    try video.write(stamps, frames: frames.count == stamps.count ? frames : nil, into: &target)
  }

  private func readMotion(_ path: String, _ target: inout ImportTarget) throws {
    let columns: [SourceTable.Column] =
      [.init("timestamp")] + ["x", "y", "z"].map { .init("a_\($0)") } + ["x", "y", "z"].map { .init("alpha_\($0)") }
    let form = try TimeForm.find(path, names: ["timestamp"], content: .inertial)
    target.report.decide(form.words)
    let scale = try PhoneUnits.forceScale(path, columns: columns, first: 1, &target.report)
    let table = try SourceTable(path: path, columns: columns)
    while let sample = try table.next({ (t: SourceTable) throws(SourceFault) -> IMUSample? in
      IMUSample(
        timestamp: Timestamp(nanoseconds: try t.time(0, form.form)), angularVelocity: try t.vector(4),
        specificForce: -scale * (try t.vector(1)))
    }) { try target.add(sample, table.refuse) }
    target.report.count("imu.csv bad rows skipped", table.bad)
    target.report.decide("acceleration has Apple's sign (at rest face up z is negative): multiplied by -1")
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
  }
}
