import SensorData

/// Pinhole and distortion: the same keys in EuRoC's and Kalibr's files, except one.
enum CameraLens {
  /// The camera without extrinsics, noise and time offset.
  static func camera(_ file: CalibrationFile, coefficientsKey: String) throws(DatasetError) -> CameraCalibration {
    if let model = try file.text("camera_model"), model != "pinhole" {
      throw file.fault("camera_model", found: "camera_model: \(model)", expected: "pinhole")
    }
    let f = try list(file, "intrinsics", 4, "[fx, fy, cx, cy] in pixels")
    guard f[0] > 0, f[1] > 0, f.allSatisfy({ abs($0) < 1e6 }) else {
      throw file.fault("intrinsics", found: "intrinsics: \(f)", expected: "[fx, fy, cx, cy], focal lengths above 0")
    }
    let size = try list(file, "resolution", 2, "[width, height] in pixels")
    guard size.allSatisfy({ $0 >= 1 && $0 <= 1e5 && $0 == $0.rounded() }) else {
      throw file.fault("resolution", found: "resolution: \(size)", expected: "[width, height], whole and above 0")
    }
    return CameraCalibration(
      fx: f[0], fy: f[1], cx: f[2], cy: f[3], distortion: try distortion(file, coefficientsKey),
      width: Int(size[0]), height: Int(size[1]))
  }

  private static func distortion(
    _ file: CalibrationFile, _ key: String
  ) throws(DatasetError) -> CameraCalibration.Distortion {
    let models = "radial-tangential (radtan), equidistant, fov or none"
    guard let model = try file.text("distortion_model") else {
      throw file.fault("distortion_model", found: "no key distortion_model", expected: models)
    }
    switch model {
    case "none": return .none
    case "radial-tangential", "radtan":
      let k = try list(file, key, 4, "[k1, k2, p1, p2]")
      return .radialTangential(k1: k[0], k2: k[1], p1: k[2], p2: k[3])
    case "equidistant":
      let k = try list(file, key, 4, "[k1, k2, k3, k4]")
      return .equidistant(k1: k[0], k2: k[1], k3: k[2], k4: k[3])
    case "fov":
      let w = try list(file, key, 1, "[w], one angle in radians")[0]
      guard w > 0, w < .pi else {
        throw file.fault(key, found: "\(key): [\(w)]", expected: "an angle above 0, below pi")
      }
      return .fieldOfView(w: w)
    default: throw file.fault("distortion_model", found: "distortion_model: \(model)", expected: models)
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
