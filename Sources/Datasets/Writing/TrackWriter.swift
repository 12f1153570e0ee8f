import Foundation
import Images
import SensorData

/// Writes the frames of a recording's cameras beside their images, as they come: `features.csv` and `frames.csv`.
///
/// The files appear together at the end (`StagedFolder`). Tracks of a second camera have the ids of the first, which
/// its calibration must state.
package final class TrackWriter {
  private let folder: StagedFolder
  private let rig: RigCalibration
  private let hasArrival: Bool
  private let hasExposure: Bool
  private var tables: [(features: TableText, frames: TableText)] = []
  private var files: [(features: AtomicFile, frames: AtomicFile)] = []
  private static let measures: [(name: String, value: @Sendable (ImageMeasures) -> Double)] = [
    ("dark_share []", { $0.darkShare }), ("saturated_share []", { $0.saturatedShare }),
    ("texture [grey]", { $0.texture }),
    ("sharpness []", { $0.sharpness }), ("noise [grey]", { $0.noise }), ("coverage []", { $0.coverage }),
  ]

  /// A writer for the cameras of a recording whose images are tracked.
  ///
  /// - Throws: `OutputError` for files that cannot be written, `DatasetError` for lists that cannot be read.
  package init(_ recording: Recording) throws {
    folder = try StagedFolder(path: recording.layout.root)
    rig = recording.rig
    hasArrival = try recording.layout.images.contains { camera in
      try RowStream(camera.list, ImageListDecoder(), isStrict: false).table.hasArrival
    }
    hasExposure = recording.layout.images.contains { $0.exposures != nil }
    let exposed = hasExposure ? ",exposure_time [ns]" : ""
    let late = hasArrival ? ",arrival [ns]" : ""
    for camera in 0..<recording.trackedCameras {
      let path = "mav0/cam\(camera)"
      try folder.check(["\(path)/features.csv", "\(path)/frames.csv"])
      let measures = Self.measures.map { "," + $0.name }.joined()
      tables.append(
        (
          TableText(
            file: "\(folder.path)/\(path)/features.csv", header: "#timestamp [ns],feature_id [],u [px],v [px]" + late),
          TableText(
            file: "\(folder.path)/\(path)/frames.csv",
            header: "#timestamp [ns],mean_luma [],view []" + measures + exposed + late)
        ))
      files.append((try folder.file("\(path)/features.csv"), try folder.file("\(path)/frames.csv")))
    }
  }

  /// Adds a frame.
  package func write(_ frame: CameraFrame, arrival: Timestamp) throws {
    let camera = frame.camera
    func end(_ table: inout TableText) {
      if hasArrival { table.add(arrival.nanoseconds) }
      table.endLine()
    }
    for feature in frame.features {
      tables[camera].features.add(frame.timestamp.nanoseconds)
      tables[camera].features.add(feature.featureID)
      try tables[camera].features.add(feature.u, decimals: 3)
      try tables[camera].features.add(feature.v, decimals: 3)
      end(&tables[camera].features)
    }
    tables[camera].frames.add(frame.timestamp.nanoseconds)
    if let luma = frame.meanLuma {
      try tables[camera].frames.add(luma, decimals: 4)
    } else {
      tables[camera].frames.addNothing()
    }
    tables[camera].frames.add(frame.view?.rawValue ?? "")
    for (_, value) in Self.measures {
      if let measures = frame.measures {
        try tables[camera].frames.add(value(measures), decimals: 4)
      } else {
        tables[camera].frames.addNothing()
      }
    }
    if hasExposure {
      if let exposure = frame.exposure {
        tables[camera].frames.add(Int64((exposure * 1e9).rounded()))
      } else {
        tables[camera].frames.addNothing()
      }
    }
    end(&tables[camera].frames)
    try files[camera].features.write(tables[camera].features.drain())
    try files[camera].frames.write(tables[camera].frames.drain())
  }

  /// Gives the files their names.
  ///
  /// - Returns: a line for every other file that was changed.
  package func commit() throws -> [String] {
    for file in files {
      try file.frames.commit()
      try file.features.commit()
    }
    var changed: [String] = []
    if files.count > 1, let line = try shareIDs() { changed.append(line) }
    try folder.carryOver { _ in false }
    try folder.commit()
    return changed
  }

  /// States in cam1's calibration that its ids are those of cam0: an additional line in its `sensor.yaml`, or a new
  /// file where Kalibr's chain was used.
  private func shareIDs() throws -> String? {
    let name = "mav0/cam1/sensor.yaml", path = "\(folder.path)/\(name)"
    var text: String
    if RegularFile.exists(path) {
      let before = try CalibrationFile(path: path).text("feature_ids")
      if before == CameraCalibration.FeatureIDs.shared.rawValue { return nil }
      text = try RegularFile.text(path)
      if before == nil {
        text += (text.hasSuffix("\n") ? "" : "\n") + "feature_ids: shared\n"
      } else {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        text = lines.map { $0.hasPrefix("feature_ids:") ? "feature_ids: shared" : String($0) }.joined(separator: "\n")
      }
    } else {
      text = DatasetCalibrationText.camera(rig.cameras[1], isFirst: false)
    }
    try folder.write(Array(text.utf8), to: name)
    return "\(name): feature_ids: shared"
  }
}

/// Writes the images of one camera into a recording, in EuRoC's layout: `mav0/camN/data/<timestamp>.png` and a list of
/// them, `mav0/camN/data.csv`. One image at a time: only names are kept.
package struct CameraImageWriter {
  private let folder: StagedFolder
  private let camera: String
  private var list = "#timestamp [ns],filename\n"

  /// A writer for a camera of the recording that is being written.
  package init(folder: StagedFolder, camera: Int) { (self.folder, self.camera) = (folder, "mav0/cam\(camera)") }

  /// Writes an image.
  ///
  /// - Throws: `OutputError`, `ImageError`.
  package mutating func write(_ image: GrayImage, at timestamp: Timestamp) throws {
    let name = "\(timestamp.nanoseconds).png"
    try folder.write(Array(try image.png()), to: "\(camera)/data/\(name)")
    list += "\(timestamp.nanoseconds),\(name)\n"
  }

  /// Writes the list.
  package func finish() throws(OutputError) { try folder.write(Array(list.utf8), to: "\(camera)/data.csv") }
}
