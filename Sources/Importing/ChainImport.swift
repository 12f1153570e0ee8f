import Datasets
import Foundation
import Geometry
import SensorData

/// Calibrations of Kalibr, or a configuration of OpenVINS or UVIO, into a folder that has the data, or will.
struct ChainImport {
  private let source: String
  private let isOpenVINS: Bool
  private var report: ImportReport

  init(source: String, isOpenVINS: Bool, report: ImportReport) {
    (self.source, self.isOpenVINS, self.report) = (source, isOpenVINS, report)
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
    let (chain, noise, anchors) = try files()
    // An inertial unit that is described there already keeps its place on the body, and without a file of noise all.
    let described = "\(output)/mav0/imu0/sensor.yaml"
    let bodyFromIMU = RegularFile.exists(described) ? try CalibrationFile(path: described).pose("T_BS") : nil
    var imu: IMUCalibration?
    if let noise {
      imu = try Kalibr.imu(RecordingFile(path: noise, relativePath: noise))
      report.decide("imu0's noise is that of \(Self.name(noise))")
    } else if RegularFile.exists(described) {
      report.decide("the source has no noise of the inertial unit: imu0/sensor.yaml stays as it is")
    } else {
      imu = try PhoneUnits.inertial(nil, &report)
    }
    imu?.bodyFromIMU = bodyFromIMU ?? .identity
    if bodyFromIMU == nil { report.decide("imu0 is the body") }
    let cameras =
      try chain.map { path throws(DatasetError) in
        try CameraChain.cameras(path, bodyFromIMU: bodyFromIMU ?? .identity)
      } ?? []
    if let chain {
      report.decide(
        isOpenVINS
          ? "\(Self.name(chain)): T_imu_cam takes the camera's axes to the inertial unit's; T_BS as it is"
          : "\(Self.name(chain)): T_cam_imu takes the inertial unit's axes to the camera's; T_BS is its inverse")
    }
    for (number, camera) in cameras.enumerated() {
      report.figures["cam\(number) lever arm [m]"] = camera.bodyFromCamera.translation.norm
      report.figures["cam\(number) time offset [s]"] = camera.timeOffset
      if camera.bodyFromCamera.translation.norm > 1 {
        report.find(
          "cameraMount", .fault,
          "cam\(number) is \(Figures.fixed(camera.bodyFromCamera.translation.norm, 2)) m from imu0",
          evidence: "the translation of its T_BS", remedy: "check the transform: metres, and not its inverse")
      }
    }
    let rig = RigCalibration(imu: imu, cameras: cameras)
    try DatasetStreamWriter.writeCalibrations(
      DatasetContents(
        title: "calibrated by \(Self.name(source))", source: report.source, licence: "not stated", note: "", rig: rig,
        events: [], truth: [], peers: []), to: folder, keepsDescription: true)
    report.count("cameras", cameras.count)
    if let anchors { try readAnchors(anchors, folder, &report) }
    return report
  }

  private static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

  private func files() throws(DatasetError) -> (chain: String?, noise: String?, anchors: String?) {
    if !RegularFile.isFolder(source) {
      let keys = try CalibrationFile(path: source).keys
      if keys.contains("cam0") { return (source, nil, nil) }
      return (nil, source, nil)
    }
    let chain =
      isOpenVINS
      ? Kalibr.find(source, exact: "kalibr_imucam_chain.yaml", prefixes: ["kalibr_imucam_chain"])
      : Kalibr.cameraChain(in: source)
    let noise =
      isOpenVINS
      ? Kalibr.find(source, exact: "kalibr_imu_chain.yaml", prefixes: ["kalibr_imu_chain"])
      : Kalibr.imuNoise(in: source)
    let anchors = "\(source)/uwb_anchors.yaml"
    guard chain != nil || noise != nil else {
      throw DatasetError(
        file: source,
        found: isOpenVINS ? "no kalibr_imucam_chain.yaml, no kalibr_imu_chain.yaml" : "no camchain*.yaml, no imu*.yaml",
        expected: (isOpenVINS ? ImportKind.openvins : .kalibr).summary)
    }
    return (chain?.path, noise?.path, RegularFile.exists(anchors) ? anchors : nil)
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
