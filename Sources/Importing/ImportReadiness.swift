import Datasets
import Foundation

/// Whether `fuse run` takes an imported folder, as a run itself finds out, and what is to be done first where not.
enum ImportReadiness {
  /// Adds a finding where a run would refuse the folder, and says what to do next.
  ///
  /// A step that the import knows (a video's frames, a calibration, the recording itself) is a note: nothing is wrong yet.
  static func judge(folder: String, _ report: inout ImportReport) {
    report.next = ImportReport.run
    defer { if report.hasFault { report.next = "mend what is above, then fuse import --check <folder>" } }
    guard let obstacle = Recording.obstacle(toRun: folder) else { return }
    let place = obstacle.file.replacingOccurrences(of: folder + "/", with: "")
    func has(_ name: String) -> Bool { RegularFile.exists("\(folder)/mav0/\(name)") }
    func hasImages(_ camera: String) -> Bool { has("\(camera)/data.csv") || has("\(camera)/features.csv") }
    func then(_ step: String) -> String { "\(step), then \(ImportReport.run)" }
    /// What there is without a camera.
    func without(_ camera: String) -> String {
      if camera == "cam1" { return "; or remove mav0/cam1" }
      return has("odometry0/data.csv") ? "; or leave cam0 out (remove mav0/cam0): odometry0 is a trajectory" : ""
    }
    let camera = ["cam0", "cam1"].first { obstacle.file.hasPrefix("\(folder)/mav0/\($0)") }
    let tables = ["imu0", "odometry0", "uwb0"].filter { has("\($0)/data.csv") }

    func find(_ code: String, _ weight: ImportReport.Finding.Weight, _ sentence: String, _ remedy: String) {
      report.find(
        code, weight, sentence,
        evidence: "a run ends with: \(place)\(obstacle.line.map { ":\($0)" } ?? ""): \(obstacle.found)",
        remedy: remedy)
    }
    if tables.isEmpty, !hasImages("cam0") {
      report.decide("the folder has no recording yet: the calibrations are not checked against data")
      report.next = then("import the recording into <folder>")
    } else if RegularFile.exists("\(folder)/video/cam0.csv"), !hasImages("cam0") {
      find(
        "framesInVideo", .note, "the frames are still in the video",
        "fuse-import-video, of the Python package, makes images of them")
      report.next = then("fuse-import-video <video> -o <folder>")
    } else if let camera, hasImages(camera), !has("\(camera)/sensor.yaml") {
      find(
        "noCalibration", .note, "\(camera) has no calibration yet",
        "fuse import kalibr <camchain>, or fuse import calibration <file>: lens and place of the camera"
          + without(camera))
      report.next = then("fuse import kalibr <camchain> -o <folder>")
    } else if let camera, obstacle.found.contains("T_BS") {
      find(
        "noCameraPlace", .note, "where \(camera) is on the body is not known, and nothing is assumed",
        "T_BS (the camera in the body, 4 rows of 4) in mav0/\(camera)/sensor.yaml, below \(camera) in the map, or by "
          + "fuse import kalibr <camchain>" + without(camera))
      report.next = then("T_BS in <folder>/mav0/\(camera)/sensor.yaml, or fuse import kalibr <camchain> -o <folder>")
    } else if let camera, camera == "cam1", !hasImages(camera) {
      find(
        "cameraWithoutData", .fault, "\(camera) has a calibration, and neither images nor tracks",
        "remove mav0/\(camera), or add its images")
    } else if !has("odometry0/data.csv"), !has("imu0/data.csv") || !hasImages("cam0") {
      find(
        "noTrajectory", .fault, "nothing that was imported gives a trajectory",
        "a run needs poses of another tracker (odometry0), or imu0 with cam0: add one of them")
    } else {
      find(
        "runRefuses", .fault, "a run refuses the folder: \(place): \(obstacle.found)", "expected \(obstacle.expected)")
    }
  }
}
