import Datasets
import Geometry
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
    let deviceFromCamera = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(-1, 0, 0), Vector3(0, 0, -1)))
    target.report.decide("the world has y up: turned about x, so that z is up")
    target.report.decide(
      "poses are of the camera in landscape, OpenCV's axes: odometry0's T_BS turns them into the device's")
    target.device = .identity
    target.rig.odometry = OdometryCalibration(
      bodyFromSensor: Pose(rotation: deviceFromCamera), positionRandomWalk: 0.01, yawRandomWalk: 0.002)
    let table = try SourceTable(
      path: "\(folder.path)/odometry.csv",
      columns: [.init("timestamp")] + ["x", "y", "z", "qw", "qx", "qy", "qz"].map { .init($0) })
    while let pose = try table.next({ (t: SourceTable) throws(SourceFault) -> OdometryPose? in
      OdometryPose(
        timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)),
        worldFromSensor: turn.turned(Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1))))
    }) { try target.add(pose, table.refuse) }
    target.report.count("odometry.csv bad rows skipped", table.bad)
    if let path = folder.file("imu.csv") { try readMotion(path, &target) }
    try PhoneRanges.read(folder, &target)
    if folder.file("rgb.mp4") != nil {
      target.report.decide("rgb.mp4 is left out: the poses are the trajectory")
    }
  }

  private func readMotion(_ path: String, _ target: inout ImportTarget) throws {
    let columns: [SourceTable.Column] =
      [.init("timestamp")] + ["x", "y", "z"].map { .init("a_\($0)") } + ["x", "y", "z"].map { .init("alpha_\($0)") }
    let scale = try PhoneUnits.forceScale(path, columns: columns, first: 1, &target.report)
    let table = try SourceTable(path: path, columns: columns)
    while let sample = try table.next({ (t: SourceTable) throws(SourceFault) -> IMUSample? in
      IMUSample(
        timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)), angularVelocity: try t.vector(4),
        specificForce: -scale * (try t.vector(1)))
    }) { try target.add(sample, table.refuse) }
    target.report.count("imu.csv bad rows skipped", table.bad)
    target.report.decide("acceleration has Apple's sign (at rest face up z is negative): multiplied by -1")
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
  }
}
