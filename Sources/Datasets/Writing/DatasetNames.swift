/// Names of the files of recordings, relative to their folder.
package enum DatasetNames {
  private static let sensors: Set<String> = [
    "imu0", "uwb0", "odometry0", "events0", "state_groundtruth_estimate0", "peers_groundtruth0",
  ]

  /// Whether a writer of recordings writes files of that name: of an earlier recording they go, as they would belong to
  /// none.
  package static func isWritten(_ name: String) -> Bool { isDescription(name) || isTable(name) || isOfCamera(name) }

  /// What tells of the recording as a whole: `dataset.yaml`, `import.json`, the mark of one that is not whole.
  package static func isDescription(_ name: String) -> Bool {
    name == "dataset.yaml" || name == "import.json" || UnfinishedMark.names.contains(name)
  }

  /// Table or calibration of a sensor that is no camera.
  package static func isTable(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    return parts.count == 3 && parts[0] == "mav0" && sensors.contains(String(parts[1]))
      && (parts[2] == "data.csv" || parts[2] == "sensor.yaml")
  }

  /// Table, calibration or image of a camera.
  package static func isOfCamera(_ name: String) -> Bool {
    let parts = name.split(separator: "/")
    guard parts.count >= 3, parts[0] == "mav0", parts[1].hasPrefix("cam"), Int(parts[1].dropFirst(3)) != nil else {
      return false
    }
    if parts.count == 3 {
      return ["sensor.yaml", "features.csv", "frames.csv", "data.csv", "exposure.csv"].contains(String(parts[2]))
    }
    return parts.count == 4 && parts[2] == "data" && parts[3].hasSuffix(".png") && Int64(parts[3].dropLast(4)) != nil
  }

  /// Whether a file of that name, relative to a recording's or a run's folder, is read as part of it.
  static func isInput(_ name: String) -> Bool {
    OutputFolder.fileNames.contains(name) || name == "import.json" || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
      || ["mav0/", "video/", "dso/"].contains { name.hasPrefix($0) }
  }
}
