import Datasets
import Foundation
import Geometry
import Importing
import SensorData
import TestSupport
import Testing

/// Calibrations as tools write and name them, onto recordings with one camera, two, or none yet.
@Suite struct ForeignCalibrationTests {
  /// A recording of tracks: an inertial unit and the cameras asked for, without calibrations of the cameras.
  static func recording(_ folder: Folder, cameras: Int = 1, place: String? = nil) throws {
    try folder.write(
      "mav0/imu0/data.csv",
      "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],"
        + "a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n"
        + (0..<200).map { "\($0 * 5_000_000),0,0,0,0,0,9.81\n" }.joined())
    try folder.write(
      "mav0/imu0/sensor.yaml",
      "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\ngyroscope_noise_density: 0.001\n"
        + "gyroscope_random_walk: 0.0001\naccelerometer_noise_density: 0.01\naccelerometer_random_walk: 0.001\n")
    for camera in 0..<cameras {
      try folder.write(
        "mav0/cam\(camera)/features.csv",
        "#timestamp [ns],feature_id [],u [px],v [px]\n" + (0..<20).map { "\($0 * 50_000_000),1,300,200\n" }.joined())
    }
    if let place { try folder.write("mav0/cam0/sensor.yaml", place) }
  }

  private static func kalibrCamera(_ transform: String, width: Int = 640, topic: String) -> String {
    "  \(transform)\n  cam_overlaps: [1]\n  camera_model: pinhole\n  distortion_coeffs: [0.1, 0.02, 0.001, 0.002]\n"
      + "  distortion_model: radtan\n  intrinsics: [400.0, 401.0, \(width / 2), 240.0]\n"
      + "  resolution: [\(width), 480]\n  rostopic: \(topic)\n  timeshift_cam_imu: 0.003\n"
  }

  private static func placed(_ x: Double) -> String {
    "T_cam_imu: [[1, 0, 0, \(x)], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"
  }

  private static let noise =
    "imu0:\n  T_i_b: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]\n  accelerometer_noise_density: 0.002\n"
    + "  accelerometer_random_walk: 0.0005\n  gyroscope_noise_density: 0.0002\n  gyroscope_random_walk: 2.0e-05\n"
    + "  model: calibrated\n  rostopic: /imu0\n  time_offset: 0.0\n  update_rate: 200.0\n"

  // MARK: - Kalibr's names

  @Test(arguments: [
    ("walk-camchain-imucam.yaml", "walk-imu.yaml"), ("camchain-imucam-walk.yaml", "imu-walk.yaml"),
    ("my rig.yml", "adis16448.yaml"), ("results_camchain.YAML", "IMU.yml"),
  ]) func filesAreFoundByWhatTheyHold(chain: String, noise: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write(chain, "cam0:\n" + Self.kalibrCamera(Self.placed(-0.2), topic: "/cam0"))
    try source.write(noise, Self.noise)
    // Beside them: the chain of the cameras alone, of an earlier step, and what is neither.
    try source.write("a-camchain.yaml", "cam0:\n" + Self.kalibrCamera("cam_overlaps_: []", topic: "/cam0"))
    try source.write("april_6x6.yaml", "target_type: 'aprilgrid'\ntagCols: 6\n")
    try source.write("map.yaml", "imu0:\n  topic: /imu\n  gyroscope_noise_density: 9\n")
    try Self.recording(output)
    #expect(ImportKind.guess(source.url.path)?.kind == .kalibr)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    #expect(!report.hasFault && report.next == ImportReport.run, "\(report.findings) \(report.next)")
    let rig = try Recording.open(output.url).rig
    #expect(rig.imu?.gyroscopeNoiseDensity == 0.0002 && rig.cameras.count == 1)
    #expect((rig.cameras[0].bodyFromCamera.translation - Vector3(0.2, 0, 0)).norm < 1e-12)
  }

  // MARK: - Several cameras

  private static func stereo(_ source: Folder, secondWidth: Int = 640) throws {
    try source.write(
      "camchain.yaml",
      "cam0:\n" + kalibrCamera(placed(-0.1), topic: "/rig/infra1/image_rect_raw") + "cam1:\n"
        + kalibrCamera(placed(-0.3), width: secondWidth, topic: "/rig/infra2/image_rect_raw"))
  }

  /// The second camera is not described where the recording has one: a run would look for its tracks.
  @Test func aChainOfTwoGoesOntoARecordingOfOne() throws {
    let (source, output) = (try Folder(), try Folder())
    try Self.stereo(source)
    try Self.recording(output)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    #expect(report.findings.map(\.code) == ["cameraChoice", "noRanges"].filter { $0 == "cameraChoice" })
    #expect(report.next == ImportReport.run && Recording.obstacle(toRun: output.url.path) == nil)
    #expect(try Recording.open(output.url).rig.cameras.map(\.bodyFromCamera.translation.x) == [0.1])
    let other = try Importer.run(
      .kalibr, source: source.url.path, output: output.url.path, options: .init(camera: "cam1"))
    #expect(other.findings.isEmpty)
    #expect(try Recording.open(output.url).rig.cameras.map(\.bodyFromCamera.translation.x) == [0.3])
    #expect(throws: DatasetError.self) {
      try Importer.run(.kalibr, source: source.url.path, output: output.url.path, options: .init(camera: "cam2"))
    }
  }

  /// A bag's import says which topic cam0 was.
  @Test func theTopicTellsTheCamera() throws {
    let (source, output) = (try Folder(), try Folder())
    try Self.stereo(source)
    try Self.recording(output)
    try output.write(
      "import.json",
      #"{"kind": "ros", "source": "walk.bag", "topics": {"cam0": "/rig/infra2/image_rect_raw/compressed"}}"#)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    #expect(report.findings.isEmpty && report.decisions.contains { $0.contains("cam0 is the source's cam1") })
    #expect(try Recording.open(output.url).rig.cameras.map(\.bodyFromCamera.translation.x) == [0.3])
  }

  /// A recording of two and a calibration of one: the run's refusal is foreseen, with what to do.
  @Test func aChainOfOneOntoARecordingOfTwo() throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("camchain.yaml", "cam0:\n" + Self.kalibrCamera(Self.placed(-0.2), topic: "/cam0"))
    try Self.recording(output, cameras: 2)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    let finding = try #require(report.findings.first { $0.code == "noCalibration" })
    #expect(finding.sentence.contains("cam1") && finding.remedy.contains("remove mav0/cam1"))
    #expect(report.next != ImportReport.run && Recording.obstacle(toRun: output.url.path) != nil)
  }

  @Test func beforeTheRecordingNothingIsPromised() throws {
    let (source, output) = (try Folder(), try Folder())
    try Self.stereo(source)
    let report = try Importer.run(.kalibr, source: source.url.path, output: output.url.path)
    #expect(!report.hasFault && report.next.hasPrefix("import the recording into <folder>"))
  }

  // MARK: - Other tools' calibrations

  static let foreign: [(name: String, text: String, lens: CameraCalibration.Distortion, focal: Double, placed: Bool)] =
    [
      (
        "opencv.yml",
        "%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n"
          + "   dt: d\n   data: [ 420., 0., 321., 0., 421., 238., 0., 0., 1. ]\ndistortion_coefficients: !!opencv-matrix\n"
          + "   rows: 5\n   cols: 1\n   dt: d\n   data: [ -0.05, 0.02, 0.0002, -0.0001, 0.01 ]\n",
        .rational(k1: -0.05, k2: 0.02, p1: 0.0002, p2: -0.0001, k3: 0.01), 420, false
      ),
      (
        "own.yaml",
        "image_size: [640, 480]\nK: [[420, 0, 321], [0, 421, 238], [0, 0, 1]]\nD: [[-0.05, 0.02, 0.0, 0.0]]\n",
        .radialTangential(k1: -0.05, k2: 0.02, p1: 0, p2: 0), 420, false
      ),
      (
        "fisheye.yaml",
        "%YAML:1.0\nimage_Width: 640\nimage_Height: 480\nfisheye_model: 1\nCamera_Matrix: !!opencv-matrix\n   rows: 3\n"
          + "   cols: 3\n   dt: d\n   data: [ 420., 0., 321., 0., 421., 238., 0., 0., 1. ]\nDistortion_Coefficients: "
          + "!!opencv-matrix\n   rows: 4\n   cols: 1\n   dt: d\n   data: [ 0.1, 0.02, 0.003, 0.0004 ]\n",
        .equidistant(k1: 0.1, k2: 0.02, k3: 0.003, k4: 0.0004), 420, false
      ),
      (
        "ost.yaml",
        "image_width: 640\nimage_height: 480\ncamera_name: left\ncamera_matrix:\n  rows: 3\n  cols: 3\n"
          + "  data: [420., 0., 321., 0., 421., 238., 0., 0., 1.]\ndistortion_model: rational_polynomial\n"
          + "distortion_coefficients:\n  rows: 1\n  cols: 8\n  data: [1, 2, 3, 4, 5, 6, 7, 8]\n"
          + "rectification_matrix:\n  rows: 3\n  cols: 3\n  data: [1., 0., 0., 0., 1., 0., 0., 0., 1.]\n",
        .rational(k1: 1, k2: 2, p1: 3, p2: 4, k3: 5, k4: 6, k5: 7, k6: 8), 420, false
      ),
      (
        "cam.json",
        #"{"width": 640, "height": 480, "camera_matrix": [[420,0,321],[0,421,238],[0,0,1]], "dist": [0,0,0,0,0]}"#,
        .none, 420, false
      ),
      (
        "mei.yaml",
        "%YAML:1.0\n---\nmodel_type: MEI\ncamera_name: c\nimage_width: 640\nimage_height: 480\nmirror_parameters:\n   xi: 1.2\n"
          + "distortion_parameters:\n   k1: -0.05\n   k2: 0.02\n   p1: 0.0002\n   p2: -0.0001\nprojection_parameters:\n"
          + "   gamma1: 850.\n   gamma2: 851.\n   u0: 321.3\n   v0: 238.6\n",
        .omni(xi: 1.2, k1: -0.05, k2: 0.02, p1: 0.0002, p2: -0.0001), 850, false
      ),
      (
        "kb.yaml",
        "%YAML:1.0\nmodel_type: KANNALA_BRANDT\ncamera_name: c\nimage_width: 640\nimage_height: 480\nprojection_parameters:\n"
          + "   k2: 0.1\n   k3: 0.2\n   k4: 0.3\n   k5: 0.4\n   mu: 300\n   mv: 301\n   u0: 321\n   v0: 238\n",
        .equidistant(k1: 0.1, k2: 0.2, k3: 0.3, k4: 0.4), 300, false
      ),
      (
        "vins_mono.yaml",
        "%YAML:1.0\nimage_topic: /cam\nmodel_type: PINHOLE\ncamera_name: c\nimage_width: 640\nimage_height: 480\n"
          + "distortion_parameters:\n   k1: -0.05\n   k2: 0.02\n   p1: 0.0002\n   p2: -0.0001\nprojection_parameters:\n"
          + "   fx: 420\n   fy: 421\n   cx: 321\n   cy: 238\nextrinsicRotation: !!opencv-matrix\n   rows: 3\n   cols: 3\n"
          + "   dt: d\n   data: [0, -1, 0, 1, 0, 0, 0, 0, 1]\nextrinsicTranslation: !!opencv-matrix\n   rows: 3\n   cols: 1\n"
          + "   dt: d\n   data: [0.02, 0.06, 0]\nacc_n: 0.1\ntd: 0.01\n",
        .radialTangential(k1: -0.05, k2: 0.02, p1: 0.0002, p2: -0.0001), 420, true
      ),
      (
        "calibration.json",
        #"{"value0":{"T_imu_cam":[{"px":0.02,"py":0.06,"pz":0,"qx":1,"qy":0,"qz":0,"qw":0}],"intrinsics":[{"camera_type":"#
          + #""ds","intrinsics":{"fx":340,"fy":341,"cx":321,"cy":238,"xi":-0.2,"alpha":0.6}}],"resolution":[[640,480]]}}"#,
        .doubleSphere(xi: -0.2, alpha: 0.6), 340, true
      ),
      (
        "basalt-kb4.json",
        #"{"value0":{"T_imu_cam":[{"px":0.02,"py":0.06,"pz":0,"qx":1,"qy":0,"qz":0,"qw":0}],"intrinsics":[{"camera_type":"#
          + #""kb4","intrinsics":{"fx":340,"fy":341,"cx":321,"cy":238,"k1":1,"k2":2,"k3":3,"k4":4}}],"resolution":[[640,480]],"#
          + #""cam_time_offset_ns":10000000,"imu_update_rate":200,"accel_noise_std":[0.02,0.016,0.016],"#
          + #""gyro_noise_std":[0.0003,0.0003,0.0003],"accel_bias_std":[0.001,0.001,0.001],"gyro_bias_std":[0.0001,0.0001,0.0001]}}"#,
        .equidistant(k1: 1, k2: 2, k3: 3, k4: 4), 340, true
      ),
    ]

  @Test(arguments: foreign.indices) func otherToolsCalibrationsAreRead(_ index: Int) throws {
    let sample = Self.foreign[index]
    let (source, output) = (try Folder(), try Folder())
    try source.write(sample.name, sample.text)
    try Self.recording(output)
    #expect(ImportKind.guess(source.path(sample.name))?.kind == .calibration)
    let report = try Importer.run(.calibration, source: source.path(sample.name), output: output.url.path)
    #expect(!report.hasFault, "\(report.findings)")
    if !sample.placed {
      // Where the camera is was not said: nothing is assumed, and a run refuses.
      #expect(report.findings.map(\.code) == ["noCameraPlace"] && report.next != ImportReport.run)
      #expect(Recording.obstacle(toRun: output.url.path)?.found == "no key T_BS")
      try source.write(
        "map.yaml",
        "cam0:\n  T_BS: [1, 0, 0, 0.02, 0, -1, 0, 0.06, 0, 0, -1, 0, 0, 0, 0, 1]\n  time_offset_cam_to_imu_s: 0.01\n")
      _ = try Importer.run(
        .calibration, source: source.path(sample.name), output: output.url.path,
        options: .init(map: source.path("map.yaml")))
    }
    let camera = try Recording.open(output.url).rig.cameras[0]
    #expect(camera.distortion == sample.lens && camera.fx == sample.focal && camera.width == 640)
    #expect((camera.bodyFromCamera.translation - Vector3(0.02, 0.06, 0)).norm < 1e-12)
    #expect(sample.name == "calibration.json" || camera.timeOffset == 0.01)
    // A lens alone over a calibration that is there: its place stays.
    guard !sample.placed else { return }
    let again = try Importer.run(.calibration, source: source.path(sample.name), output: output.url.path)
    #expect(again.next == ImportReport.run)
    #expect(try Recording.open(output.url).rig.cameras[0].bodyFromCamera == camera.bodyFromCamera)
  }

  @Test func vinsFusionNamesItsCamerasFiles() throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write("cam0_mei.yaml", Self.foreign.first { $0.name == "mei.yaml" }!.text)
    try source.write(
      "euroc.yaml",
      "%YAML:1.0\nimu: 1\nnum_of_cam: 1\nimu_topic: \"/imu0\"\nimage0_topic: \"/cam0\"\ncam0_calib: \"cam0_mei.yaml\"\n"
        + "body_T_cam0: !!opencv-matrix\n   rows: 4\n   cols: 4\n   dt: d\n"
        + "   data: [0, -1, 0, 0.02, 1, 0, 0, 0.06, 0, 0, 1, 0, 0, 0, 0, 1]\ntd: -0.002\n")
    try Self.recording(output)
    let report = try Importer.run(.calibration, source: source.url.path, output: output.url.path)
    #expect(report.next == ImportReport.run, "\(report.findings)")
    let camera = try Recording.open(output.url).rig.cameras[0]
    #expect(camera.timeOffset == -0.002 && camera.bodyFromCamera.translation == Vector3(0.02, 0.06, 0))
  }

  @Test(arguments: [
    ("mei.yaml", "MEI", "SCARAMUZZA", "model_type: SCARAMUZZA", "PINHOLE, MEI"),
    ("mei.yaml", "   gamma2: 851.\n", "", "no key gamma2", "a number"),
    ("opencv.yml", "image_width: 640\n", "", "no image_width", "columns and rows"),
    ("opencv.yml", "420., 0., 321.", "-420., 0., 321.", "fx, fy, cx, cy", "above 0"),
    ("opencv.yml", "-0.05, 0.02, 0.0002, -0.0001, 0.01", "-0.05, 0.02", "2 distortion coefficients", "4, 5 or 8"),
    ("ost.yaml", "rational_polynomial", "wobbly", "distortion_model: wobbly", "plumb_bob"),
    ("calibration.json", #""ds""#, #""cylinder""#, "camera_type: cylinder", "kb4"),
    ("calibration.json", "[[640,480]]", "[]", "0 numbers for 1 cameras", "[width, height]"),
    ("calibration.json", #""qx":1"#, #""qx":2"#, "a quaternion", "length 1"),
  ]) func brokenOnesAreRefused(name: String, old: String, new: String, found: String, remedy: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try source.write(name, Self.foreign.first { $0.name == name }!.text)
    try source.replace(name, old, new)
    let error = try #require(throws: DatasetError.self) {
      try Importer.run(.calibration, source: source.path(name), output: output.url.path)
    }
    #expect(error.file == source.path(name) && error.line != nil, "\(error)")
    #expect(error.found.contains(found) && error.expected.contains(remedy), "\(error)")
    #expect(try output.contents().isEmpty)
  }

  // MARK: - Cases

  private static let cases = SharedData.root.map { $0.appendingPathComponent("cases").path } ?? ""

  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message))) func theCasesHaveTheRightAnswer() throws
  {
    let output = try Folder()
    try Self.recording(output)
    let named = try Importer.run(.kalibr, source: Self.cases + "/kalibr-current-names", output: output.url.path)
    #expect(named.next == ImportReport.run && !named.hasFault, "\(named.findings)")
    #expect(try Recording.open(output.url).rig.imu?.gyroscopeNoiseDensity == 0.0002)
    let stereo = try Importer.run(.kalibr, source: Self.cases + "/stereo-chain-mono-data", output: output.url.path)
    #expect(stereo.next == ImportReport.run && stereo.findings.map(\.code) == ["cameraChoice"])
    #expect(try Recording.open(output.url).rig.cameras.count == 1)
    for (name, placed) in [
      ("calibration.json", true), ("cam0_mei.yaml", false), ("opencv.yaml", false), ("ost.yaml", false),
    ] {
      let path = Self.cases + "/foreign-camera-yaml/" + name
      let fresh = try Folder()
      try Self.recording(fresh)
      #expect(ImportKind.guess(path)?.kind == .calibration)
      let report = try Importer.run(.calibration, source: path, output: fresh.url.path)
      #expect((report.next == ImportReport.run) == placed && !report.hasFault, "\(name): \(report.next)")
    }
  }

  /// A calibration of another lens is the lens: no gyroscope errs by such factors, and an accelerometer seen through the lens says nothing.
  @Test(arguments: [
    "camera_matrix: [[300, 0, 321], [0, 300, 238], [0, 0, 1]]\ndistortion_model: radtan\ndistortion_coeffs: [-0.05, 0.02, 0, 0]\n",
    "camera_matrix: [[300, 0, 321], [0, 300, 238], [0, 0, 1]]\ndistortion_model: equidistant\ndistortion_coeffs: [0.02, 0, 0, 0]\n",
    "{\"value0\":{\"intrinsics\":[{\"camera_type\":\"ds\",\"intrinsics\":{\"fx\":340,\"fy\":341,\"cx\":321,\"cy\":238,\"xi\":-0.2,"
      + "\"alpha\":0.6}}],\"resolution\":[[640,480]]}}",
  ]) func anotherLensIsNoGyroscope(text: String) throws {
    let (source, output) = (try Folder(), try Folder())
    let name = text.hasPrefix("{") ? "calibration.json" : "camera.yaml"
    try source.write(name, text.hasPrefix("{") ? text : "image_width: 640\nimage_height: 480\n" + text)
    let folder = output.path("demo")
    try FileManager.default.copyItem(
      at: Repository.root.appendingPathComponent("datasets/demo"), to: URL(fileURLWithPath: folder))
    let report = try Importer.run(.calibration, source: source.path(name), output: folder)
    let faults = report.findings.filter { $0.weight == .fault }.map(\.code)
    #expect(faults == ["cameraIntrinsics"], "\(report.findings)")
  }

  /// OpenCV's XML is what its YAML is.
  @Test func openCVsXMLIsItsYAML() throws {
    let values = ["500.5", "0.", "320.", "0.", "501.", "240.", "0.", "0.", "1."], bending = "-0.1 0.02 1e-3 2e-3 0."
    let (yaml, xml) = (try Folder(), try Folder())
    try yaml.write(
      "opencv.yaml",
      "%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\ncamera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n"
        + "   dt: d\n   data: [ \(values.joined(separator: ", ")) ]\ndistortion_coefficients: !!opencv-matrix\n   rows: 5\n"
        + "   cols: 1\n   dt: d\n   data: [ \(bending.split(separator: " ").joined(separator: ", ")) ]\n")
    try xml.write(
      "opencv.xml",
      "<?xml version=\"1.0\"?>\n<opencv_storage>\n<image_width>640</image_width>\n<image_height>480</image_height>\n"
        + "<camera_matrix type_id=\"opencv-matrix\">\n  <rows>3</rows>\n  <cols>3</cols>\n  <dt>d</dt>\n  <data>\n    "
        + values.joined(separator: " ")
        + "</data></camera_matrix>\n<distortion_coefficients type_id=\"opencv-matrix\">\n"
        + "  <rows>5</rows>\n  <cols>1</cols>\n  <dt>d</dt>\n  <data>\n    \(bending)</data></distortion_coefficients>\n"
        + "</opencv_storage>\n")
    var texts: [String] = []
    for source in [yaml, xml] {
      let output = try Folder()
      try Self.recording(output, place: "T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n")
      #expect(ImportKind.guess(source.url.path)?.kind == .calibration)
      _ = try Importer.run(.calibration, source: source.url.path, output: output.url.path)
      texts.append(try output.text("mav0/cam0/sensor.yaml"))
    }
    #expect(texts[0] == texts[1] && texts[0].contains("500.5"))
  }
}
