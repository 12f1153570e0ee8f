import Geometry
import SensorData

/// Collects a recording's calibration from its `sensor.yaml` files, or from Kalibr's where those are missing.
struct CalibrationLoader {
  let layout: RecordingLayout
  private(set) var warnings: [String] = []
  private(set) var files: [RecordingFile] = []
  /// Meaning of image timestamps.
  private(set) var imageStamps = ImageStamps.middle
  private var bodyFromDevice: Pose?
  /// Whether `dataset.yaml` states the device's axes.
  private(set) var statesDevice = false

  init(layout: RecordingLayout) { self.layout = layout }

  /// `dataset.yaml`.
  mutating func loadDescription() throws(DatasetError) -> Recording.Metadata {
    var metadata = Recording.Metadata()
    guard let entry = layout.file("dataset.yaml") else { return metadata }
    let file = try open(entry)
    warnings += try file.check(known: [
      "title", "source", "licence", "license", "note", "device_T_BS", "device_q_BS", "image_stamps",
    ])
    metadata.title = try file.text("title")
    metadata.source = try file.text("source")
    let american = try file.text("license")
    metadata.licence = try file.text("licence") ?? american
    metadata.note = try file.text("note")
    bodyFromDevice = try file.pose("device_T_BS")
    statesDevice = bodyFromDevice != nil
    if let name = try file.text("image_stamps") {
      guard let stamps = ImageStamps(rawValue: name) else {
        throw file.fault("image_stamps", found: "image_stamps: '\(name)'", expected: "middle, start or end")
      }
      imageStamps = stamps
    }
    return metadata
  }

  /// The rig; call after `loadDescription`.
  mutating func loadRig() throws(DatasetError) -> RigCalibration {
    var imu: IMUCalibration?
    if layout.imu != nil { imu = try loadIMU() }
    var cameras: [CameraCalibration] = []
    for number in 0..<max(layout.cameras.count, layout.images.count) { cameras.append(try loadCamera(number, imu)) }
    // Images are tracked in cam0 and matched in cam1.
    if layout.images.count > 1 { cameras[1].featureIDs = .shared }
    // A camera whose images cannot be used yet still defines the device's axes.
    if cameras.isEmpty, layout.hasImagesOnly, bodyFromDevice == nil, layout.calibration("cam0") != nil {
      bodyFromDevice = RigCalibration(cameras: [try loadCamera(0, imu)]).bodyFromDevice
    }
    var radio: RadioCalibration?
    if layout.radio != nil { radio = try SensorCalibrations.radio(try sensor("uwb0"), warnings: &warnings) }
    var odometry: OdometryCalibration?
    if layout.odometry != nil {
      odometry = try SensorCalibrations.odometry(try sensor("odometry0"), warnings: &warnings)
    }
    return RigCalibration(
      imu: imu, cameras: cameras, radio: radio, odometry: odometry, bodyFromDevice: bodyFromDevice)
  }

  private mutating func loadIMU() throws(DatasetError) -> IMUCalibration {
    if layout.calibration("imu0") == nil, let file = Kalibr.imuNoise(in: layout.root) {
      files.append(file)
      return try Kalibr.imu(file)
    }
    return try SensorCalibrations.imu(try sensor("imu0"), warnings: &warnings)
  }

  private mutating func loadCamera(_ number: Int, _ imu: IMUCalibration?) throws(DatasetError) -> CameraCalibration {
    if layout.calibration("cam\(number)") == nil, let file = Kalibr.cameraChain(in: layout.root) {
      if !files.contains(file) { files.append(file) }
      return try Kalibr.camera(file, number: number, bodyFromIMU: imu?.bodyFromIMU ?? .identity)
    }
    return try SensorCalibrations.camera(try sensor("cam\(number)"), number: number, warnings: &warnings)
  }

  private mutating func sensor(_ name: String) throws(DatasetError) -> CalibrationFile {
    guard let file = layout.calibration(name) else {
      throw DatasetError(
        file: "\(layout.root)/mav0/\(name)/sensor.yaml", found: "no such file", expected: "the calibration of \(name)")
    }
    return try open(file)
  }

  private mutating func open(_ file: RecordingFile) throws(DatasetError) -> CalibrationFile {
    files.append(file)
    return try CalibrationFile(path: file.path)
  }
}
