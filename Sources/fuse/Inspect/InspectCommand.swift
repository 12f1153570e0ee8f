import ArgumentParser
import Datasets
import Foundation
import Geometry
import Importing
import PrecisionFinding
import Premises
import RunResults
import SensorData
import Wording

/// `fuse inspect <folder>`.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Reports what a recording contains, what is missing and the consequences.",
    discussion: """
      EXAMPLES
        fuse inspect datasets/demo
        fuse inspect phone --strict     any damage is an error with file and line
      """)

  @Argument(help: "The recording: a folder in EuRoC's layout, ranges beside it.")
  var folder: String

  @Flag(help: "Any damage of the recording ends the inspection.")
  var strict = false

  @Flag(help: "Use odometry0 even if IMU and camera are there.")
  var odometry = false

  func run() throws {
    try Failure.reporting {
      try ForeignSource.refuse(folder)
      // As a run reads it, images tracked and all, so that both say the same.
      var options = RunOptions(forcesOdometry: odometry, isStrict: strict).reading
      options.needsTrajectory = false
      let recording = try Recording.open(URL(fileURLWithPath: folder), options: options)
      var inspection = Inspection()
      let events = try recording.events()
      let finder = recording.trajectorySource.map {
        PrecisionFinder(rig: recording.rig, useOdometry: $0 == .odometry)
      }
      let truth = try TruthReading(recording)
      var truthTest = try truth.test(recording, rig: recording.rig)
      var motion = MotionCheck(rig: recording.rig, statesDevice: recording.statesDevice)
      while let event = try events.next() {
        motion.add(event.event)
        truthTest?.observe(event.event)
        inspection.add(event)
        _ = finder?.process(event)
      }
      _ = finder?.finish()
      let seen = motion.found(beside: finder?.diagnoses ?? [])
      let found = (finder?.diagnoses ?? []).filter { !seen.explains($0.code) }
      let report = InspectionReport(
        inspection: inspection, rig: recording.rig, truth: truth.states, truePeers: truth.peers,
        source: recording.trajectorySource, diagnoses: found + (truthTest?.diagnoses(after: found) ?? []),
        motion: seen.findings.map { "\($0.code): \($0.sentence); \($0.evidence). \($0.remedy)" },
        spans: try recording.spans().findings)
      let damage = (events.damage + truth.damage).filter { $0.total > 0 }.sorted { $0.path < $1.path }
      var standardOutput = StandardOutput()
      let title = recording.metadata.title.map { ": \($0)" } ?? ""
      for line in ["\(recording.name)\(title)"] + report.lines() { try standardOutput.line(line) }
      for warning in recording.warnings { try standardOutput.line("  " + warning) }
      for line in DamageWords.lines(damage) { try standardOutput.line("  " + line) }
    }
  }
}

/// Statistics of every sensor from one reading of a recording.
struct Inspection {
  /// The inertial unit.
  private(set) var imu = RateMeter()
  /// Its stillest second.
  private(set) var stillest = StillestSecond()
  /// The cameras' frames, by camera.
  private(set) var frames: [Int: RateMeter] = [:]
  /// Features per frame, by camera.
  private(set) var features: [Int: LogHistogram] = [:]
  /// Brightness of frames where known, 0...1, by camera.
  private(set) var light: [Int: LogHistogram] = [:]
  /// Poses of the external odometry.
  private(set) var odometry = RateMeter()
  /// Path length of the external odometry, metres.
  private(set) var odometryPath = 0.0
  /// All ranges.
  private(set) var radio = RateMeter()
  /// Ranges per peer.
  private(set) var peers: [String: PeerRanges] = [:]
  /// Events by name.
  private(set) var events: [String: Int] = [:]
  /// Events that arrived after their timestamp.
  private(set) var late = 0
  private var lastOdometry: OdometryPose?

  /// Adds the next event.
  mutating func add(_ timed: TimedEvent) {
    if timed.arrival > timed.event.timestamp { late += 1 }
    switch timed.event {
    case .imu(let sample):
      imu.add(sample.timestamp)
      stillest.add(sample)
    case .odometry(let pose):
      odometry.add(pose.timestamp)
      if let last = lastOdometry {
        odometryPath += (pose.worldFromSensor.translation - last.worldFromSensor.translation).norm
      }
      lastOdometry = pose
    case .frame(let frame):
      frames[frame.camera, default: RateMeter()].add(frame.timestamp)
      features[frame.camera, default: LogHistogram()].add(Double(frame.features.count))
      if let luma = frame.meanLuma { light[frame.camera, default: LogHistogram()].add(luma) }
    case .device(let event): events[event.name, default: 0] += 1
    case .range(let range):
      radio.add(range.timestamp)
      peers[range.peer, default: PeerRanges()].add(range)
    }
  }
}

/// Plausibility of a calibration, in words.
enum CalibrationSanity {
  /// A line per sensor: position and orientation in body axes, and warnings.
  static func lines(_ rig: RigCalibration) -> [[String]] {
    var rows: [[String]] = []
    if let imu = rig.imu {
      rows.append(["imu0", offset(imu.bodyFromIMU), "x to \(axis(imu.bodyFromIMU, Vector3(1, 0, 0)))", imuWarning(imu)])
    }
    for (index, camera) in rig.cameras.enumerated() {
      rows.append([
        "cam\(index)", offset(camera.bodyFromCamera), "looks to \(axis(camera.bodyFromCamera, Vector3(0, 0, 1)))",
        "\(camera.width)x\(camera.height), \(lens(camera)), field \(Words.fixed(fieldOfView(camera), 0))° wide"
          + warning(camera),
      ])
    }
    if let radio = rig.radio {
      for (id, position) in radio.antennas.sorted(by: { $0.key < $1.key }) {
        rows.append([
          id.isEmpty ? "antenna" : "antenna \(id)", offset(Pose(translation: position)), "",
          position.norm > 0.5 ? "far from the body's origin: check the unit" : "",
        ])
      }
    }
    if let odometry = rig.odometry { rows.append(["odometry0", offset(odometry.bodyFromSensor), "", ""]) }
    rows.append([
      "device", offset(rig.bodyFromDevice), "back looks to \(axis(rig.bodyFromDevice, Vector3(0, 0, -1)))",
      "top to \(axis(rig.bodyFromDevice, Vector3(0, 1, 0)))",
    ])
    return rows
  }

  private static func offset(_ pose: Pose) -> String {
    let p = pose.translation * 100
    return "at (\(Words.fixed(p.x, 1)), \(Words.fixed(p.y, 1)), \(Words.fixed(p.z, 1))) cm"
  }

  /// The body axis nearest to a sensor's axis, and the angle between them.
  private static func axis(_ pose: Pose, _ direction: Vector3) -> String {
    let d = pose.rotation * direction
    let names = ["+x": d.x, "-x": -d.x, "+y": d.y, "-y": -d.y, "+z": d.z, "-z": -d.z]
    let best = names.max { ($0.value, $1.key) < ($1.value, $0.key) }!
    let off = Angle.inDegrees(acos(min(1, best.value)))
    return off < 0.5 ? best.key : "\(best.key), \(Words.fixed(off, 0))° off"
  }

  private static func lens(_ camera: CameraCalibration) -> String {
    switch camera.distortion {
    case .none: "no distortion"
    case .radialTangential: "radial-tangential"
    case .equidistant: "equidistant"
    case .fieldOfView: "fov"
    case .rational: "rational"
    case .omni: "omni"
    case .doubleSphere: "double sphere"
    case .extendedUnified: "extended unified"
    }
  }

  /// Field of view of an ideal pinhole of that focal length, degrees: smaller than a fisheye's own.
  private static func fieldOfView(_ camera: CameraCalibration) -> Double {
    Angle.inDegrees(2 * atan(Double(camera.width) / (2 * camera.fx)))
  }

  private static func warning(_ camera: CameraCalibration) -> String {
    let inside = camera.cx > 0 && camera.cx < Double(camera.width) && camera.cy > 0 && camera.cy < Double(camera.height)
    if !inside { return "; the principal point is outside the image" }
    return abs(camera.fx / camera.fy - 1) > 0.2 ? "; fx and fy differ by over 20 %" : ""
  }

  private static func imuWarning(_ imu: IMUCalibration) -> String {
    let gyroscope = imu.gyroscopeNoiseDensity
    let accelerometer = imu.accelerometerNoiseDensity
    if gyroscope > 0.1 || gyroscope < 1e-6 { return "gyroscope_noise_density \(gyroscope) is unlike any gyroscope" }
    if accelerometer > 1 || accelerometer < 1e-5 {
      return "accelerometer_noise_density \(accelerometer) is unlike any accelerometer"
    }
    return ""
  }
}
