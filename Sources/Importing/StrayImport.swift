import Datasets
import Geometry
import LeastSquares
import SensorData

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
