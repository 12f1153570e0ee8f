import Geometry
import SensorData

extension Scenario {
  /// The camera, its feature tracker and the light.
  package struct Camera: Equatable, Sendable {
    /// Frames per second.
    package var rate = 20.0
    /// Lens distortion.
    package var distortion = CameraCalibration.Distortion.radialTangential(k1: -0.05, k2: 0.02, p1: 2e-4, p2: -1e-4)
    /// Focal length, pixels.
    package var focalLength = 420.0
    /// Image size, pixels.
    package var width = 640, height = 480
    /// Noise of a tracked feature, pixels.
    package var pixelNoise = 1.0
    /// Decimals of a pixel in the recording.
    package var pixelDecimals = 3
    /// Tracks per frame at most.
    package var tracks = 100
    /// Mean lifetime of a track, seconds.
    package var trackLife = 3.0
    /// Fraction of outlier tracks, which drift away from their landmark.
    package var outlierShare = 0.0
    /// Fraction of frames that never arrive.
    package var droppedShare = 0.0
    /// Mean length of an interval without frames, seconds; if much shorter than a frame, losses are independent.
    package var droppedDwell = 0.001
    /// Added to a frame's stamp it gives the time on the IMU's clock, seconds.
    package var timeOffset = 0.0
    /// Seconds from the exposure of the first row to that of the last; a frame's time is that of its middle row.
    package var rowSkew = 0.0
    /// Whether the recording's calibration says so.
    package var statesRowTime = true
    /// Exposure of an image row, seconds, centred on the row's time; 0: no motion blur.
    package var exposure = 0.0
    /// Its mount.
    package var mount = Mount()
    /// The mount of a second camera, which observes the tracks of the first; nil: there is none.
    package var second: Mount?
    /// Error of the calibration in the recording.
    package var miscalibration = Miscalibration()
    /// Intervals without light, seconds from the start.
    package var dark: [ClosedRange<Double>] = []
    /// Intervals in which a hand covers the lenses, seconds from the start.
    package var covered: [ClosedRange<Double>] = []

    /// A phone's camera.
    package init() {}
  }

  /// The mount of a camera in the device.
  package struct Mount: Equatable, Sendable {
    /// Position in the body (device axes), metres.
    package var position: Vector3
    /// Misalignment against the device, rotation vector in camera axes, radians.
    package var misalignment = Vector3(0.004, -0.006, 0.008)

    /// A mount; without `position` that of a phone's main camera.
    package init(position: Vector3 = Vector3(0.025, 0.06, -0.004)) { self.position = position }
  }
}

extension Scenario.Camera {
  /// The true calibrations, cam0 first.
  var calibrations: [CameraCalibration] {
    [calibration(mount)] + (second.map { [calibration($0, featureIDs: .shared)] } ?? [])
  }

  private func calibration(
    _ mount: Scenario.Mount, featureIDs: CameraCalibration.FeatureIDs = .separate
  ) -> CameraCalibration {
    let deviceFromCamera = Rotation(w: 0, x: 1, y: 0, z: 0)  // 180 degrees about x: y and z flip
    return CameraCalibration(
      bodyFromCamera: Pose(rotation: deviceFromCamera * .exp(mount.misalignment), translation: mount.position),
      fx: focalLength, fy: focalLength * 1.002, cx: 321.3 * (Double(width) / 640), cy: 238.6 * (Double(height) / 480),
      distortion: distortion, width: width, height: height, pixelNoise: pixelNoise, timeOffset: timeOffset,
      featureIDs: featureIDs, rate: rate, rowTime: rowSkew / Double(height - 1),
      stampedRow: rowSkew == 0 ? 0 : Double(height - 1) / 2)
  }

  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var camera = self
    try f.number("rate_hz", 1...120).map { camera.rate = $0 }
    try f.number("focal_length_px", 100...2000).map { camera.focalLength = $0 }
    if let size = try f.numbers("resolution_px", count: 2, 16...4096) {
      (camera.width, camera.height) = (Int(size[0]), Int(size[1]))
    }
    try f.number("pixel_noise_std_px", 0...20).map { camera.pixelNoise = $0 }
    try f.integer("pixel_decimals", 0...6).map { camera.pixelDecimals = $0 }
    try f.integer("tracks", 0...1000).map { camera.tracks = $0 }
    try f.number("track_life_s", 0.1...1000).map { camera.trackLife = $0 }
    try f.number("outlier_share", 0...0.9).map { camera.outlierShare = $0 }
    try f.number("dropped_share", 0...0.9).map { camera.droppedShare = $0 }
    try f.number("dropped_dwell_s", 0.001...1000).map { camera.droppedDwell = $0 }
    try f.number("time_offset_s", -0.5...0.5).map { camera.timeOffset = $0 }
    try f.number("row_skew_s", 0...0.1).map { camera.rowSkew = $0 }
    try f.flag("row_time_stated").map { camera.statesRowTime = $0 }
    try f.number("exposure_ms", 0...100).map { camera.exposure = $0 / 1000 }
    try camera.mount.read(&f)
    camera.second = try f.section("second") { f throws(ScenarioError) in
      var mount = Scenario.Mount(position: mount.position + Vector3(0.1, 0, 0))
      try mount.read(&f)
      return mount
    }
    let wrong = try f.section("miscalibration") { f throws(ScenarioError) in try Scenario.Miscalibration().read(&f) }
    if let wrong { camera.miscalibration = wrong }
    camera.dark = try f.timeIntervals("dark") ?? []
    camera.covered = try f.timeIntervals("covered") ?? []
    let lens = try f.section("lens") { f throws(ScenarioError) in try Self.lens(&f) }
    if let lens { camera.distortion = lens }
    return camera
  }

  private static func lens(_ f: inout Fields) throws(ScenarioError) -> CameraCalibration.Distortion {
    guard let model = try f.text("model") else { throw f.missing("model") }
    let needed = [
      "none": 0, "fov": 1, "radial-tangential": 4, "equidistant": 4, "rational": 8, "omni": 5, "ds": 2, "eucm": 2,
    ]
    guard let count = needed[model] else {
      throw f.refuse("model", "'\(model)' is not one of \(needed.keys.sorted().joined(separator: ", "))")
    }
    let c = try f.numbers("coefficients", count: count, -10...10) ?? []
    guard c.count == count else { throw f.missing("coefficients") }
    switch model {
    case "fov":
      guard c[0] > 0, c[0] < 3 else { throw f.refuse("coefficients", "the angle of the fov model is from 0 to 3 rad") }
      return .fieldOfView(w: c[0])
    case "radial-tangential": return .radialTangential(k1: c[0], k2: c[1], p1: c[2], p2: c[3])
    case "equidistant": return .equidistant(k1: c[0], k2: c[1], k3: c[2], k4: c[3])
    case "rational":
      return .rational(k1: c[0], k2: c[1], p1: c[2], p2: c[3], k3: c[4], k4: c[5], k5: c[6], k6: c[7])
    case "omni": return .omni(xi: c[0], k1: c[1], k2: c[2], p1: c[3], p2: c[4])
    case "ds": return .doubleSphere(xi: c[0], alpha: c[1])
    case "eucm": return .extendedUnified(alpha: c[0], beta: c[1])
    default: return .none
    }
  }
}

extension Scenario.Mount {
  fileprivate mutating func read(_ f: inout Fields) throws(ScenarioError) {
    if let position = try f.vector("position_m", -2...2) { self.position = position }
    if let degrees = try f.vector("misalignment_deg", -20...20) { misalignment = degrees * Angle.degrees(1) }
  }
}
