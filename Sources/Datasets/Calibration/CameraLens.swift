import SensorData

/// Projection and distortion: the same keys in EuRoC's, Kalibr's and ROS's files, except one.
///
/// `camera_model` and `distortion_model` go by the names of EuRoC, Kalibr, OpenCV, ROS and COLMAP; Kalibr's combined
/// names (`pinhole-radtan`) may stand in either of them.
enum CameraLens {
  /// What projects a direction; its parameters stand before fx, fy, cx, cy in `intrinsics`.
  private enum Projection: String, CaseIterable {
    case pinhole, omni, ds, eucm

    /// Names of the leading intrinsics.
    var parameters: [String] {
      switch self {
      case .pinhole: []
      case .omni: ["xi"]
      case .ds: ["xi", "alpha"]
      case .eucm: ["alpha", "beta"]
      }
    }

    init?(name: String) {
      switch name {
      case "omni", "mei": self = .omni
      case "ds", "double_sphere", "double-sphere": self = .ds
      case "eucm", "extended_unified", "extended-unified": self = .eucm
      case "pinhole": self = .pinhole
      default: return nil
      }
    }
  }

  /// What bends the image plane.
  private enum Bending {
    case none, radialTangential, equidistant, fieldOfView, rational

    init?(name: String) {
      switch name {
      case "none": self = .none
      case "radial-tangential", "radtan", "plumb_bob", "brown_conrady": self = .radialTangential
      case "equidistant", "equi", "kannala_brandt4", "kannala_brandt", "fisheye": self = .equidistant
      case "fov": self = .fieldOfView
      case "rational", "rational_polynomial": self = .rational
      default: return nil
      }
    }
  }

  private static let cameraModels = "pinhole, omni (mei), ds (double_sphere) or eucm"
  private static let distortionModels =
    "radial-tangential (radtan, plumb_bob), equidistant (equi, kannala_brandt4), fov, rational or none"

  /// The camera without extrinsics, noise and time offset.
  static func camera(_ file: CalibrationFile, coefficientsKey: String) throws(DatasetError) -> CameraCalibration {
    let (projection, bending) = try models(file)
    let names = projection.parameters + ["fx", "fy", "cx", "cy"]
    let all = try list(file, "intrinsics", names.count, "[\(names.joined(separator: ", "))], focal lengths in pixels")
    let f = Array(all.suffix(4))
    guard f[0] > 0, f[1] > 0, f.allSatisfy({ abs($0) < 1e6 }) else {
      throw file.fault("intrinsics", found: "intrinsics: \(f)", expected: "[fx, fy, cx, cy], focal lengths above 0")
    }
    let size = try list(file, "resolution", 2, "[width, height] in pixels")
    guard size.allSatisfy({ $0 >= 1 && $0 <= 1e5 && $0 == $0.rounded() }) else {
      throw file.fault("resolution", found: "resolution: \(size)", expected: "[width, height], whole and above 0")
    }
    return CameraCalibration(
      fx: f[0], fy: f[1], cx: f[2], cy: f[3],
      distortion: try lens(file, projection, all, bending, coefficientsKey), width: Int(size[0]), height: Int(size[1]))
  }

  private static func models(_ file: CalibrationFile) throws(DatasetError) -> (Projection, Bending) {
    let stated = try file.text("camera_model"), distortion = try file.text("distortion_model")
    var projection: Projection?, bending: Bending?
    for (key, text) in [("camera_model", stated), ("distortion_model", distortion)] {
      guard let text else { continue }
      let name = text.lowercased()
      let expected = key == "camera_model" ? cameraModels : distortionModels
      // The whole name first: "radial-tangential" is no combination.
      if key == "camera_model", let found = Projection(name: name) {
        projection = found
      } else if key == "distortion_model", let found = Bending(name: name) {
        bending = bending ?? found
      } else {
        let halves = name.split(separator: "-", maxSplits: 1).map(String.init)
        guard halves.count == 2, let first = Projection(name: halves[0]), let second = Bending(name: halves[1]) else {
          throw file.fault(key, found: "\(key): \(text)", expected: expected)
        }
        guard projection == nil || projection == first else {
          throw file.fault(
            key, found: "\(key): \(text) beside camera_model: \(stated ?? "")", expected: "one projection in both")
        }
        (projection, bending) = (first, bending ?? second)
      }
    }
    let used = projection ?? .pinhole
    if bending == nil, used == .ds || used == .eucm { bending = Bending.none }
    guard let bending else {
      throw file.fault("distortion_model", found: "no key distortion_model", expected: distortionModels)
    }
    return (used, bending)
  }

  private static func lens(
    _ file: CalibrationFile, _ projection: Projection, _ intrinsics: [Double], _ bending: Bending, _ key: String
  ) throws(DatasetError) -> CameraCalibration.Distortion {
    func within(_ index: Int, _ bounds: ClosedRange<Double>) throws(DatasetError) {
      guard bounds.contains(intrinsics[index]) else {
        throw file.fault(
          "intrinsics", found: "\(projection.parameters[index]) \(intrinsics[index])",
          expected: "\(bounds.lowerBound) to \(bounds.upperBound), as number \(index + 1) of intrinsics")
      }
    }
    func needs(_ permitted: Bool, _ models: String) throws(DatasetError) {
      guard permitted else {
        throw file.fault("distortion_model", found: "camera model \(projection) with that distortion", expected: models)
      }
    }
    switch projection {
    case .pinhole: return try plane(file, bending, key)
    case .omni:
      try within(0, 0...10)
      switch try plane(file, bending, key) {
      case .none: return .omni(xi: intrinsics[0], k1: 0, k2: 0, p1: 0, p2: 0)
      case .radialTangential(let k1, let k2, let p1, let p2):
        return .omni(xi: intrinsics[0], k1: k1, k2: k2, p1: p1, p2: p2)
      default:
        throw file.fault(
          "distortion_model", found: "camera model omni with that distortion", expected: "radtan or none")
      }
    case .ds:
      try needs(bending == .none, "none: the double sphere needs no distortion")
      try within(0, -1...10)
      try within(1, 0...1)
      return .doubleSphere(xi: intrinsics[0], alpha: intrinsics[1])
    case .eucm:
      try needs(bending == .none, "none: the extended unified model needs no distortion")
      try within(0, 0...1)
      try within(1, 1e-6...100)
      return .extendedUnified(alpha: intrinsics[0], beta: intrinsics[1])
    }
  }

  private static func plane(
    _ file: CalibrationFile, _ bending: Bending, _ key: String
  ) throws(DatasetError) -> CameraCalibration.Distortion {
    switch bending {
    case .none: return .none
    case .radialTangential, .rational:
      let what = bending == .rational ? "[k1, k2, p1, p2, k3, k4, k5, k6]" : "[k1, k2, p1, p2]"
      guard let k = try file.numbers(key, what) else {
        throw file.fault(key, found: "no key \(key)", expected: "\(key): \(what)")
      }
      guard k.count == 4 && bending == .radialTangential || k.count == 5 || k.count == 8 else {
        throw file.fault(
          key, found: "\(key) of \(k.count) numbers",
          expected: "\(what), OpenCV's order: 4\(bending == .rational ? " are radtan's" : ""), 5 or 8 numbers")
      }
      if k.dropFirst(4).allSatisfy({ $0 == 0 }) { return .radialTangential(k1: k[0], k2: k[1], p1: k[2], p2: k[3]) }
      let more = Array(k.dropFirst(5)) + [0, 0, 0]
      return .rational(
        k1: k[0], k2: k[1], p1: k[2], p2: k[3], k3: k[4], k4: more[0], k5: more[1], k6: more[2])
    case .equidistant:
      let k = try list(file, key, 4, "[k1, k2, k3, k4]")
      return .equidistant(k1: k[0], k2: k[1], k3: k[2], k4: k[3])
    case .fieldOfView:
      let w = try list(file, key, 1, "[w], one angle in radians")[0]
      guard w > 0, w < .pi else {
        throw file.fault(key, found: "\(key): [\(w)]", expected: "an angle above 0, below pi")
      }
      return .fieldOfView(w: w)
    }
  }

  private static func list(
    _ file: CalibrationFile, _ key: String, _ count: Int, _ what: String
  ) throws(DatasetError) -> [Double] {
    guard let values = try file.numbers(key, what) else {
      throw file.fault(key, found: "no key \(key)", expected: "\(key): \(what)")
    }
    guard values.count == count else {
      throw file.fault(key, found: "\(key) of \(values.count) numbers", expected: what)
    }
    return values
  }
}
