import Foundation
import Geometry
import Importing
import SensorData

/// The walk, written as each kind of source has it.
enum ForeignSamples {
  /// Kinds that bring data; Kalibr's and its like bring calibrations, ROS's bags are the Python package's.
  static let kinds = ImportKind.allCases.filter { !$0.isCalibration && $0 != .ros }

  /// Writes a sample and returns what is imported of it, and the map that it needs.
  @discardableResult
  static func write(_ kind: ImportKind, to folder: Folder) throws -> (source: String, map: String?) {
    switch kind {
    case .starloc: try starloc(folder)
    case .miluv: try miluv(folder)
    case .spectacular: try spectacular(folder)
    case .arkitNI: try arkitNI(folder)
    case .stray: try stray(folder)
    case .sensorLogger: try sensorLogger(folder)
    case .record3d: try PhoneSamples.record3D(folder)
    case .mars: try PhoneSamples.mars(folder)
    case .videoIMU: try PhoneSamples.videoIMU(folder)
    case .iosLogger: try PhoneSamples.iosLogger(folder)
    case .plaza: try plaza(folder)
    case .csv: try csv(folder)
    case .kalibr, .openvins, .calibration, .ros: preconditionFailure("no data")
    }
    return (
      kind == .miluv ? folder.path("data/default_1/ifo001") : folder.url.path,
      kind == .csv ? folder.path("map.yaml") : nil
    )
  }

  static func n(_ value: Double, _ digits: Int = 9) -> String { Walk.n(value, digits) }

  /// x, y, z of a pose in a world with y up.
  static func yUp(_ pose: Pose) -> Pose {
    let turn = Rotation(matrix: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)))
    return Pose(rotation: turn * pose.rotation, translation: turn * pose.translation)
  }

  static func q(_ r: Rotation) -> (w: String, xyz: String) { (n(r.w), Walk.n(r.v)) }

  // MARK: STAR-loc

  static let starlocAntennas: [(id: String, place: Vector3)] = [
    ("1", Vector3(-0.085, -0.207, 0.069)), ("2", Vector3(-0.085, 0, 0.069)),
  ]
  /// The ZED's axes (x forward, y left, z up) on the body: the unit hangs upside down and looks along +x.
  static let starlocIMU = Rotation(matrix: Matrix3(columns: Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, -1)))
  static let starlocShift = 1.4

  static func starloc(_ folder: Folder, _ at: String = "") throws {
    var uwb = "time_s,range,from_id,to_id,fpp1,x,y,z,w,rot_x,rot_y,rot_z,tag_pos_x,tag_pos_y,tag_pos_z,gt_range,std\n"
    for (k, t) in Walk.times(200).enumerated() {
      let (antenna, peer) = (starlocAntennas[k % 2], Walk.peers[k % 3])
      let pose = Walk.pose(t), range = Walk.range(t, peer.place, antenna: antenna.place)
      uwb += "\(n(t)),\(n(range + 0.05, 4)),\(antenna.id),\(peer.id),-80,\(Walk.n(pose.translation)),"
      uwb += "\(q(pose.rotation).w),\(q(pose.rotation).xyz),\(Walk.n(pose * antenna.place)),\(n(range)),0.1\n"
    }
    try folder.write(at + "uwb.csv", uwb)
    // The camera looks along the body's +x, its y (down in the image) along +z: upside down.
    let camera = Rotation(matrix: Matrix3(columns: Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(1, 0, 0)))
    let body = Walk.pose(0)
    let rig = Rotation(matrix: Matrix3(columns: Vector3(0, 0, -1), Vector3(-1, 0, 0), Vector3(0, 1, 0)))
    let eye = Pose(rotation: (body.rotation * camera).inverse, translation: body.translation)
    try folder.write(
      at + "apriltag_cal.csv",
      "time_s,x,y,z,rot_x,rot_y,rot_z,w,cam_x,cam_y,cam_z,cam_rot_x,cam_rot_y,cam_rot_z,cam_w\n"
        + "0.1,\(Walk.n(body.translation)),\(q(body.rotation).xyz),\(q(body.rotation).w),\(Walk.n(eye.translation)),"
        + "\(q(eye.rotation).xyz),\(q(eye.rotation).w)\n")
    try folder.write(
      at + "calib.json",
      #"{"fu": 1077, "tf_cam_imu": {"x": -0.002, "y": -0.023, "z": 0, "rot_x": 0, "rot_y": 0, "rot_z": 0, "w": 1},"#
        + "\"tf_cam_rig\": {\"x\": 0, \"y\": 0, \"z\": 0, \"rot_x\": \(n(rig.v.x)), \"rot_y\": \(n(rig.v.y)), "
        + "\"rot_z\": \(n(rig.v.z)), \"w\": \(n(rig.w))}}")
    try starlocInertial(folder, at)
  }

  /// - Parameter gyroscope: takes the reading to what is written.
  static func starlocInertial(_ folder: Folder, _ at: String = "", gyroscope: (Vector3) -> Vector3 = { $0 }) throws {
    var imu =
      "time_s,"
      + ["angular_velocity", "linear_acceleration"].flatMap { name in
        ["x", "y", "z"].map { "\(name)_\($0)" }
      }.joined(separator: ",") + "\n"
    for t in Walk.times(200) {
      let (rate, force) = Walk.motion(t)
      let turn = starlocIMU.inverse
      imu += "\(n(t + starlocShift)),\(Walk.n(gyroscope(turn * rate))),\(Walk.n(turn * force))\n"
    }
    try folder.write(at + "imu.csv", imu)
  }

  // MARK: MILUV

  static func miluv(_ folder: Folder) throws {
    let tags = [("10", Vector3(0.13, -0.17, -0.05)), ("11", Vector3(-0.17, 0.14, -0.05))]
    try folder.write(
      "config/uwb/tags.yaml",
      "ifo001:\n" + tags.map { "  \($0.0): \"[\($0.1.x), \($0.1.y), \($0.1.z)]\"\n" }.joined()
        + "ifo002:\n  20: \"[0, 0, 0]\"\n")
    try folder.write(
      "config/uwb/anchors.yaml",
      "\"0\":\n" + Walk.peers.map { "  \($0.id): \"[\($0.place.x), \($0.place.y), \($0.place.z)]\"\n" }.joined()
        + "\"1\":\n  1: \"[0, 0, 0]\"\n")
    try folder.write("config/experiments.csv", "experiment,anchor_constellation\nother,1\ndefault_1,0\n")
    let robot = "data/default_1/ifo001/"
    var mocap =
      "timestamp,pose.position.x,pose.position.y,pose.position.z,"
      + "pose.orientation.x,pose.orientation.y,pose.orientation.z,pose.orientation.w\n"
    for t in Walk.times(100) {
      let pose = Walk.pose(t)
      mocap += "\(n(t)),\(Walk.n(pose.translation)),\(q(pose.rotation).xyz),\(q(pose.rotation).w)\n"
      if t == 3 { mocap += "\(n(t)),\(Walk.n(pose.translation)),\(q(pose.rotation).xyz),\(q(pose.rotation).w)\n" }
    }
    try folder.write(robot + "mocap.csv", mocap)
    var uwb = "timestamp,range,range_raw,bias,from_id,to_id,std,fpp1,fpp2\n"
    for (k, t) in Walk.times(60).enumerated() {
      let (tag, peer) = (tags[k % 2], Walk.peers[k % 3])
      let range = Walk.range(t, peer.place, antenna: tag.1)
      uwb += "\(n(t)),\(n(range)),\(n(range + 0.3)),0.3,\(tag.0),\(peer.id),0.05,-82.5,-83\n"
      if k % 10 == 0 { uwb += "\(n(t)),2.5,2.8,0.3,20,\(peer.id),0.05,-82.5,-83\n" }
    }
    try folder.write(robot + "uwb_range.csv", uwb)
    var imu =
      "timestamp,angular_velocity.x,angular_velocity.y,angular_velocity.z,"
      + "linear_acceleration.x,linear_acceleration.y,linear_acceleration.z\n"
    for t in Walk.times(200) { imu += "\(n(t)),\(Walk.n(Walk.motion(t).rate)),\(Walk.n(Walk.motion(t).force))\n" }
    try folder.write(robot + "imu_px4.csv", imu)
  }

  // MARK: Spectacular AI

  static func spectacular(_ folder: Folder) throws {
    var lines: [(Double, String)] = []
    func stamp(_ t: Double) -> String { n(Double(Walk.start) + t, 6) }
    func sensor(_ t: Double, _ type: String, _ v: Vector3) -> String {
      "{\"time\":\(stamp(t)),\"sensor\":{\"type\":\"\(type)\",\"values\":[\(Walk.n(v))]}}"
    }
    for t in Walk.times(200) { lines.append((t, sensor(t, "gyroscope", Walk.motion(t).rate))) }
    for t in Walk.times(100) {
      lines.append((t + 0.002, sensor(t + 0.002, "accelerometer", Walk.motion(t + 0.002).force)))
    }
    for t in Walk.times(10) {
      let pose = Walk.pose(t)
      lines.append(
        (
          t + 0.003,
          "{\"time\":\(stamp(t)),\"groundTruth\":{\"position\":{\"x\":\(n(pose.translation.x)),"
            + "\"y\":\(n(pose.translation.y)),\"z\":\(n(pose.translation.z))},\"orientation\":{"
            + "\"w\":\(n(pose.rotation.w)),\"x\":\(n(pose.rotation.v.x)),\"y\":\(n(pose.rotation.v.y)),"
            + "\"z\":\(n(pose.rotation.v.z))}}}"
        ))
      lines.append(
        (t + 0.004, "{\"time\":\(stamp(t)),\"number\":1,\"frames\":[{\"cameraInd\":0,\"time\":\(stamp(t))}]}"))
    }
    try folder.write("data.jsonl", lines.sorted { $0.0 < $1.0 }.map { $0.1 + "\n" }.joined())
    try folder.write(
      "calibration.json",
      """
      {"cameras": [{"model": "kannala-brandt4", "focalLengthX": 285, "focalLengthY": 286, "principalPointX": 320.5,
      "principalPointY": 240.5, "imageWidth": 640, "imageHeight": 480,
      "distortionCoefficients": [0.01, 0.002, -0.003, 0.0004],
      "imuToCamera": [[0, -1, 0, 0.1], [0, 0, -1, 0.2], [1, 0, 0, 0.3], [0, 0, 0, 1]]}]}
      """)
    try phoneRanges(folder, start: Walk.start)
  }

  static func phoneRanges(_ folder: Folder, start: Int) throws {
    var ranges = "timestamp,peer_id,range\n"
    for (k, t) in Walk.times(30).enumerated() {
      let peer = Walk.peers[k % 3]
      ranges += "\(n(Double(start) + t, 6)),\(peer.id),\(n(Walk.range(t, peer.place)))\n"
    }
    try folder.write("ranges.csv", ranges)
  }

  // MARK: Phones

  /// The device's axes are the body's. ARKit's camera is the device turned by 90 degrees about z.
  static let deviceFromCamera = Rotation(
    matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)))
  static let niDelay = 0.08

  static func arkitNI(_ folder: Folder) throws {
    var arkit = "timestamp," + (0..<4).flatMap { c in (0..<4).map { "m\(c)\($0)" } }.joined(separator: ",") + "\n"
    for t in Walk.times(60) {
      let camera = yUp(Walk.pose(t) * Pose(rotation: deviceFromCamera)), m = camera.rotation.matrix
      arkit += "\(n(t + 5)),\(Walk.n(m.c0)),0,\(Walk.n(m.c1)),0,\(Walk.n(m.c2)),0,\(Walk.n(camera.translation)),1\n"
    }
    try folder.write("arkit.csv", arkit)
    var ni = "timestamp,peer,distance,direction_x,direction_y,direction_z\n"
    for (k, t) in Walk.times(10).enumerated() where t > niDelay {
      let peer = Walk.peers[0].place
      let u = (Walk.pose(t - niDelay).inverse * peer).normalized
      let direction = k % 2 == 0 ? Walk.n(u) : ",,"
      let row = "\(n(Walk.range(t - niDelay, peer))),\(direction)\n"
      ni += "\(n(t + 5)),tag,\(row)"
      if k % 7 == 0 { ni += "\(n(t + 5.02)),tag,\(row)" }  // the callback repeats what it had
    }
    try folder.write("ni.csv", ni)
    var motion = "timestamp,gyro_x,gyro_y,gyro_z,accel_x,accel_y,accel_z\n"
    for t in Walk.times(100) {
      let (rate, force) = Walk.motion(t)
      motion += "\(n(t + 5)),\(Walk.n(rate)),\(Walk.n(-force / 9.80665))\n"
    }
    try folder.write("motion.csv", motion)
  }

  static func stray(_ folder: Folder) throws {
    // OpenCV's axes: y and z of ARKit's camera turned.
    let camera = deviceFromCamera * Rotation(w: 0, x: 1, y: 0, z: 0)
    var odometry = "timestamp, frame, x, y, z, qx, qy, qz, qw\n"
    for (k, t) in Walk.times(60).enumerated() {
      let pose = yUp(Walk.pose(t) * Pose(rotation: camera))
      odometry += "\(n(t)), \(k), \(Walk.n(pose.translation)), \(q(pose.rotation).xyz), \(q(pose.rotation).w)\n"
    }
    try folder.write("odometry.csv", odometry)
    var imu = "timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n"
    for t in Walk.times(100) {
      imu += "\(n(t)), \(Walk.n(-Walk.motion(t).force / 9.80665)), \(Walk.n(Walk.motion(t).rate))\n"
    }
    try folder.write("imu.csv", imu)
    try folder.write("camera_matrix.csv", "1000, 0, 960\n0, 1000, 720\n0, 0, 1\n")
    try phoneRanges(folder, start: 0)
  }

  static func sensorLogger(_ folder: Folder) throws {
    func write(_ name: String, _ rate: Double, _ offset: Double, _ value: (Double) -> Vector3) throws {
      var text = "time,seconds_elapsed,z,y,x\n"
      for t in Walk.times(rate) {
        let v = value(t + offset)
        text += "\(Walk.start * 1_000_000_000 + Int(((t + offset) * 1e9).rounded())),\(n(t + offset)),"
        text += "\(n(v.z)),\(n(v.y)),\(n(v.x))\n"
      }
      try folder.write(name, text)
    }
    func gravity(_ t: Double) -> Vector3 { Walk.pose(t).rotation.inverse * Vector3(0, 0, -9.81) }
    try write("Gyroscope.csv", 100, 0) { Walk.motion($0).rate }
    // Apple's sign: gravity points down, and the rest is against the specific force.
    try write("Gravity.csv", 100, 0.003, gravity)
    try write("Accelerometer.csv", 100, 0.003) { -Walk.motion($0).force - gravity($0) }
    try folder.write("Metadata.csv", "version,device name,platform,standardisation\n3,phone,ios,false\n")
    var poses = "timestamp,x,y,z,qw,qx,qy,qz\n"
    for t in Walk.times(30) {
      let pose = Walk.pose(t)
      poses +=
        "\(n(Double(Walk.start) + t, 6)),\(Walk.n(pose.translation)),\(q(pose.rotation).w),\(q(pose.rotation).xyz)\n"
    }
    try folder.write("poses.csv", poses)
    try phoneRanges(folder, start: Walk.start)
  }

  // MARK: Plaza, CSV

  /// A planar drive: 1 m/s, a turn of 0.3 rad/s.
  static func plaza(_ folder: Folder) throws {
    func place(_ t: Double) -> Vector3 { Vector3(sin(0.3 * t) / 0.3, (1 - cos(0.3 * t)) / 0.3, 0) }
    var (turns, ranges, truth) = ("", "", "")
    for k in 1...200 {
      let t = 0.1 * Double(k)
      turns += "\(n(t)) \(n(2 / 0.3 * sin(0.015))) \(n(0.03))\n"
      truth += "\(n(t)) \(Walk.n(place(t)).split(separator: ",").prefix(2).joined(separator: " ")) \(n(0.3 * t))\n"
      let peer = Walk.peers[k % 3]
      let planar = Vector3(peer.place.x, peer.place.y, 0)
      ranges += "\(n(t)) 1 \(peer.id) \(n((place(t) - planar).norm))\n"
    }
    try folder.write("Plaza9_DR.txt", turns)
    try folder.write("Plaza9_TD.txt", ranges)
    try folder.write("Plaza9_GT.txt", truth)
    try folder.write(
      "Plaza9_TL.txt", Walk.peers.map { "\($0.id) \(n($0.place.x)) \(n($0.place.y))\n" }.joined())
  }

  static func csv(_ folder: Folder) throws {
    var imu = "t;gx;gy;gz;ax;ay;az\n", poses = "ms,px,py,pz,a,b,c,d\n", ranges = "us,who,cm\n"
    func cells(_ v: Vector3) -> String { Walk.n(v).replacingOccurrences(of: ",", with: ";") }
    for t in Walk.times(100) {
      let (rate, force) = Walk.motion(t)
      imu += "\(n(Double(Walk.start) + t, 6));\(cells(rate * 180 / .pi));\(cells(force / 9.80665))\n"
    }
    for t in Walk.times(50) {
      let pose = yUp(Walk.pose(t))
      poses += "\(Walk.start * 1000 + Int((t * 1000).rounded())),\(Walk.n(pose.translation)),"
      poses += "\(q(pose.rotation).w),\(q(pose.rotation).xyz)\n"
    }
    for (k, t) in Walk.times(50).enumerated() {
      let peer = Walk.peers[k % 3]
      ranges += "\(Walk.start * 1_000_000 + Int((t * 1e6).rounded())),\(peer.id),"
      ranges += k % 20 == 3 ? "99999\n" : "\(n(100 * Walk.range(t, peer.place)))\n"
    }
    try folder.write("imu.csv", imu)
    try folder.write("poses.csv", poses)
    try folder.write("ranges.csv", ranges)
    try folder.write(
      "anchors.csv", "name,x,y,z\n" + Walk.peers.map { "\($0.id),\(Walk.n($0.place))\n" }.joined())
    try folder.write(
      "map.yaml",
      """
      imu0:
        file: imu.csv
        time: t
        gyroscope: [gx, gy, gz]
        gyroscope_unit: deg/s
        accelerometer: [ax, ay, az]
        accelerometer_unit: g
      odometry0:
        file: poses.csv
        time: ms
        time_unit: ms
        position: [px, py, pz]
        quaternion: [a, b, c, d]
        world_up: y
      uwb0:
        file: ranges.csv
        time: us
        time_unit: us
        peer: who
        range: cm
        range_unit: cm
        invalid: [99999]
      peers:
        file: anchors.csv
        peer: name
        position: [x, y, z]

      """)
  }
}
