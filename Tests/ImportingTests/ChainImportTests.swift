import Datasets
import Foundation
import Geometry
import Importing
import JSONText
import SensorData
import Testing

/// Kalibr's and OpenVINS's calibrations into a folder.
@Suite struct ChainImportTests {
  private static let rows =
    "\n  - [0.0, -1.0, 0.0, 0.1]\n  - [0.0, 0.0, -1.0, 0.2]\n  - [1.0, 0.0, 0.0, 0.3]\n  - [0, 0, 0, 1]\n"
  private static let noise =
    "gyroscope_noise_density: 0.002\ngyroscope_random_walk: 0.0001\naccelerometer_noise_density: 0.02\n"
    + "accelerometer_random_walk: 0.001\nupdate_rate: 200\n"

  private static func camera(_ model: String, _ intrinsics: String, _ distortion: String, _ k: String) -> String {
    "  camera_model: \(model)\n  intrinsics: [\(intrinsics)]\n  distortion_model: \(distortion)\n"
      + "  distortion_coeffs: [\(k)]\n  resolution: [640, 480]\n  timeshift_cam_imu: -0.004\n"
  }

  private static func chain(
    _ model: String = "pinhole", _ intrinsics: String = "400, 401, 320, 240",
    _ distortion: String = "radtan", _ k: String = "0.1, 0.2, 0.3, 0.4", transform: String = "T_cam_imu"
  ) -> String {
    "cam0:\n  \(transform):\(rows)" + camera(model, intrinsics, distortion, k)
  }

  @Test(arguments: [
    (
      "pinhole", "400, 401, 320, 240", "radtan", "0.1, 0.2, 0.3, 0.4",
      CameraCalibration.Distortion.radialTangential(k1: 0.1, k2: 0.2, p1: 0.3, p2: 0.4)
    ),
    (
      "pinhole", "400, 401, 320, 240", "equidistant", "0.1, 0.2, 0.3, 0.4",
      .equidistant(k1: 0.1, k2: 0.2, k3: 0.3, k4: 0.4)
    ),
    ("pinhole", "400, 401, 320, 240", "equi", "0.1, 0.2, 0.3, 0.4", .equidistant(k1: 0.1, k2: 0.2, k3: 0.3, k4: 0.4)),
    ("pinhole", "400, 401, 320, 240", "fov", "0.9", .fieldOfView(w: 0.9)),
    ("pinhole", "400, 401, 320, 240", "none", "", .none),
    (
      "omni", "1.5, 400, 401, 320, 240", "radtan", "0.1, 0.2, 0.3, 0.4",
      .omni(xi: 1.5, k1: 0.1, k2: 0.2, p1: 0.3, p2: 0.4)
    ),
    ("omni", "1.5, 400, 401, 320, 240", "none", "", .omni(xi: 1.5, k1: 0, k2: 0, p1: 0, p2: 0)),
    ("ds", "-0.2, 0.6, 400, 401, 320, 240", "none", "", .doubleSphere(xi: -0.2, alpha: 0.6)),
    ("eucm", "0.6, 1.1, 400, 401, 320, 240", "none", "", .extendedUnified(alpha: 0.6, beta: 1.1)),
  ]) func everyModelLoadsAndReadsBack(
    model: String, intrinsics: String, distortion: String, k: String, expected: CameraCalibration.Distortion
  ) throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("camchain-imucam.yaml", Self.chain(model, intrinsics, distortion, k))
    try source.write("imu.yaml", Self.noise)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    #expect(!report.hasFault)
    let camera = try Self.camera(output)
    #expect(camera.distortion == expected && camera.fx == 400 && camera.timeOffset == -0.004)
    // T_cam_imu's inverse: the camera's origin in the inertial unit's axes.
    #expect((camera.bodyFromCamera * .zero - Vector3(-0.3, 0.1, 0.2)).norm < 1e-12)
  }

  /// As a recording beside them would read them.
  private static func camera(_ folder: Folder, _ number: Int = 0) throws -> CameraCalibration {
    for camera in 0...number {
      try folder.write("mav0/cam\(camera)/features.csv", "#timestamp [ns],feature_id [],u [px],v [px]\n1,1,2,3\n")
    }
    try folder.write(
      "mav0/imu0/data.csv",
      "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n1,0,0,0,0,0,9.8\n"
    )
    return try Recording.open(folder.url).rig.cameras[number]
  }

  private static func openVINS(_ source: Folder) throws {
    try source.write("kalibr_imucam_chain.yaml", "%YAML:1.0\n" + chain(transform: "T_imu_cam"))
    try source.write(
      "kalibr_imu_chain.yaml", "%YAML:1.0\nimu0:\n" + noise.split(separator: "\n").map { "  \($0)\n" }.joined())
    try source.write(
      "uwb_anchors.yaml",
      "%YAML:1.0\nanchor0:\n  id: 7\n  p_AinG: [1.0, 2.0, 3.0]\n  const_bias: 0.2\n  dist_bias: 1.01\n"
        + "anchor1:\n  id: 8\n  p_AinG: [4.0, 5.0, 6.0]\n")
  }

  @Test func openVINSHasTheInverse() throws {
    let (source, output) = (try Folder(), try Folder())
    try Self.openVINS(source)
    let report = try Importer.run(.openvins, source: source.url.path, output: output.url.path)
    #expect(ImportKind.guess(source.url.path)?.kind == .openvins)
    #expect(report.figures["anchor 7 const_bias [m]"] == 0.2 && report.counts["anchors"] == 2)
    #expect(try output.text("mav0/peers_groundtruth0/data.csv").contains("0,8,4.000000,5.000000,6.000000"))
    let camera = try Self.camera(output)
    #expect((camera.bodyFromCamera * .zero - Vector3(0.1, 0.2, 0.3)).norm < 1e-12)
  }

  @Test(arguments: [
    ("kalibr_imucam_chain.yaml", "T_imu_cam:", "T_cam:", "no T_cam_imu", "T_imu_cam (OpenVINS"),
    ("kalibr_imucam_chain.yaml", "[0, 0, 0, 1]", "[0, 0, 1, 1]", "last row 0.0 0.0 1.0 1.0", "last row 0 0 0 1"),
    ("kalibr_imucam_chain.yaml", "intrinsics: [400, 401, 320, 240]", "intrinsics: [400, 401]", "intrinsics", "cx, cy"),
    ("kalibr_imu_chain.yaml", "accelerometer_random_walk: 0.001", "accelerometer_random_walk: -1", "'-1'", "m/s^3"),
    ("uwb_anchors.yaml", "[1.0, 2.0, 3.0]", "[1.0, 2.0]", "p_AinG of 2 numbers", "[x, y, z] in metres"),
    ("uwb_anchors.yaml", "dist_bias: 1.01", "dist_bias: 101", "dist_bias: '101'", "a factor near 1"),
    ("uwb_anchors.yaml", "p_AinG", "p_GinA", "no anchor", "p_AinG, const_bias"),
    ("uwb_anchors.yaml", "  id: 7", "\tid: 7", "no YAML", "YAML: lines such as"),
  ]) func brokenOpenVINSIsRefused(file: String, old: String, new: String, found: String, remedy: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try Self.openVINS(source)
    try source.replace(file, old, new)
    let error = try #require(throws: DatasetError.self) {
      try Importer.run(.openvins, source: source.url.path, output: output.url.path)
    }
    #expect(error.file == source.path(file) && error.line != nil, "\(error)")
    #expect(error.found.contains(found) && error.expected.contains(remedy), "\(error)")
  }

  /// A second camera by the first: T_cn_cnm1 takes cam0's axes to cam1's.
  @Test func aChainedCameraGoesByTheFirst() throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write(
      "camchain.yaml",
      Self.chain() + "cam1:\n  T_cn_cnm1: [1, 0, 0, -0.11, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n"
        + Self.camera("pinhole", "400, 400, 320, 240", "radtan", "0, 0, 0, 0"))
    _ = try Importer.run(.kalibr, source: source.path("camchain.yaml"), output: output.url.path)
    let second = try Self.camera(output, 1)
    // cam0's x axis is the inertial unit's -y.
    #expect((second.bodyFromCamera * .zero - Vector3(-0.3, 0.1 - 0.11, 0.2)).norm < 1e-12)
  }

  @Test(arguments: [
    ("camchain.yaml", "T_cam_imu:", "T_cam:", "no T_cam_imu", "T_imu_cam (OpenVINS"),
    ("camchain.yaml", "camera_model: pinhole", "camera_model: fish", "camera_model: fish", "pinhole, omni"),
    ("camchain.yaml", "[0.0, -1.0, 0.0, 0.1]", "[0.0, 1.0, 0.0, 0.1]", "reflection", "determinant 1"),
    ("imu.yaml", "gyroscope_noise_density: 0.002\n", "", "no key gyroscope_noise_density", "rad/s/sqrt(Hz)"),
  ]) func brokenFilesAreRefused(file: String, old: String, new: String, found: String, remedy: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("camchain.yaml", Self.chain())
    try source.write("imu.yaml", Self.noise)
    try source.replace(file, old, new)
    let error = try #require(throws: DatasetError.self) {
      try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    }
    #expect(error.file == source.path(file) && error.line != nil, "\(error)")
    #expect(error.found.contains(found) && error.expected.contains(remedy), "\(error)")
  }

  /// A chain alone beside data: what is there of the inertial unit stays, and the camera goes by its place on the body.
  @Test func aChainAloneLeavesTheInertialUnit() throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("camchain.yaml", Self.chain())
    let imu =
      "T_BS: [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1]\n"
      + Self.noise.replacingOccurrences(of: "update_rate", with: "rate_hz")
    try output.write("mav0/imu0/sensor.yaml", imu)
    try output.write("dataset.yaml", "title: mine\n")
    try output.write("import.json", "{\"kind\": \"ros\", \"source\": \"walk.bag\", \"counts\": {\"imu rows\": 9}}\n")
    for _ in 1...2 { _ = try Importer.run(.kalibr, source: source.url.path, output: output.url.path) }
    // How the data came stays told, once.
    let told = try JSONValue(contentsOf: output.path("import.json"))
    #expect(
      told["kind"]?.text == "kalibr" && told["before"]?["source"]?.text == "walk.bag"
        && told["before"]?["before"] == nil)
    #expect(try output.text("mav0/imu0/sensor.yaml") == imu && output.text("dataset.yaml") == "title: mine\n")
    #expect((try Self.camera(output).bodyFromCamera * .zero - Vector3(0.7, 2.1, 3.2)).norm < 1e-12)
  }

  @Test func aLeverArmOfMetresIsAFault() throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("camchain.yaml", Self.chain().replacingOccurrences(of: "0.3]", with: "30]"))
    #expect(try Importer.run(.kalibr, source: source.url.path, output: output.url.path).hasFault)
  }
}
