import CameraGeometry
import Geometry
import LeastSquares
import SensorData

/// Another lens, or other pixel coordinates, than the calibration states.
struct ImageAlternative {
  /// The code of its diagnosis.
  var code: String
  /// What was found.
  var sentence: String
  /// What to do.
  var remedy: String
  /// The lens that it has.
  var lens: LensModel
  /// From a recorded pixel to the one that it means.
  var pixel: @Sendable (SIMD2<Double>) -> SIMD2<Double>

  /// The alternatives to one camera's calibration.
  static func all(_ camera: CameraCalibration) -> [ImageAlternative] {
    let (width, height) = (Double(camera.width), Double(camera.height))
    let stated = LensModel(camera)
    func coordinates(
      _ name: String, _ remedy: String, _ pixel: @escaping @Sendable (SIMD2<Double>) -> SIMD2<Double>
    ) -> ImageAlternative {
      ImageAlternative(
        code: "featureCoordinates", sentence: "the features' pixel coordinates look \(name)", remedy: remedy,
        lens: stated,
        pixel: pixel)
    }
    var found = [
      coordinates("counted from the bottom (v up)", "write v from the top row down: v -> height - 1 - v") {
        SIMD2($0.x, height - 1 - $0.y)
      },
      coordinates("counted from the right (u to the left)", "write u from the left column: u -> width - 1 - u") {
        SIMD2(width - 1 - $0.x, $0.y)
      },
      coordinates("swapped (u is the row)", "write u as the column and v as the row") { SIMD2($0.y, $0.x) },
      coordinates("counted from the far corner", "turn the coordinates by 180 degrees") {
        SIMD2(width - 1 - $0.x, height - 1 - $0.y)
      },
      coordinates("normalised by the image's size", "write raw pixels: u * width, v * height") {
        SIMD2($0.x * width, $0.y * height)
      },
      coordinates("normalised by the focal length", "write raw pixels: fx u + cx, fy v + cy") {
        SIMD2($0.x * camera.fx + camera.cx, $0.y * camera.fy + camera.cy)
      },
      coordinates("turned by 90 degrees", "write pixels in the orientation of the calibration") {
        SIMD2($0.y, width - 1 - $0.x)
      },
      coordinates("turned by -90 degrees", "write pixels in the orientation of the calibration") {
        SIMD2(height - 1 - $0.y, $0.x)
      },
    ]
    for factor in [0.25, 0.5, 2.0 / 3, 0.75, 4.0 / 3, 1.5, 2, 3, 4] {
      var other = camera
      (other.fx, other.fy, other.cx, other.cy) = (
        camera.fx / factor, camera.fy / factor, camera.cx / factor, camera.cy / factor
      )
      found.append(
        ImageAlternative(
          code: "cameraIntrinsics",
          sentence: "the intrinsics look made for an image \(Format.number(factor)) times as large",
          remedy: "divide fx, fy, cx and cy by \(Format.number(factor)), or calibrate at this resolution",
          lens: LensModel(other), pixel: { $0 }))
    }
    for factor in [0.6, 0.7, 0.8, 0.85, 0.9, 1.1, 1.15, 1.2, 1.3, 1.5, 1.7] {
      var other = camera
      (other.fx, other.fy) = (camera.fx / factor, camera.fy / factor)
      found.append(
        ImageAlternative(
          code: "cameraIntrinsics", sentence: "the focal lengths look \(Format.number(factor)) times too long",
          remedy: "calibrate the camera; --calibrate learns a few per cent", lens: LensModel(other), pixel: { $0 }))
    }
    var swapped = camera
    (swapped.cx, swapped.cy) = (camera.cy, camera.cx)
    found.append(
      ImageAlternative(
        code: "cameraIntrinsics", sentence: "the principal point's coordinates look swapped",
        remedy: "write intrinsics as fx, fy, cx, cy", lens: LensModel(swapped), pixel: { $0 }))
    for (name, distortion) in lenses(camera.distortion) {
      var other = camera
      other.distortion = distortion
      found.append(
        ImageAlternative(
          code: "lensModel", sentence: "the lens looks \(name), which is not what the calibration states",
          remedy: "state the distortion model that the calibration was made for", lens: LensModel(other), pixel: { $0 })
      )
    }
    return found
  }

  private static func lenses(_ stated: CameraCalibration.Distortion) -> [(String, CameraCalibration.Distortion)] {
    switch stated {
    case .none: [("like a fisheye (equidistant)", .equidistant(k1: 0, k2: 0, k3: 0, k4: 0))]
    case .radialTangential(let a, let b, let c, let d):
      [("undistorted", .none), ("equidistant", .equidistant(k1: a, k2: b, k3: c, k4: d))]
    case .equidistant(let a, let b, let c, let d):
      [("undistorted", .none), ("radial-tangential", .radialTangential(k1: a, k2: b, p1: c, p2: d))]
    case .rational(let a, let b, let c, let d, let e, _, _, _):
      [("undistorted", .none), ("without the coefficients k4 to k6", .rational(k1: a, k2: b, p1: c, p2: d, k3: e))]
    case .fieldOfView, .omni, .doubleSphere, .extendedUnified:
      [("undistorted", .none), ("like a fisheye (equidistant)", .equidistant(k1: 0, k2: 0, k3: 0, k4: 0))]
    }
  }
}

/// Whether features are in pixels: of an image of hundreds of pixels not all of them lie within a pixel or two of the corner.
package struct FeatureUnitDetector {
  /// How features are written instead.
  package enum Unit: String {
    /// Fractions of width and height.
    case imageSize = "the image's size"
    /// On the plane at distance one.
    case focalLength = "the focal length"
  }

  /// Features and frames that are looked at, and the least size of an image, pixels.
  private static let features = 100, frames = 5, leastSize = 64
  /// Largest coordinate that is none in pixels: half the field of view of 136 degrees, in focal lengths.
  private static let largest = 2.5

  private var seen = (features: 0, frames: 0)
  private var range = (low: Double.infinity, high: -Double.infinity)
  private var isDone = false

  /// No features yet.
  package init() {}

  /// Takes a frame in; the unit when it has just become known.
  package mutating func append(_ frame: CameraFrame, _ camera: CameraCalibration) -> Unit? {
    guard !isDone, !frame.features.isEmpty, min(camera.width, camera.height) >= Self.leastSize else { return nil }
    for f in frame.features {
      range = (min(range.low, f.u, f.v), max(range.high, f.u, f.v))
    }
    seen = (seen.features + frame.features.count, seen.frames + 1)
    if max(-range.low, range.high) > Self.largest {
      isDone = true
      return nil
    }
    guard seen.features >= Self.features, seen.frames >= Self.frames else { return nil }
    isDone = true
    return range.low >= 0 && range.high <= 1 ? .imageSize : .focalLength
  }
}
