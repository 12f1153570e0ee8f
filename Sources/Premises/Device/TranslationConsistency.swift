import CameraGeometry
import Geometry
import LeastSquares
import SensorData

/// Tests the accelerometer's sign against the camera's translation.
///
/// Over a window, positions are `p(t) = v t + X(t) + g t^2 / 2`, X the doubly integrated specific force in axes that the gyroscope
/// holds still; velocity v and gravity g are unknown. The camera gives the direction `u_i` of each displacement, with its sign from
/// positive depths: `u_i x (p(b_i) - p(a_i)) = 0` is linear in v and g. Turning the accelerometer's sign turns the solution's, so the
/// equations hold as well, but every displacement then runs against what was seen. Agreements are counted: an independent one
/// is right with probability 0.9. The log likelihood ratio of the wrong sign is a CUSUM (Page, Biometrika 41, 1954,
/// doi:10.1093/biomet/41.1-2.100).
struct TranslationConsistency {
  /// One displacement seen by the camera.
  struct Displacement {
    var start: Timestamp
    var end: Timestamp
    /// Unit vector of the camera's displacement, in the IMU's axes at `end`.
    var direction: Vector3
    /// How clearly depths were positive, 0...1.
    var parallax: Double
  }

  /// Length of a window, seconds.
  private static let length = 2.0
  private static let fewest = 5
  /// A displacement counts from this parallax on.
  private static let clear = 0.3
  /// Log odds of one agreement: 0.9 to 0.1, half of it, because neighbours share their errors.
  private static let vote = 1.1
  /// Prior 1-sigma of velocity, m/s, and of gravity about the mean force, m/s^2; noise of a direction times displacement.
  private static let sigma = (velocity: 1.0, gravity: 0.7, cross: 0.02)

  private var window: [Displacement] = []
  /// Log likelihood ratio of the wrong sign, not below 0.
  private(set) var wrongSign = 0.0
  /// Agreements minus disagreements, all that were counted.
  private(set) var balance = 0

  /// Takes a displacement in; evaluates when the window is full.
  mutating func append(_ displacement: Displacement, _ history: InertialHistory) {
    window.append(displacement)
    guard let first = window.first, displacement.end.seconds(since: first.start) >= Self.length else { return }
    evaluate(history)
    window.removeAll()
  }

  mutating func removeAll() { window.removeAll() }

  private mutating func evaluate(_ history: InertialHistory) {
    let clear = window.filter { $0.parallax > Self.clear }
    guard clear.count >= Self.fewest, let first = window.first, let last = window.last,
      let origin = history.node(at: first.start), let end = history.node(at: last.end)
    else { return }
    let whole = end.time.seconds(since: origin.time)
    let gravity = -(end.velocity - origin.velocity) / whole
    func place(_ time: Timestamp) -> (seconds: Double, position: Vector3, rotation: Rotation)? {
      guard let node = history.node(at: time) else { return nil }
      let seconds = time.seconds(since: origin.time)
      return (seconds, node.position - origin.position - origin.velocity * seconds, node.rotation)
    }
    var normal = [Double](repeating: 0, count: 36), right = [Double](repeating: 0, count: 6)
    for k in 0..<3 {
      normal[7 * k] = 1 / (Self.sigma.velocity * Self.sigma.velocity)
      normal[7 * (k + 3)] = 1 / (Self.sigma.gravity * Self.sigma.gravity)
      right[k + 3] = gravity[k] * normal[7 * (k + 3)]
    }
    var rows: [(direction: Vector3, force: Vector3, seconds: Double, half: Double)] = []
    for d in clear {
      guard let a = place(d.start), let b = place(d.end) else { return }
      let u = b.rotation * d.direction
      let (dt, half) = (b.seconds - a.seconds, 0.5 * (b.seconds * b.seconds - a.seconds * a.seconds))
      let force = b.position - a.position
      rows.append((u, force, dt, half))
      // |u x y|^2 = y' (I - u u') y with y = force + dt v + half g.
      let m = (Matrix3.identity - Matrix3(outer: u, u)) * (1 / (Self.sigma.cross * Self.sigma.cross))
      let pull = m * force
      for r in 0..<3 {
        right[r] -= dt * pull[r]
        right[r + 3] -= half * pull[r]
        for c in 0..<3 {
          normal[6 * r + c] += dt * dt * m[r, c]
          normal[6 * (r + 3) + c] += half * dt * m[r, c]
          normal[6 * (r + 3) + c + 3] += half * half * m[r, c]
        }
      }
    }
    guard let x = SmallCholesky.solve(normal, right, size: 6) else { return }
    let (v, g) = (Vector3(x[0], x[1], x[2]), Vector3(x[3], x[4], x[5]))
    let moves = rows.map { $0.force + v * $0.seconds + g * $0.half }
    // A displacement of noise has no sign: those below a centimetre do not vote.
    var votes = 0
    for (row, move) in zip(rows, moves) where move.norm > 0.01 {
      let cosine = row.direction.dot(move) / move.norm
      if abs(cosine) > 0.5 { votes += cosine > 0 ? 1 : -1 }
    }
    balance += votes
    wrongSign = max(wrongSign - Self.vote * Double(votes), 0)
  }
}

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

/// A symmetric matrix of four rows, for normal equations.
package struct Symmetric4 {
  package init() {}

  /// Its columns.
  private var columns = (SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero)

  package var diagonal: SIMD4<Double> { SIMD4(columns.0.x, columns.1.y, columns.2.z, columns.3.w) }

  /// `A += w v v^T`.
  @inline(__always)
  package mutating func add(_ weight: Double, _ v: SIMD4<Double>) {
    let scaled = weight * v
    columns.0 += scaled.x * v
    columns.1 += scaled.y * v
    columns.2 += scaled.z * v
    columns.3 += scaled.w * v
  }

  package mutating func addDiagonal(_ d: SIMD4<Double>) {
    columns.0.x += d.x
    columns.1.y += d.y
    columns.2.z += d.z
    columns.3.w += d.w
  }

  /// `A x = b` by `A = L D L^T`; nil where A is not positive definite.
  package func solve(_ b: SIMD4<Double>) -> SIMD4<Double>? {
    var (c0, c1, c2, c3) = columns
    guard c0.x > 0, c0.x.isFinite else { return nil }
    let l0 = c0 / c0.x
    c1 -= l0.y * c0
    c2 -= l0.z * c0
    c3 -= l0.w * c0
    guard c1.y > 0, c1.y.isFinite else { return nil }
    let l1 = c1 / c1.y
    c2 -= l1.z * c1
    c3 -= l1.w * c1
    guard c2.z > 0, c2.z.isFinite else { return nil }
    let l2 = c2 / c2.z
    c3 -= l2.w * c2
    guard c3.w > 0, c3.w.isFinite else { return nil }
    var x = b
    x.y -= l0.y * x.x
    x.z -= l0.z * x.x + l1.z * x.y
    x.w -= l0.w * x.x + l1.w * x.y + l2.w * x.z
    x /= SIMD4(c0.x, c1.y, c2.z, c3.w)
    x.z -= l2.w * x.w
    x.y -= l1.z * x.z + l1.w * x.w
    x.x -= l0.y * x.y + l0.z * x.z + l0.w * x.w
    return x
  }
}
