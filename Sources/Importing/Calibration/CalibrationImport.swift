import Datasets
import Foundation
import Geometry
import SensorData
import Wording

/// Calibrations of Kalibr, OpenVINS or UVIO, or of another camera's calibrator, into a folder that has the data, or will.
struct CalibrationImport {
  private let source: String
  private let kind: ImportKind
  private let map: ImportMap?
  /// The source's camera that the recording's cam0 is; nil: the import finds out.
  private let chosen: Int?
  private var report: ImportReport

  /// - Throws: `DatasetError` for a `camera` that is no name such as cam1.
  init(source: String, kind: ImportKind, map: ImportMap?, camera: String?, report: ImportReport) throws(DatasetError) {
    (self.source, self.kind, self.map, self.report) = (source, kind, map, report)
    chosen = try camera.map { name throws(DatasetError) in
      guard name.hasPrefix("cam"), let number = Int(name.dropFirst(3)), number >= 0 else {
        throw DatasetError(file: source, found: "camera '\(name)'", expected: "cam0, cam1, ... as in the source")
      }
      return number
    }
  }

  /// Writes into `folder`, beside what the folder has already.
  func run(into folder: StagedFolder) throws -> ImportReport {
    let output = folder.path
    guard !UnfinishedMark.exists(in: output) else {
      throw DatasetError(
        file: output, found: "a folder that was not written to its end (\(UnfinishedMark.name))",
        expected: "a whole recording, or a new folder")
    }
    var report = report
    let described = "\(output)/mav0/imu0/sensor.yaml"
    // An inertial unit that is described there already keeps its place on the body, and without a file of noise all.
    let bodyFromIMU = RegularFile.exists(described) ? try CalibrationFile(path: described).pose("T_BS") : nil
    let found = try read(&report)
    var imu = found.imu
    if imu == nil {
      if RegularFile.exists(described) {
        report.decide("the source has no noise of the inertial unit: imu0/sensor.yaml stays as it is")
      } else if kind != .calibration {
        imu = try PhoneUnits.inertial(nil, &report)
      }
    }
    imu?.bodyFromIMU = bodyFromIMU ?? .identity
    if bodyFromIMU == nil, imu != nil { report.decide("imu0 is the body") }
    for sentence in found.decisions { report.decide(sentence) }

    try DatasetStreamWriter.writeCalibrations(
      DatasetContents(
        title: "calibrated by \(Self.name(source))", source: report.source, licence: "not stated", note: "",
        rig: RigCalibration(imu: imu), events: [], truth: [], peers: [], statesDevice: false), to: folder,
      keepsDescription: true)
    let cameras = found.cameras.isEmpty ? [] : try chooseCameras(found.cameras, in: output, &report)
    for (number, camera) in cameras {
      try write(camera, number: number, bodyFromIMU: bodyFromIMU ?? .identity, folder, &report)
    }
    report.count("cameras", cameras.count)
    if kind == .openvins, RegularFile.exists("\(source)/uwb_anchors.yaml") {
      try readAnchors("\(source)/uwb_anchors.yaml", folder, &report)
    }
    return report
  }

  private static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

  // MARK: - Which camera is which

  /// The recording's cameras, by number, with the source's: all of them where the recording has none yet.
  private func chooseCameras(
    _ cameras: [ForeignCalibration.Camera], in output: String, _ report: inout ImportReport
  ) throws -> [(Int, ForeignCalibration.Camera)] {
    func named(_ number: Int) throws(DatasetError) -> ForeignCalibration.Camera {
      guard cameras.indices.contains(number) else {
        throw DatasetError(
          file: source,
          found: "no cam\(number): it has \(cameras.count == 1 ? "one camera" : "\(cameras.count) cameras")",
          expected: (cameras.indices.map { "cam\($0)" }).joined(separator: ", "))
      }
      return cameras[number]
    }
    let present = (0...1).filter { number in
      ["mav0/cam\(number)/data.csv", "mav0/cam\(number)/features.csv", "video/cam\(number).csv"]
        .contains { RegularFile.exists("\(output)/\($0)") }
    }
    if let chosen {
      report.decide("cam0 is the source's cam\(chosen), as asked for")
      return [(0, try named(chosen))]
    }
    if present.isEmpty {
      if cameras.count > 2 { report.decide("the source has \(cameras.count) cameras: cam0 and cam1 are taken") }
      return Array(cameras.prefix(2).enumerated().map { ($0.offset, $0.element) })
    }
    var document = try Importer.written(in: output)
    while let before = document?["before"], before != .null { document = before }
    var result: [(Int, ForeignCalibration.Camera)] = []
    for number in present {
      let name = "cam\(number)"
      let topic = document?["topics"]?[name]?.text
      let size = Recording.imageSize(in: output, camera: number)
      let fits = cameras.indices.filter {
        cameras[$0].lens.width == size?.width && cameras[$0].lens.height == size?.height
      }
      if let topic, let match = cameras.firstIndex(where: { $0.topic.map { Self.isSame($0, topic) } == true }) {
        report.decide("\(name) is the source's cam\(match): both have the topic \(topic)")
        result.append((number, cameras[match]))
      } else if let size, fits.isEmpty {
        throw DatasetError(
          file: source,
          found:
            "calibrations of \(cameras.map { "\($0.lens.width)x\($0.lens.height)" }.joined(separator: " and ")) pixels",
          expected: "\(size.width)x\(size.height) as the images of \(name) have: calibrate at the size of the recording"
        )
      } else if size != nil, fits.count == 1, cameras.count > 1 {
        report.decide("\(name) is the source's cam\(fits[0]): the only one whose image has its size")
        result.append((number, cameras[fits[0]]))
      } else if number < cameras.count {
        result.append((number, cameras[number]))
        guard cameras.count > present.count else { continue }
        let others = cameras.indices.filter { !present.contains($0) }.map { "cam\($0)" }.joined(separator: ", ")
        report.find(
          "cameraChoice", .note,
          "the source has \(cameras.count) cameras, the recording \(present.count): \(name) is taken for \(name)",
          evidence: "image sizes and topics do not tell them apart",
          remedy: "where the recording's camera is another one: --camera \(others)")
      }
    }
    return result
  }

  /// Whether topics are the same but for how an image is packed, and a slash at the beginning.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    func plain(_ topic: String) -> String {
      let parts = topic.split(separator: "/").filter { !["compressed", "image_raw", "image", "raw"].contains($0) }
      return parts.joined(separator: "/")
    }
    return plain(a) == plain(b)
  }

  // MARK: - Writing

  private func write(
    _ camera: ForeignCalibration.Camera, number: Int, bodyFromIMU: Pose, _ folder: StagedFolder,
    _ report: inout ImportReport
  ) throws {
    var lens = camera.lens
    let name = "cam\(number)"
    lens.featureIDs = .separate
    var isPlaced = true
    if let pose = camera.imuFromCamera {
      lens.bodyFromCamera = bodyFromIMU * pose
    } else if let section = try map?.section(name), let pose = try section.file.pose("T_BS") {
      try section.check(["T_BS", "time_offset_cam_to_imu_s"])
      lens.bodyFromCamera = pose
      lens.timeOffset =
        try section.file.number("time_offset_cam_to_imu_s", "seconds, less than 10", in: -10...10) ?? 0
      report.decide("\(name)'s T_BS is the map's")
    } else if let older = try older(name, folder.path) {
      (lens.bodyFromCamera, lens.timeOffset, lens.pixelNoise) = older
      report.decide("\(name)'s T_BS and clock stay: the source has the lens alone")
    } else {
      isPlaced = false
    }
    try DatasetStreamWriter.write(
      lens, isFirst: number == 0, isPlaced: isPlaced, to: folder, name: "mav0/\(name)/sensor.yaml")
    guard isPlaced else { return }
    let arm = lens.bodyFromCamera.translation.norm
    report.figures["\(name) lever arm [m]"] = arm
    report.figures["\(name) time offset [s]"] = lens.timeOffset
    if arm > 1 {
      report.find(
        "cameraMount", .fault, "\(name) is \(Words.fixed(arm, 2)) m from imu0",
        evidence: "the translation of its T_BS",
        remedy: "check the transform: metres, and not its inverse")
    }
  }

  /// What a calibration that is there says beside the lens.
  private func older(_ name: String, _ output: String) throws -> (Pose, Double, Double)? {
    let path = "\(output)/mav0/\(name)/sensor.yaml"
    guard RegularFile.exists(path) else { return nil }
    let file = try CalibrationFile(path: path)
    guard let pose = try file.pose("T_BS") else { return nil }
    return (
      pose, try file.number("time_offset_cam_to_imu_s", "seconds, less than 10", in: -10...10) ?? 0,
      try file.number("pixel_noise_sigma", "pixels above 0", in: 1e-6...1e4) ?? 1
    )
  }

  // MARK: - Reading

  private func read(_ report: inout ImportReport) throws(DatasetError) -> ForeignCalibration {
    if kind == .calibration { return try readForeign() }
    let isOpenVINS = kind == .openvins
    let chains: [RecordingFile], noises: [RecordingFile]
    if RegularFile.isFolder(source) {
      (chains, noises) = (Kalibr.cameraChains(in: source), Kalibr.imuNoises(in: source))
      guard !chains.isEmpty || !noises.isEmpty else {
        throw DatasetError(
          file: source,
          found: isOpenVINS
            ? "no kalibr_imucam_chain.yaml, no kalibr_imu_chain.yaml"
            : "no file with cameras (<bag>-camchain-imucam.yaml), none with the inertial unit's noise (<bag>-imu.yaml)",
          expected: kind.summary)
      }
    } else {
      let file = RecordingFile(path: source, relativePath: source)
      let isChain = try CalibrationFile(path: source).keys.contains("cam0")
      (chains, noises) = (isChain ? [file] : [], isChain ? [] : [file])
    }
    var found = ForeignCalibration()
    if let noise = noises.first {
      found.imu = try Kalibr.imu(noise)
      found.decisions.append("imu0's noise is that of \(Self.name(noise.path))\(Self.beside(noises))")
      let model = try? CalibrationFile(path: noise.path).section("imu0")?.text("model")
      if let model, model != "calibrated" {
        found.decisions.append(
          "its model is \(model): scales and misalignments are not applied, only the noise is read")
      }
    }
    guard let chain = chains.first else { return found }
    for number in try Kalibr.cameras(chain) {
      var lens = try Kalibr.camera(chain, number: number, bodyFromIMU: .identity)
      let pose = lens.bodyFromCamera
      lens.bodyFromCamera = .identity
      found.cameras.append(.init(lens: lens, imuFromCamera: pose, topic: Kalibr.topic(chain, camera: number)))
    }
    let inverse =
      isOpenVINS
      ? "T_imu_cam takes the camera's axes to the inertial unit's; T_BS as it is"
      : "T_cam_imu takes the inertial unit's axes to the camera's; T_BS is its inverse"
    found.decisions.append("\(Self.name(chain.path)): \(inverse)\(Self.beside(chains))")
    return found
  }

  private static func beside(_ files: [RecordingFile]) -> String {
    files.count < 2
      ? "" : " (beside it, not used: \(files.dropFirst().map { name($0.path) }.joined(separator: ", ")))"
  }

  private func readForeign() throws(DatasetError) -> ForeignCalibration {
    var path = source
    if RegularFile.isFolder(source) {
      let files = Self.foreignFiles(in: source)
      // A configuration of VINS names its cameras' files itself.
      if let configuration = files.first(where: { $0.format == .vins }) {
        path = configuration.path
      } else if files.count == 1 {
        path = files[0].path
      } else {
        throw DatasetError(
          file: source,
          found: files.isEmpty
            ? "no calibration of a camera"
            : "\(files.count) calibrations: \(files.map { Self.name($0.path) }.joined(separator: ", "))",
          expected: files.isEmpty ? kind.summary : "one of them: fuse import calibration \(files[0].path) -o <folder>")
      }
    }
    let file = try CalibrationFile(path: path)
    guard let format = ForeignCameraFormat(file) else {
      throw DatasetError(
        file: path, line: 1, found: "keys \(file.keys.prefix(8).joined(separator: ", "))",
        expected:
          "camera_matrix and distortion_coefficients (OpenCV, ROS), model_type (camodocal), cam0_calib (VINS) or "
          + "value0 (Basalt)")
    }
    var found = try format.read(file)
    found.decisions.insert("\(Self.name(path)) is of \(format.rawValue)'s kind", at: 0)
    return found
  }

  /// The files of a folder that are calibrations of cameras by other tools, in order of their names.
  static func foreignFiles(in folder: String) -> [(path: String, format: ForeignCameraFormat)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    return names.compactMap { name in
      guard [".yaml", ".yml", ".json", ".xml"].contains(where: name.lowercased().hasSuffix) else { return nil }
      return ForeignCameraFormat(path: "\(folder)/\(name)").map { ("\(folder)/\(name)", $0) }
    }
  }

  /// UVIO's anchors: positions, and the range model `z = b d + g` of each.
  private func readAnchors(_ path: String, _ folder: StagedFolder, _ report: inout ImportReport) throws {
    let file = try CalibrationFile(path: path)
    var peers: [GroundTruthPeer] = []
    for key in file.keys {
      guard let section = try? file.section(key), section.keys.contains("p_AinG") else { continue }
      let p = try section.numbers("p_AinG", "[x, y, z] in metres") ?? []
      guard p.count == 3 else {
        throw section.fault("p_AinG", found: "p_AinG of \(p.count) numbers", expected: "[x, y, z] in metres")
      }
      let id = try section.text("id") ?? key
      guard !peers.contains(where: { $0.peer == id }) else {
        throw section.fault("id", found: "anchor \(id) a second time", expected: "every anchor once")
      }
      peers.append(
        GroundTruthPeer(timestamp: Timestamp(nanoseconds: 0), peer: id, position: Vector3(p[0], p[1], p[2])))
      let constant = try section.number("const_bias", "metres", in: -100...100) ?? 0
      let scale = try section.number("dist_bias", "a factor near 1", in: 0.1...10) ?? 1
      if constant != 0 || scale != 1 {
        report.figures["anchor \(id) const_bias [m]"] = constant
        report.figures["anchor \(id) dist_bias"] = scale
        report.decide("anchor \(id): z = \(scale) d + \(constant); a run learns both, nothing is taken off")
      }
    }
    guard !peers.isEmpty else {
      throw DatasetError(
        file: path, line: 1, found: "no anchor", expected: "anchors with id, p_AinG, const_bias and dist_bias")
    }
    let writer = DatasetStreamWriter(folder: folder, rangeColumns: [])
    for peer in peers.sorted(by: { $0.peer < $1.peer }) { try writer.add(peer) }
    try writer.finish()
    report.count("anchors", peers.count)
  }
}
