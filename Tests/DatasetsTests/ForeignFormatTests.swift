import Datasets
import DatasetsTestSupport
import Foundation
import Geometry
import SensorData
import Testing

/// Folders as EuRoC and TUM-VI ship them, down to their quirks.
@Suite struct ForeignFormatTests {
  private static let eurocCamera = """
    # General sensor definitions.
    sensor_type: camera
    comment: VI-Sensor cam0 (MT9M034)

    # Sensor extrinsics wrt. the body-frame.
    T_BS:
      cols: 4
      rows: 4
      data: [0.0148655429818, -0.999880929698, 0.00414029679422, -0.0216401454975,
             0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768,
            -0.0257744366974, 0.00375618835797, 0.999660727178, 0.00981073058949,
             0.0, 0.0, 0.0, 1.0]

    # Camera specific definitions.
    rate_hz: 20
    resolution: [752, 480]
    camera_model: pinhole
    intrinsics: [458.654, 457.296, 367.215, 248.375] #fu, fv, cu, cv
    distortion_model: radial-tangential
    distortion_coefficients: [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]

    """
  private static let eurocTruthHeader =
    "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], "
    + "v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], "
    + "b_w_RS_S_z [rad s^-1], b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]"
  private static let chain = """
    cam0:
      T_cam_imu:
      - [0.0, -1.0, 0.0, 0.1]
      - [1.0, 0.0, 0.0, 0.2]
      - [0.0, 0.0, 1.0, 0.3]
      - [0.0, 0.0, 0.0, 1.0]
      cam_overlaps: [1]
      camera_model: pinhole
      distortion_coeffs: [0.0034823894022493434, 0.0007150348452162257, -0.0020532361418706202, 0.00020293673591811182]
      distortion_model: equidistant
      intrinsics: [190.97847715128717, 190.9733070521226, 254.93170605935475, 256.8974428996504]
      resolution: [512, 512]
      rostopic: /cam0/image_raw
      timeshift_cam_imu: 0.002

    """

  private func euroc() throws -> Fixture {
    let fixture = try Fixture(isEmpty: true)
    try fixture.write("mav0/body.yaml", "%YAML:1.0\ncomment: a body\n")
    try fixture.write(
      Fixture.imuCalibration,
      "%YAML:1.0\n#Default imu sensor yaml file\nsensor_type: imu\ncomment: VI-Sensor IMU (ADIS16448)\n"
        + Fixture.imuYAML)
    let rows = [
      "1403636579758555392,-0.099,0.147,0.027,8.147,-0.375,-2.4", "1403636579763555584,-0.1,0.1,0.02,8.1,-0.3,-2",
    ]
    try fixture.write(Fixture.imu, (([Fixture.imuHeader] + rows).map { $0 + "\r\n" }).joined())
    try fixture.write(Fixture.cameraCalibration, Self.eurocCamera)
    try fixture.write(
      "mav0/cam0/data.csv", "#timestamp [ns],filename\r\n1403636579763555584,1403636579763555584.png\r\n")
    try fixture.write("mav0/cam0/data/1403636579763555584.png", "")
    try fixture.write("mav0/leica0/data.csv", "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m]\n1,1,2,3\n")
    try fixture.write(
      "mav0/state_groundtruth_estimate0/data.csv",
      Self.eurocTruthHeader
        + "\n1403636580838555648,4.688319,-1.786938,0.783338,0.534108,-0.153029,-0.827383,-0.082152,"
        + "-0.027876,0.033207,0.800006,-0.003172,0.021267,0.078502,-0.025266,0.136696,0.075593\n")
    return fixture
  }

  @Test func eurocLoadsUnchanged() throws {
    let fixture = try euroc()
    let recording = try fixture.open(ReadingOptions(needsTrajectory: false))
    #expect(!recording.warnings.contains { $0.contains("not known") })
    #expect(recording.rig.imu?.rate == 200)
    let truth = try #require(try recording.groundTruthStates())
    let state = try #require(try truth.next())
    #expect(state.timestamp.nanoseconds == 1_403_636_580_838_555_648)
    #expect(state.worldFromBody.translation == Vector3(4.688319, -1.786938, 0.783338))
    #expect(state.velocity == Vector3(-0.027876, 0.033207, 0.800006))
    #expect(state.gyroscopeBias == Vector3(-0.003172, 0.021267, 0.078502))
    #expect(state.accelerometerBias == Vector3(-0.025266, 0.136696, 0.075593))
    let error = try #require(throws: DatasetError.self) { try fixture.open() }
    #expect(error.found.contains("images without tracks"))

    try fixture.write(Fixture.features, Fixture.featureHeader + "\n1403636579763555584,1,2.5,3\n")
    let reading = try fixture.read()
    #expect(reading.imu.count == 2 && reading.frames.count == 1)
    let camera = try fixture.open().rig.cameras[0]
    #expect(camera.width == 752 && camera.cy == 248.375)
    #expect((camera.bodyFromCamera * .zero - Vector3(-0.0216401454975, -0.064676986768, 0.00981073058949)).norm < 1e-12)
  }

  @Test func viconStandsInForAMissingTruth() throws {
    let fixture = try euroc()
    try fixture.remove("mav0/state_groundtruth_estimate0")
    #expect(
      try fixture.open(ReadingOptions(needsTrajectory: false)).groundTruthStates() == nil, "leica has no attitude")
    try fixture.write("mav0/vicon0/data.csv", Fixture.poseHeader + "\n5,1,2,3,1,0,0,0\n")
    try fixture.write("mav0/vicon0/sensor.yaml", "T_BS: [1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n")
    let state = try fixture.open(ReadingOptions(needsTrajectory: false)).groundTruthStates()?.next()
    #expect(state?.worldFromBody.translation == Vector3(0.9, 2, 3), "the body, not the marker")
    withExtendedLifetime(fixture) {}
  }

  @Test(
    arguments: ["dso/camchain.yaml", "camchain-imucam-recording.yaml", "mav0/calib.yaml"],
    ["dso/imu_config.yaml", "imu.yaml"])
  func tumLoadsWithKalibrsFiles(chain: String, noise: String) throws {
    let fixture = try Fixture()
    try fixture.remove(Fixture.imuCalibration)
    try fixture.remove(Fixture.cameraCalibration)
    try fixture.write(chain, Self.chain)
    try fixture.write(
      noise,
      "#Accelerometers\naccelerometer_noise_density: 0.0028\naccelerometer_random_walk:   0.00086\n"
        + "#Gyroscopes\ngyroscope_noise_density: 0.00016\ngyroscope_random_walk: 2.2e-05\nrostopic: /imu0\nupdate_rate: 200.0\n"
    )
    try fixture.write(
      "mav0/mocap0/data.csv",
      Fixture.poseHeader.replacingOccurrences(of: ",", with: ", ") + "\n1520530308199447626,0.5,0.6,0.7,0,1,0,0\n")
    let recording = try fixture.open()
    #expect(recording.warnings == [])
    #expect(
      recording.rig.imu
        == IMUCalibration(
          gyroscopeNoiseDensity: 0.00016, gyroscopeRandomWalk: 2.2e-05, accelerometerNoiseDensity: 0.0028,
          accelerometerRandomWalk: 0.00086, rate: 200))
    let camera = recording.rig.cameras[0]
    #expect(camera.timeOffset == 0.002 && camera.width == 512)
    #expect(
      camera.distortion
        == .equidistant(
          k1: 0.0034823894022493434, k2: 0.0007150348452162257, k3: -0.0020532361418706202, k4: 0.00020293673591811182))
    let imuPoint = Vector3(1, 2, 3)
    let cameraPoint = Vector3(-2 + 0.1, 1 + 0.2, 3 + 0.3)
    #expect((camera.bodyFromCamera * cameraPoint - imuPoint).norm < 1e-12)
    #expect(try recording.groundTruthStates()?.next()?.worldFromBody.rotation == Rotation(w: 0, x: 1, y: 0, z: 0))
    #expect(try fixture.read().frames.count == 200)
    let paths = try InputDigest(recording).inputs.map(\.path)
    #expect(paths.contains(chain) && paths.contains(noise))
    withExtendedLifetime(fixture) {}
  }

  @Test func aChainWithoutTheIMUIsNoCalibration() throws {
    let fixture = try Fixture()
    try fixture.remove(Fixture.cameraCalibration)
    try fixture.write("camchain.yaml", Self.chain.replacingOccurrences(of: "T_cam_imu", with: "T_cn_cnm1"))
    let error = try #require(throws: DatasetError.self) { try fixture.open() }
    #expect(error.file == fixture.path("camchain.yaml") && error.found.contains("no T_cam_imu"))
  }
}
