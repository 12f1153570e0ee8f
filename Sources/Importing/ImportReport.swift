import Datasets
import Foundation
import JSONText
import SensorData
import Wording

/// What an import decided, counted and found: `import.json`.
package struct ImportReport: Sendable {
  /// Something that the import's check found.
  package struct Finding: Equatable, Sendable {
    /// How much it matters.
    package enum Weight: String, Sendable {
      /// The data contradict the description of the device: a run would go wrong.
      case fault
      /// Worth knowing; a run copes.
      case note
    }

    /// Stable name; those of `docs/diagnoses.md` where there is one.
    package var code: String
    /// How much it matters.
    package var weight: Weight
    /// What was found.
    package var sentence: String
    /// The figures behind it.
    package var evidence: String
    /// What to do.
    package var remedy: String
  }

  /// The kind of the source.
  package let kind: ImportKind
  /// The source's own name, without its path.
  package let source: String
  /// What was decided and why, a sentence each, in order.
  package var decisions: [String] = []
  /// Rows by what they are: written, skipped and why.
  package var counts: [String: Int] = [:]
  /// Figures of the check.
  package var figures: [String: Double] = [:]
  /// What the check found.
  package var findings: [Finding] = []
  /// What to do next, with `<folder>` for the folder's name: a run, where one can begin.
  package var next = Self.run
  /// Topics of the cameras, as the Python package's import of a bag names them.
  package var topics: JSONValue?
  /// What an import ends with where nothing is in a run's way.
  package static let run = "fuse run <folder>"
  /// The document of the import that wrote the folder's data, where this one added a calibration to it.
  package var before: JSONValue?

  init(kind: ImportKind, source: String) { (self.kind, self.source) = (kind, source) }

  /// Whether a run would go wrong.
  package var hasFault: Bool { findings.contains { $0.weight == .fault } }

  /// Says what was decided, once.
  mutating func decide(_ sentence: String) { if !decisions.contains(sentence) { decisions.append(sentence) } }

  mutating func count(_ name: String, _ number: Int) { if number != 0 { counts[name, default: 0] += number } }

  mutating func find(
    _ code: String, _ weight: Finding.Weight, _ sentence: String, evidence: String, remedy: String
  ) {
    guard !findings.contains(where: { $0.code == code && $0.sentence == sentence }) else { return }
    findings.append(Finding(code: code, weight: weight, sentence: sentence, evidence: evidence, remedy: remedy))
  }

  /// The document.
  package var document: JSONValue {
    guard case .object(var members) = ownDocument else { return ownDocument }
    if let topics { members.append(.init(key: "topics", value: topics)) }
    if let before { members.append(.init(key: "before", value: before)) }
    return .object(members)
  }

  private var ownDocument: JSONValue {
    [
      "kind": .string(kind.rawValue), "source": .string(source),
      "decisions": .texts(decisions),
      "counts": .sorted(counts.mapValues { .integer($0) }), "figures": .sorted(figures.mapValues { .number($0) }),
      "findings": .array(
        findings.map {
          [
            "code": .string($0.code), "weight": .string($0.weight.rawValue), "sentence": .string($0.sentence),
            "evidence": .string($0.evidence), "remedy": .string($0.remedy),
          ]
        }), "next": .string(next),
    ]
  }
}

/// Whether `fuse run` takes an imported folder, as a run itself finds out, and what is to be done first where not.
enum ImportReadiness {
  private static let lens = "fuse import calibration <file>"

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
      let lens =
        (try? String(contentsOfFile: "\(folder)/video/cam0.yaml", encoding: .utf8))?.contains("intrinsics:") ?? false
      find(
        "framesInVideo", .note, "the frames are still in the video" + (lens ? "" : ", and its lens is not known"),
        "fuse-import-video, of the Python package, makes images of them" + (lens ? "" : "; \(Self.lens)"))
      report.next = then("fuse-import-video <video> -o <folder>" + (lens ? "" : ", then \(Self.lens) -o <folder>"))
    } else if let camera, hasImages(camera), !has("\(camera)/sensor.yaml") {
      find(
        "noCalibration", .note, "\(camera) has no calibration yet",
        "fuse import kalibr <camchain>, or fuse import calibration <file>: lens and place of the camera"
          + without(camera))
      report.next = then("fuse import kalibr <camchain> -o <folder>")
    } else if let camera,
      ["no key distortion_model", "no key camera_model", "no key intrinsics"].contains(obstacle.found)
    {
      find(
        "noLens", .note, "the lens of \(camera) is not known, and nothing is assumed",
        "\(Self.lens) (OpenCV, ROS, camodocal, Basalt), or fuse import kalibr <camchain>" + without(camera))
      report.next = then("\(Self.lens) -o <folder>")
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

/// What of a source is not in the folder: rows out of order, sensors that a run needs.
enum ImportCompleteness {
  /// Adds a finding for each stream that lost more than one row in a thousand by its stamps, and for a folder without
  /// ranges.
  static func judge(
    _ counts: [DatasetStreamWriter.Stream: DatasetStreamWriter.Counts], _ report: inout ImportReport
  ) {
    for stream in DatasetStreamWriter.Stream.allCases {
      guard let count = counts[stream] else { continue }
      let rows = count.written + count.goingBack + count.repeated
      for (left, code, words, remedy) in [
        (
          count.goingBack, "stampOrder", "lie before the row above them",
          "sort the source by its time; files of several peers one behind the other are no order of time"
        ),
        (
          count.repeated, "stampRepeated", "have the stamp of the row above them",
          "write stamps with all their digits, each row once"
        ),
      ] where left * 1000 > rows {
        report.find(
          code, left * 10 > rows ? .fault : .note, "\(left) of \(rows) rows of \(stream.rawValue) \(words): left out",
          evidence: "\(Words.fixed(100 * Double(left) / Double(rows), 1)) % of the rows", remedy: remedy)
      }
    }
    if counts[.ranges] == nil {
      report.find(
        "noRanges", .note, "no range was imported: a run finds no peer", evidence: "no row for uwb0",
        remedy: "add the file of the radio, and import again")
    }
  }

  /// Gyroscope readings that found no acceleration near them, and those beyond the end of the accelerometer's: a log that
  /// one sensor ended earlier is shorter, and no fault.
  static func judge(unpaired: Int, beyond: Int, of readings: Int, _ report: inout ImportReport) {
    report.count("gyroscope readings without an acceleration near them", unpaired)
    report.count("gyroscope readings behind the accelerometer's last", beyond)
    guard unpaired * 10 > readings || (unpaired + beyond) * 2 > readings else { return }
    report.find(
      "imuUnpaired", .fault,
      "\(unpaired + beyond) of \(readings) gyroscope readings have no acceleration within 0.1 s",
      evidence: "stamps of both sensors", remedy: "log both sensors at once, on one clock")
  }
}
