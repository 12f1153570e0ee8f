import Datasets
import Foundation
import Geometry
import SensorData

/// The calibration of cameras, and of the inertial unit where it has that, by another tool.
struct ForeignCalibration {
  /// One camera.
  struct Camera {
    /// Its lens; where it is on the body means nothing while `imuFromCamera` is nil.
    var lens: CameraCalibration
    /// Where it is on the inertial unit, if the source says.
    var imuFromCamera: Pose?
    /// The topic of its images, if the source says.
    var topic: String?
  }

  /// Cameras, cam0 first.
  var cameras: [Camera] = []
  /// The inertial unit's noise.
  var imu: IMUCalibration?
  /// What was decided, a sentence each.
  var decisions: [String] = []
}

/// A file of OpenCV, ROS, camodocal, VINS or Basalt, by what is in it.
enum ForeignCameraFormat: String {
  case opencv = "OpenCV"
  case ros = "ROS"
  case camodocal = "camodocal"
  case vins = "VINS"
  case basalt = "Basalt"

  /// Keys of a camera matrix, and of what goes with it: OpenCV's samples, ROS's calibrator and messages, own programs.
  static let matrix = [
    "camera_matrix", "Camera_Matrix", "cameraMatrix", "CameraMatrix", "intrinsic_matrix", "K", "k", "M1", "K1", "mtx",
  ]
  static let coefficients = [
    "distortion_coefficients", "Distortion_Coefficients", "distCoeffs", "DistCoeffs", "dist_coeffs", "distortion", "D",
    "d", "D1", "dist",
  ]

  /// The format of a file; nil for another.
  init?(_ file: CalibrationFile) {
    let keys = Set(file.keys)
    if let value = try? file.section("value0"), value.keys.contains("intrinsics") {
      self = .basalt
    } else if keys.contains("cam0_calib") || keys.contains("model_type") && keys.contains("extrinsicRotation") {
      self = .vins
    } else if keys.contains("model_type"), keys.contains("projection_parameters") || keys.contains("poly_parameters") {
      self = .camodocal
    } else if Self.matrix.contains(where: keys.contains) {
      self = keys.contains("rectification_matrix") || keys.contains("R") && keys.contains("P") ? .ros : .opencv
    } else {
      return nil
    }
  }

  /// The format of the file at a path; nil for another, and for what is no YAML or JSON.
  init?(path: String) {
    guard let size = RegularFile.size(path), size < 1 << 20, let file = try? CalibrationFile(path: path) else {
      return nil
    }
    self.init(file)
  }

  /// Reads a file.
  func read(_ file: CalibrationFile) throws(DatasetError) -> ForeignCalibration {
    var calibration = ForeignCalibration()
    switch self {
    case .opencv, .ros: calibration.cameras = [try Self.matrixCamera(file, &calibration.decisions)]
    case .camodocal: calibration.cameras = [.init(lens: try Self.camodocal(file))]
    case .vins: try Self.vins(file, &calibration)
    case .basalt: try Self.basalt(file, &calibration)
    }
    return calibration
  }

  // MARK: - OpenCV and ROS

  private static func matrixCamera(
    _ file: CalibrationFile, _ decisions: inout [String]
  ) throws(DatasetError) -> ForeignCalibration.Camera {
    func first(_ keys: [String]) -> String? { keys.first { file.keys.contains($0) } }
    let key = first(matrix)!
    let k = try file.numbers(key, "9 numbers, row by row") ?? []
    guard k.count == 9 else {
      throw file.fault(key, found: "\(key) of \(k.count) numbers", expected: "9 numbers: fx 0 cx, 0 fy cy, 0 0 1")
    }
    guard k[8] == 1, k[6] == 0, k[7] == 0 else {
      throw file.fault(key, found: "\(key) with last row \(k[6]) \(k[7]) \(k[8])", expected: "last row 0 0 1")
    }
    var size: [Double] = []
    if let key = first(["image_size", "imageSize", "resolution", "img_size"]) {
      size = try file.numbers(key, "[width, height]") ?? []
    } else if let w = first(["image_width", "image_Width", "imageWidth", "width", "w"]),
      let h = first(["image_height", "image_Height", "imageHeight", "height", "h"])
    {
      size = [
        try file.neededNumber(w, "pixels", in: 1...1e5), try file.neededNumber(h, "pixels", in: 1...1e5),
      ]
    }
    guard size.count == 2 else {
      throw file.fault(
        "image_width", found: "no image_width and image_height", expected: "columns and rows of the image beside \(key)"
      )
    }
    let dKey = first(coefficients)
    var d: [Double] = []
    if let dKey, let listed = try file.numbers(dKey, "OpenCV's coefficients") { d = listed }
    let stated = try file.text("distortion_model"), other = try file.text("camera_model")
    let model = stated ?? other
    let isFisheye = try file.number("fisheye_model", "0 or 1", in: 0...1) == 1
    let lens = try distortion(file, dKey ?? key, d, isFisheye ? "equidistant" : model, &decisions)
    return .init(lens: try camera(file, key, [k[0], k[4], k[2], k[5]], size, lens))
  }

  /// The lens of OpenCV's coefficients.
  private static func distortion(
    _ file: CalibrationFile, _ key: String, _ d: [Double], _ model: String?, _ decisions: inout [String]
  ) throws(DatasetError) -> CameraCalibration.Distortion {
    if d.allSatisfy({ $0 == 0 }) { return .none }
    let name = model?.lowercased() ?? ""
    if ["equidistant", "fisheye", "kannala_brandt", "kannala_brandt4", "equi"].contains(name) {
      guard d.count == 4 else {
        throw file.fault(key, found: "\(d.count) coefficients of a fisheye", expected: "4: k1, k2, k3, k4")
      }
      return .equidistant(k1: d[0], k2: d[1], k3: d[2], k4: d[3])
    }
    guard
      ["", "plumb_bob", "rational_polynomial", "radtan", "radial-tangential", "pinhole", "brown_conrady", "rational"]
        .contains(name)
    else {
      throw file.fault(
        "distortion_model", found: "distortion_model: \(name)",
        expected: "plumb_bob, rational_polynomial or equidistant")
    }
    guard [4, 5, 8].contains(d.count) || d.count > 8 && d.dropFirst(8).allSatisfy({ $0 == 0 }) else {
      throw file.fault(
        key, found: "\(d.count) distortion coefficients",
        expected:
          "4, 5 or 8 (k1, k2, p1, p2, k3, k4, k5, k6); without thin prism and tilt: calibrate without those flags")
    }
    if name.isEmpty, d.count == 4 {
      decisions.append(
        "4 coefficients without a model: k1, k2, p1, p2 (of a fisheye they would be k1...k4: distortion_model: equidistant)"
      )
    }
    if d.dropFirst(4).allSatisfy({ $0 == 0 }) { return .radialTangential(k1: d[0], k2: d[1], p1: d[2], p2: d[3]) }
    let more = Array(d.dropFirst(5)) + [0, 0, 0]
    return .rational(k1: d[0], k2: d[1], p1: d[2], p2: d[3], k3: d[4], k4: more[0], k5: more[1], k6: more[2])
  }

  private static func camera(
    _ file: CalibrationFile, _ key: String, _ f: [Double], _ size: [Double], _ lens: CameraCalibration.Distortion
  ) throws(DatasetError) -> CameraCalibration {
    guard f[0] > 0, f[1] > 0, f.allSatisfy({ abs($0) < 1e6 }) else {
      throw file.fault(key, found: "fx, fy, cx, cy of \(f)", expected: "focal lengths above 0, in pixels")
    }
    guard size.allSatisfy({ $0 >= 1 && $0 <= 1e5 && $0 == $0.rounded() }) else {
      throw file.fault(key, found: "an image of \(size)", expected: "whole columns and rows above 0")
    }
    return CameraCalibration(
      fx: f[0], fy: f[1], cx: f[2], cy: f[3], distortion: lens, width: Int(size[0]), height: Int(size[1]))
  }

  // MARK: - camodocal and VINS

  private static func camodocal(_ file: CalibrationFile) throws(DatasetError) -> CameraCalibration {
    func values(_ name: String, _ keys: [String]) throws(DatasetError) -> [Double] {
      guard let section = try file.section(name) else {
        throw file.fault(name, found: "no \(name)", expected: "\(name): \(keys.joined(separator: ", "))")
      }
      var values: [Double] = []
      for key in keys { values.append(try section.neededNumber(key, "a number", in: -1e6...1e6)) }
      return values
    }
    let size = [
      try file.neededNumber("image_width", "pixels", in: 1...1e5),
      try file.neededNumber("image_height", "pixels", in: 1...1e5),
    ]
    let model = try file.text("model_type")?.uppercased() ?? ""
    let projection = "projection_parameters", bending = ["k1", "k2", "p1", "p2"]
    switch model {
    case "PINHOLE":
      let f = try values(projection, ["fx", "fy", "cx", "cy"]), d = try values("distortion_parameters", bending)
      return try camera(
        file, projection, f, size,
        d.allSatisfy { $0 == 0 } ? .none : .radialTangential(k1: d[0], k2: d[1], p1: d[2], p2: d[3]))
    case "MEI":
      let xi = try values("mirror_parameters", ["xi"])[0], d = try values("distortion_parameters", bending)
      guard (0...10).contains(xi) else {
        throw file.fault("mirror_parameters", found: "xi \(xi)", expected: "0 to 10")
      }
      return try camera(
        file, projection, try values(projection, ["gamma1", "gamma2", "u0", "v0"]), size,
        .omni(xi: xi, k1: d[0], k2: d[1], p1: d[2], p2: d[3]))
    case "KANNALA_BRANDT":
      let p = try values(projection, ["k2", "k3", "k4", "k5", "mu", "mv", "u0", "v0"])
      return try camera(
        file, projection, Array(p[4...]), size, .equidistant(k1: p[0], k2: p[1], k3: p[2], k4: p[3]))
    default:
      throw file.fault(
        "model_type", found: "model_type: \(model)",
        expected: "PINHOLE, MEI or KANNALA_BRANDT: calibrate again with one of these")
    }
  }

  /// A configuration of VINS-Mono (the camera in it) or VINS-Fusion (the cameras' files beside it).
  private static func vins(_ file: CalibrationFile, _ found: inout ForeignCalibration) throws(DatasetError) {
    let offset = try file.number("td", "seconds, less than 10", in: -10...10) ?? 0
    if file.keys.contains("cam0_calib") {
      let folder = file.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      for number in 0..<2 {
        guard let name = try file.text("cam\(number)_calib") else { break }
        let path = name.hasPrefix("/") || folder.isEmpty ? name : "\(folder)/\(name)"
        found.cameras.append(
          .init(
            lens: try camodocal(try CalibrationFile(path: path)), imuFromCamera: try file.pose("body_T_cam\(number)"),
            topic: try file.text("image\(number)_topic")))
      }
    } else {
      let r = try file.numbers("extrinsicRotation", "9 numbers, row by row") ?? []
      let t = try file.numbers("extrinsicTranslation", "3 numbers, metres") ?? []
      guard r.count == 9, t.count == 3 else {
        throw file.fault(
          "extrinsicRotation", found: "extrinsics of \(r.count) and \(t.count) numbers", expected: "9 and 3 numbers")
      }
      var matrix: [Double] = []
      for row in 0..<3 { matrix += r[3 * row..<3 * row + 3] + [t[row]] }
      matrix += [0, 0, 0, 1]
      guard let pose = try? Pose(rigidTransform: matrix) else {
        throw file.fault("extrinsicRotation", found: "extrinsicRotation that is no rotation", expected: "a rotation")
      }
      found.cameras = [
        .init(lens: try camodocal(file), imuFromCamera: pose, topic: try file.text("image_topic"))
      ]
    }
    for index in found.cameras.indices { found.cameras[index].lens.timeOffset = offset }
    found.decisions.append("VINS's body is the inertial unit; its acc_n, gyr_n, acc_w, gyr_w are tuned, and left out")
  }

  // MARK: - Basalt

  private static func basalt(_ file: CalibrationFile, _ found: inout ForeignCalibration) throws(DatasetError) {
    guard let value = try file.section("value0") else { return }
    let lenses = try value.sections("intrinsics"), poses = try value.sections("T_imu_cam")
    guard !lenses.isEmpty else {
      throw value.fault("intrinsics", found: "no camera", expected: "\"intrinsics\": [{\"camera_type\": ...}]")
    }
    let sizes = try value.numbers("resolution", "[[width, height], ...]") ?? []
    guard sizes.count == 2 * lenses.count else {
      throw value.fault(
        "resolution", found: "\(sizes.count) numbers for \(lenses.count) cameras", expected: "[width, height] of each")
    }
    let offset = (try value.number("cam_time_offset_ns", "nanoseconds", in: -1e10...1e10) ?? 0) / 1e9
    for (number, lens) in lenses.enumerated() {
      let size = Array(sizes[2 * number..<2 * number + 2])
      var camera = try basaltLens(lens, size)
      camera.timeOffset = offset
      var pose: Pose?
      if number < poses.count {
        var p: [Double] = []
        for key in ["px", "py", "pz", "qw", "qx", "qy", "qz"] {
          p.append(try poses[number].neededNumber(key, "a number", in: -1e3...1e3))
        }
        guard Rotation.isUnit(p[3], Vector3(p[4], p[5], p[6])) else {
          throw poses[number].fault("qw", found: "a quaternion \(p[3...])", expected: "length 1")
        }
        pose = Pose(rotation: Rotation(w: p[3], x: p[4], y: p[5], z: p[6]), translation: Vector3(p[0], p[1], p[2]))
      }
      found.cameras.append(.init(lens: camera, imuFromCamera: pose))
    }
    if let noise = try value.numbers("accel_noise_std", "3 numbers")?.max(),
      let gyroscope = try value.numbers("gyro_noise_std", "3 numbers")?.max(),
      let walk = try value.numbers("accel_bias_std", "3 numbers")?.max(),
      let turnWalk = try value.numbers("gyro_bias_std", "3 numbers")?.max(),
      [noise, gyroscope].allSatisfy({ $0 > 0 && $0 < 1e3 }), [walk, turnWalk].allSatisfy({ $0 >= 0 && $0 < 1e3 })
    {
      found.imu = IMUCalibration(
        gyroscopeNoiseDensity: gyroscope, gyroscopeRandomWalk: turnWalk, accelerometerNoiseDensity: noise,
        accelerometerRandomWalk: walk)
      found.imu?.rate = try value.number("imu_update_rate", "Hz above 0", in: 1e-6...1e6)
      found.decisions.append("imu0's noise is Basalt's accel_noise_std, gyro_noise_std and their biases'")
    }
  }

  private static func basaltLens(_ lens: CalibrationFile, _ size: [Double]) throws(DatasetError) -> CameraCalibration {
    let type = try lens.text("camera_type") ?? ""
    guard let parameters = try lens.section("intrinsics") else {
      throw lens.fault("intrinsics", found: "no intrinsics below a camera", expected: "fx, fy, cx, cy, ...")
    }
    func values(_ keys: String...) throws(DatasetError) -> [Double] {
      var values: [Double] = []
      for key in keys { values.append(try parameters.neededNumber(key, "a number", in: -1e6...1e6)) }
      return values
    }
    let distortion: CameraCalibration.Distortion
    switch type {
    case "pinhole": distortion = .none
    case "ds":
      let p = try values("xi", "alpha")
      distortion = .doubleSphere(xi: p[0], alpha: p[1])
    case "eucm":
      let p = try values("alpha", "beta")
      distortion = .extendedUnified(alpha: p[0], beta: p[1])
    case "ucm", "unified":
      // The unified model with alpha is the extended one with beta 1.
      distortion = .extendedUnified(alpha: try values("alpha")[0], beta: 1)
    case "kb4":
      let p = try values("k1", "k2", "k3", "k4")
      distortion = .equidistant(k1: p[0], k2: p[1], k3: p[2], k4: p[3])
    case "pinhole-radtan8":
      let p = try values("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6")
      distortion = .rational(
        k1: p[0], k2: p[1], p1: p[2], p2: p[3], k3: p[4], k4: p[5], k5: p[6], k6: p[7])
    default:
      throw lens.fault(
        "camera_type", found: "camera_type: \(type)", expected: "pinhole, pinhole-radtan8, kb4, ds, eucm or ucm")
    }
    return try camera(lens, "intrinsics", try values("fx", "fy", "cx", "cy"), size, distortion)
  }
}

/// Cameras of the folder that an import is about to replace.
///
/// An import writes no images, and leaves those that are there: a camera made of the same source's video stays when the
/// source is imported again, and one that lies alone in a folder belongs to what is imported beside it. Of another
/// recording they must not stay, and are not removed either: that is for their owner to say.
struct OlderCameras {
  private let names: [String]
  private let isOfSameSource: Bool

  /// - Parameters:
  ///   - folder: the folder as it is.
  ///   - source: the name of what is imported.
  /// - Throws: `DatasetError` where there are cameras beside data of another source.
  init(in folder: String, kind: ImportKind, source: String) throws {
    let inside = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/mav0")) ?? []
    names = inside.filter { $0.hasPrefix("cam") && Int($0.dropFirst(3)) != nil }.sorted()
    var document = try Importer.written(in: folder)
    // A calibration that was imported beside the data keeps what was told of those.
    while let before = document?["before"], before != .null { document = before }
    isOfSameSource = document?["kind"]?.text == kind.rawValue && document?["source"]?.text == source
    let tables = inside.filter { RegularFile.exists("\(folder)/mav0/\($0)/data.csv") && !names.contains($0) }
    guard !names.isEmpty, !isOfSameSource, !tables.isEmpty else { return }
    let origin = document?["source"]?.text.map { " of \($0)" } ?? ""
    throw DatasetError(
      file: folder,
      found: "a recording\(origin) with \(names.joined(separator: ", ")), which an import leaves as it is",
      expected: "a new folder, or one without mav0/\(names[0])")
  }

  /// Says that they stay.
  func decide(_ report: inout ImportReport) {
    guard !names.isEmpty else { return }
    let what = names.joined(separator: ", ")
    report.decide(
      isOfSameSource
        ? "\(what): of an earlier import of the same source, stays" : "\(what): was in the folder already, stays")
  }
}
