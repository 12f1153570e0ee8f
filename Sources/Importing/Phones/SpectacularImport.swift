import Datasets
import Foundation
import Geometry
import JSONText
import SensorData
import Wording

/// Spectacular AI's and HybVIO's recordings: `data.jsonl`, a line for every reading, and `calibration.json`.
struct SpectacularImport: SourceImporter {
  private let folder: SourceFolder

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: ["data.jsonl"], kind: .spectacular)
  }

  private enum Key {
    static let time = FlatJSON.Path("time"), type = FlatJSON.Path("sensor.type")
    static let values = FlatJSON.Path("sensor.values"), frames = FlatJSON.Path("frames")
    static let frameTime = FlatJSON.Path("frames.0.time")
    static let poses: [(name: String, root: FlatJSON.Path, position: [FlatJSON.Path], orientation: [FlatJSON.Path])] = [
      (
        "groundTruth", .init("groundTruth"),
        [.init("groundTruth.position.x"), .init("groundTruth.position.y"), .init("groundTruth.position.z")],
        [
          .init("groundTruth.orientation.w"), .init("groundTruth.orientation.x"), .init("groundTruth.orientation.y"),
          .init("groundTruth.orientation.z"),
        ]
      ),
      (
        "ARKit", .init("ARKit"), [.init("ARKit.position.x"), .init("ARKit.position.y"), .init("ARKit.position.z")],
        [
          .init("ARKit.orientation.w"), .init("ARKit.orientation.x"), .init("ARKit.orientation.y"),
          .init("ARKit.orientation.z"),
        ]
      ),
      (
        "arcore", .init("arcore"),
        [.init("arcore.position.x"), .init("arcore.position.y"), .init("arcore.position.z")],
        [
          .init("arcore.orientation.w"), .init("arcore.orientation.x"), .init("arcore.orientation.y"),
          .init("arcore.orientation.z"),
        ]
      ),
    ]
  }

  func read(into target: inout ImportTarget) throws {
    let path = "\(folder.path)/data.jsonl"
    let lines = try LineReader(path: path)
    var line = FlatJSON(), merger = InertialMerger()
    var bad = 0, frames = 0, other = 0, withoutRotation = 0
    var hasOdometry = false
    var video: AtomicFile?
    func fault(_ found: String, _ expected: String) throws(DatasetError) {
      bad += 1
      if lines.line <= 100 || bad * 1000 > lines.line {
        throw DatasetError(file: path, line: lines.line, found: found, expected: expected)
      }
    }
    func refuse(_ refused: SourceFault) throws { try fault(refused.found, refused.expected) }
    func time(_ line: FlatJSON) throws(DatasetError) -> Int64? {
      if let time = line.time(Key.time) { return time }
      let unit = line.likelyUnit(Key.time).map { ": this looks to be in \($0.rawValue)" }
      try fault("no time in seconds", "\"time\": seconds\(unit ?? "")")
      return nil
    }
    while let bytes = try lines.next() {
      if bytes.isEmpty { continue }
      guard line.read(bytes) else {
        if lines.isTerminated || lines.line <= 100 { try fault("no JSON", "one JSON object a line") } else { bad += 1 }
        continue
      }
      if line.has(Key.type) {
        guard let time = try time(line) else { continue }
        guard let x = line.number(Key.values.element(0)),
          let y = line.number(Key.values.element(1)), let z = line.number(Key.values.element(2))
        else {
          try fault(
            "a sensor without three finite values",
            "{\"time\":s,\"sensor\":{\"type\":\"gyroscope\",\"values\":[x,y,z]}}")
          continue
        }
        if line.isText(Key.type, "gyroscope") {
          merger.add(gyroscope: Vector3(x, y, z), at: time)
        } else if line.isText(Key.type, "accelerometer") {
          merger.add(accelerometer: Vector3(x, y, z), at: time)
        } else {
          other += 1
        }
        for sample in merger.take() { try target.add(sample, refuse) }
      } else if line.has(Key.frames) {
        frames += 1
        if let time = line.time(Key.frameTime) ?? line.time(Key.time) {
          if video == nil { video = try Self.video(target.folder) }
          try video!.write(Array("\(time)\n".utf8))
        }
      } else if let keys = Key.poses.first(where: { line.has($0.root) }) {
        let p = keys.position.compactMap(line.number), q = keys.orientation.compactMap(line.number)
        guard let time = try time(line) else { continue }
        guard p.count == 3 else {
          try fault("a pose without position", "{\"time\":s,\"\(keys.name)\":{\"position\":{x,y,z},...}}")
          continue
        }
        guard q.count == 4, q.contains(where: { $0 != 0 }) else {
          withoutRotation += 1
          continue
        }
        let length = q.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard abs(length - 1) < 0.01 else {
          try fault("an orientation of length \(Words.fixed(length, 3))", "a unit quaternion w, x, y, z")
          continue
        }
        let pose = Pose(
          rotation: Rotation(w: q[0], x: q[1], y: q[2], z: q[3]), translation: Vector3(p[0], p[1], p[2]))
        let stamp = Timestamp(nanoseconds: time)
        if keys.name == "groundTruth" {
          try target.add(GroundTruthState(timestamp: stamp, worldFromBody: pose), refuse)
        } else {
          hasOdometry = true
          let turned = keys.name == "ARKit" ? WorldUp(.y).turned(pose) : pose
          try target.add(OdometryPose(timestamp: stamp, worldFromSensor: turned), refuse)
        }
      } else {
        other += 1
      }
    }
    target.report.count("bad lines skipped", bad)
    target.report.count("lines of other kinds", other)
    target.report.count("poses without orientation left out", withoutRotation)
    ImportCompleteness.judge(unpaired: merger.unpaired, beyond: merger.waiting, of: merger.readings, &target.report)
    target.report.count("frames", frames)
    target.report.decide("imu0 is the body; the acceleration is interpolated to the gyroscope's stamps")
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    if hasOdometry {
      target.rig.odometry = OdometryCalibration()
      target.report.decide("poses of ARKit or ARCore are odometry0; ARKit's world (y up) is turned so that z is up")
    }
    try video?.commit()
    let cameras = try cameras(&target.report)
    for (number, camera) in cameras.enumerated() {
      try DatasetStreamWriter.write(
        camera, isFirst: number == 0, to: target.folder, name: "video/cam\(number).yaml")
    }
    if let camera = cameras.first {
      target.device = RigCalibration(cameras: [camera]).bodyFromDevice
    }
    if frames > 0 {
      target.report.decide(
        "frames are in data.mp4: stamps and calibrations are in the folder video, and 'fuse-import-video data.mp4 -o "
          + "<folder>' of the Python package makes cam0 of them")
    }
    try PhoneRanges.read(folder, &target)
  }

  /// The stamps of the video's frames.
  private static func video(_ folder: StagedFolder) throws -> AtomicFile {
    let file = try folder.file("video/cam0.csv")
    try file.write(Array("#timestamp [ns]\n".utf8))
    return file
  }

  // MARK: - calibration.json

  private func cameras(_ report: inout ImportReport) throws(DatasetError) -> [CameraCalibration] {
    guard let path = folder.file("calibration.json") else {
      report.decide("no calibration.json: no camera")
      return []
    }
    let document = try JSONSource(path: path)
    guard case .array(let list)? = document["cameras"], !list.isEmpty else {
      throw document.fault(
        "cameras", found: "no list of cameras", expected: "\"cameras\": [{\"focalLengthX\": ...}]")
    }
    var cameras: [CameraCalibration] = []
    for (number, camera) in list.prefix(2).enumerated() {
      func need(_ key: String) throws(DatasetError) -> Double {
        guard let value = camera[key]?.double else {
          throw document.fault("cameras", found: "no \(key) of camera \(number)", expected: "a number")
        }
        return value
      }
      let matrix = try Self.matrix(camera, document, number, &report)
      cameras.append(
        CameraCalibration(
          bodyFromCamera: matrix.inverse, fx: try need("focalLengthX"), fy: try need("focalLengthY"),
          cx: try need("principalPointX"), cy: try need("principalPointY"),
          distortion: try Self.lens(camera, document, number), width: Int(try need("imageWidth")),
          height: Int(try need("imageHeight")), timeOffset: camera["timeOffsetSeconds"]?.double ?? 0,
          featureIDs: .shared))
    }
    return cameras
  }

  private static func lens(
    _ camera: JSONValue, _ document: JSONSource, _ number: Int
  ) throws(DatasetError) -> CameraCalibration.Distortion {
    var k: [Double] = []
    if case .array(let list)? = camera["distortionCoefficients"] { k = list.compactMap(\.double) }
    let model = camera["model"]?.text ?? "pinhole"
    switch (model, k.count) {
    case (_, 0): return .none
    case ("kannala-brandt4", 4): return .equidistant(k1: k[0], k2: k[1], k3: k[2], k4: k[3])
    case ("pinhole", 3): return .rational(k1: k[0], k2: k[1], p1: 0, p2: 0, k3: k[2])
    case ("brown-conrady", 5): return .rational(k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4])
    case ("brown-conrady", 8):
      return .rational(k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4], k4: k[5], k5: k[6], k6: k[7])
    default:
      throw document.fault(
        "model", number, found: "model \(model) with \(k.count) coefficients of camera \(number)",
        expected: "pinhole with 0 or 3, kannala-brandt4 with 4, brown-conrady with 5 or 8")
    }
  }

  /// The inertial unit to the camera: nested rows, or flat column by column.
  private static func matrix(
    _ camera: JSONValue, _ document: JSONSource, _ number: Int, _ report: inout ImportReport
  ) throws(DatasetError) -> Pose {
    guard let key = ["imuToCamera", "imuToCameraMatrix"].first(where: { camera[$0] != nil }),
      case .array(let list)? = camera[key]
    else {
      throw document.fault(
        "cameras", found: "no imuToCamera of camera \(number)", expected: "4 rows of 4 numbers, or 16 column by column")
    }
    var m = [Double](repeating: 0, count: 16)
    if list.count == 16 {
      let flat = list.compactMap(\.double)
      guard flat.count == 16 else {
        throw document.fault(key, number, found: "\(key) of \(flat.count) numbers", expected: "16 numbers")
      }
      for row in 0..<4 { for column in 0..<4 { m[4 * row + column] = flat[4 * column + row] } }
      report.decide("\(key) of camera \(number) is flat: read column by column")
    } else {
      let rows = list.map { row -> [Double] in
        if case .array(let cells) = row { cells.compactMap(\.double) } else { [] }
      }
      guard rows.count == 4, rows.allSatisfy({ $0.count == 4 }) else {
        throw document.fault(
          key, number, found: "\(key) of \(rows.count) rows", expected: "4 rows of 4 numbers")
      }
      m = rows.flatMap { $0 }
      report.decide("\(key) of camera \(number) is nested: read row by row")
    }
    let r = Matrix3(rows: Vector3(m[0], m[1], m[2]), Vector3(m[4], m[5], m[6]), Vector3(m[8], m[9], m[10]))
    guard abs(m[12]) + abs(m[13]) + abs(m[14]) < 1e-6, abs(r.determinant - 1) < 1e-2 else {
      throw document.fault(
        key, number, found: "\(key) of camera \(number) is no rigid transform",
        expected: "last row 0 0 0 1; nested arrays are rows, a flat list is column by column")
    }
    return Pose(rotation: Rotation(matrix: r), translation: Vector3(m[3], m[7], m[11]))
  }
}
