import Geometry
import JSONText
import SensorData
import Yams

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

extension RigCalibration {
  /// Text values among the keys of `sensor.yaml`; all others are numbers or lists of them.
  private static let textKeys: Set<String> = [
    "sensor_type", "comment", "camera_model", "distortion_model", "feature_ids", "title", "source", "licence",
    "license",
    "note", "image_stamps", "mobility",
  ]

  /// The rig in the first line of a stream: the keys of each `sensor.yaml`, by sensor, and of `dataset.yaml`.
  ///
  /// - Parameters:
  ///   - source: what the rig is from, for messages.
  ///   - line: its line.
  /// - Throws: `DatasetError` for a missing or wrong value, and for a number written as a text.
  package init(_ rig: JSONValue, source: String, line: Int, warnings: inout [String]) throws(DatasetError) {
    guard case .object(let sensors) = rig else {
      throw DatasetError(
        file: source, line: line, found: "rig is no object", expected: "the calibration of each sensor")
    }
    let root = CalibrationFile(path: "\(source):\(line): rig", mapping: Self.mapping(sensors), line: nil)
    warnings += try root.check(known: ["imu0", "cam0", "cam1", "uwb0", "odometry0", "dataset"])
    func sensor(_ name: String) throws(DatasetError) -> CalibrationFile? {
      guard let value = rig[name], value != .null else { return nil }
      return try Self.section(value, "rig.\(name)", source, line)
    }
    let imu = try sensor("imu0").map { file throws(DatasetError) in
      try SensorCalibrations.imu(file, warnings: &warnings)
    }
    var cameras: [CameraCalibration] = []
    for number in 0...1 {
      guard let file = try sensor("cam\(number)") else { continue }
      guard cameras.count == number else {
        throw DatasetError(file: source, line: line, found: "rig.cam1 without rig.cam0", expected: "cam0 first")
      }
      cameras.append(try SensorCalibrations.camera(file, number: number, warnings: &warnings))
    }
    let radio = try sensor("uwb0").map { file throws(DatasetError) in
      try SensorCalibrations.radio(file, warnings: &warnings)
    }
    let odometry = try sensor("odometry0").map { file throws(DatasetError) in
      try SensorCalibrations.odometry(file, warnings: &warnings)
    }
    var bodyFromDevice: Pose?
    if let file = try sensor("dataset") {
      warnings += try file.check(
        known: ["title", "source", "licence", "license", "note", "device_T_BS", "device_q_BS", "image_stamps"])
      bodyFromDevice = try file.pose("device_T_BS")
    }
    self.init(imu: imu, cameras: cameras, radio: radio, odometry: odometry, bodyFromDevice: bodyFromDevice)
  }

  private static func section(
    _ value: JSONValue, _ name: String, _ source: String, _ line: Int
  ) throws(DatasetError) -> CalibrationFile {
    guard case .object(let members) = value else {
      throw DatasetError(file: source, line: line, found: "\(name) is no object", expected: "keys of sensor.yaml")
    }
    for member in members where !textKeys.contains(member.key) {
      if let text = member.value.firstText {
        throw DatasetError(
          file: source, line: line, found: "\(name).\(member.key): the text \"\(text.prefix(40))\"",
          expected: "a number")
      }
    }
    return CalibrationFile(
      path: "\(source):\(line): \(name)", mapping: mapping(members), line: nil)
  }
}

extension RigCalibration {
  /// Members as YAML; null is as good as absent.
  fileprivate static func mapping(_ members: [JSONValue.Member]) -> Node.Mapping {
    Node.Mapping(members.filter { $0.value != .null }.map { (Node($0.key), $0.value.node) })
  }
}

extension JSONValue {
  /// The first text at or below this value; nil where all are numbers.
  fileprivate var firstText: String? {
    switch self {
    case .string(let text): text
    case .array(let elements): elements.lazy.compactMap(\.firstText).first
    case .object(let members): members.lazy.compactMap(\.value.firstText).first
    default: nil
    }
  }

  /// The value as YAML.
  fileprivate var node: Node {
    switch self {
    case .null: Node("")
    case .bool(let flag): Node(flag ? "true" : "false")
    case .integer(let whole): Node("\(whole)")
    case .number(let number): Node("\(number)")
    case .string(let text): Node(text)
    case .array(let elements): Node(elements.map(\.node))
    case .object(let members): .mapping(RigCalibration.mapping(members))
    }
  }
}
