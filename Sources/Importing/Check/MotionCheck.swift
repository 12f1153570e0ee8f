import Datasets
import Foundation
import Geometry
import Premises
import SensorData
import Wording

/// What only motion shows of a set-up: rotations that are inverted, an inertial unit that is mounted otherwise, a body that travels beside
/// "ahead". For imports, runs and `fuse inspect`.
package struct MotionCheck {
  /// Diagnoses of the premises that inverted rotations and an unstated mount bring about: a clock, a mirror, a world upside down, positions
  /// that do not follow an accelerometer.
  private static let explained: Set<String> = [
    "odometryConvention", "odometryClock", "odometryPositions", "truthConvention", "truthClock", "imuAxes",
    "gravitySign",
  ]

  private let bodyFromSensor: Pose
  private let name: String
  /// Whether the recording states the device's axes.
  package let statesDevice: Bool
  private var travel: TravelAxis
  private var convention: RotationConvention
  /// Of inertial unit and poses; their mount does not matter to it.
  private(set) var clock = RotationClock()
  private var first: Timestamp?

  /// - Parameters:
  ///   - rig: the device; without odometry the poses are the truth's, of the body.
  ///   - statesDevice: whether the recording states the device's axes.
  package init(rig: RigCalibration, statesDevice: Bool) {
    bodyFromSensor = rig.odometry?.bodyFromSensor ?? .identity
    name = rig.odometry == nil ? "truth" : "odometry"
    self.statesDevice = statesDevice
    travel = TravelAxis(bodyFromDevice: rig.bodyFromDevice)
    convention = RotationConvention(
      bodyFromSensor: bodyFromSensor, bodyFromIMU: rig.imu?.bodyFromIMU ?? .identity)
  }

  /// Adds an inertial reading.
  package mutating func add(_ sample: IMUSample) {
    convention.add(sample)
    clock.add(angularVelocity: sample.angularVelocity, at: sample.timestamp.nanoseconds)
  }

  /// Adds a pose of the tracker, or a true one of the body.
  package mutating func add(pose: Pose, at time: Timestamp) {
    if first == nil { first = time }
    travel.add(pose * bodyFromSensor.inverse, at: time.seconds(since: first!))
    convention.add(rotation: pose.rotation, at: time.nanoseconds)
    clock.add(rotation: pose.rotation, at: time.nanoseconds)
  }

  /// Adds a reading or a pose; other events say nothing.
  package mutating func add(_ event: SensorEvent) {
    switch event {
    case .imu(let sample): add(sample)
    case .odometry(let pose): add(pose: pose.worldFromSensor, at: pose.timestamp)
    default: break
    }
  }

  /// What was found, in a report.
  package struct Found {
    /// The findings.
    package var findings: [ImportReport.Finding]
    /// Whether rotations are inverted, or the inertial unit is turned: then some diagnoses of the premises are none.
    fileprivate var hasCause: Bool

    /// Whether a diagnosis of the premises has its cause in what was found here.
    package func explains(_ code: String) -> Bool { hasCause && MotionCheck.explained.contains(code) }
  }

  /// What was found so far beside the premises' diagnoses, without a report.
  package func found(beside diagnoses: [Diagnosis]) -> Found {
    var report = ImportReport(kind: .csv, source: "")
    let hasCause = judge(&report, beside: diagnoses)
    return Found(findings: report.findings, hasCause: hasCause)
  }

  /// Whether another clock explains the rotations better: turns to and fro, half a period late, look like a mount.
  private var isShifted: Bool {
    guard let found = clock.estimate(within: 2) else { return false }
    return abs(found.shift) > 0.05 && found.correlation - found.unshifted > 0.05
  }

  /// Adds findings and figures; whether they are the cause of others.
  @discardableResult
  func judge(_ report: inout ImportReport, beside diagnoses: [Diagnosis]) -> Bool {
    // A gyroscope in other axes than the accelerometer is no mount. A pose of the truth is that of a body of its own.
    let isSplit = diagnoses.contains { $0.code == "imuAxes" && $0.family == .imu && !$0.isHandled }
    let outcome = convention.outcome
    var cause = outcome?.cause
    if cause == .turned || cause == .leftHanded, isSplit || name != "odometry" || isShifted { cause = nil }
    if let cause { outcome?.judge(cause, name, &report) }
    // Axes of a body whose rotations are not known say nothing.
    if cause == nil || cause == .turned { travel.outcome?.judge(isStated: statesDevice, &report) }
    return cause != nil
  }
}

/// Which way a device travels, in its body's axes, and how far from "ahead": robots and vehicles travel ahead, and a
/// body whose axes are not the device's shows as a course that lies a quarter turn off.
private struct TravelAxis {
  /// A step ends when the body has moved this far, metres: beyond what a tracker's noise does.
  private static let step = 0.2
  /// A step that took longer is left out, seconds: the body stood, or turned on the spot.
  private static let longest = 3.0
  /// So far a device must have travelled, metres.
  private static let least = 3.0
  /// How much the directions of the steps must agree, 0 to 1: the length of their mean.
  private static let agreement = 0.7

  /// What was found.
  struct Outcome {
    /// The course, counted from ahead, radians, positive right.
    var angle: Double
    /// The mean direction of travel, and of up, in the body's axes.
    var travel: Vector3, up: Vector3
    /// Metres travelled.
    var distance: Double
    /// Whether it also went the other way along the same line for a tenth of the distance or more.
    var reverses: Bool
  }

  private let bodyFromDevice: Rotation
  private var start: (pose: Pose, seconds: Double)?
  private var cosine = 0.0, sine = 0.0, doubleCosine = 0.0, doubleSine = 0.0
  private var travel = Vector3.zero, up = Vector3.zero
  private var distance = 0.0
  /// Steps by their angle, for the share that goes the other way.
  private var steps: [(angle: Double, length: Double, travel: Vector3)] = []

  init(bodyFromDevice: Pose) { self.bodyFromDevice = bodyFromDevice.rotation }

  /// Adds a pose of the body in a world with z up; `seconds` on any clock.
  mutating func add(_ worldFromBody: Pose, at seconds: Double) {
    guard let from = start else {
      start = (worldFromBody, seconds)
      return
    }
    let moved = worldFromBody.translation - from.pose.translation
    let level = Vector3(moved.x, moved.y, 0)
    guard level.norm >= Self.step || seconds - from.seconds > Self.longest else { return }
    start = (worldFromBody, seconds)
    guard level.norm >= Self.step, seconds - from.seconds <= Self.longest else { return }
    let angle = HorizontalAngle.of(level, worldFromDevice: from.pose.rotation * bodyFromDevice)
    let inBody = from.pose.rotation.inverse * level
    steps.append((angle, level.norm, inBody))
    distance += level.norm
    cosine += level.norm * cos(angle)
    sine += level.norm * sin(angle)
    doubleCosine += level.norm * cos(2 * angle)
    doubleSine += level.norm * sin(2 * angle)
    up += level.norm * (from.pose.rotation.inverse * Vector3(0, 0, 1))
  }

  /// The axis of travel; nil where the device went no particular way.
  ///
  /// The line is found first (the doubled angle, which is the same forwards and back), then which end of it was ahead for
  /// most of the way.
  var outcome: Outcome? {
    guard distance >= Self.least,
      (doubleCosine * doubleCosine + doubleSine * doubleSine).squareRoot() >= Self.agreement * distance
    else { return nil }
    var axis = 0.5 * atan2(doubleSine, doubleCosine)
    if cosine * cos(axis) + sine * sin(axis) < 0 { axis = Angle.wrapped(axis + .pi) }
    var mean = Vector3.zero, back = 0.0
    for step in steps {
      let isBack = cos(step.angle - axis) < 0
      mean += isBack ? -step.travel : step.travel
      if isBack { back += step.length }
    }
    guard mean.norm > 0, up.norm > 0 else { return nil }
    return Outcome(
      angle: axis, travel: mean.normalized, up: up.normalized, distance: distance, reverses: back > 0.1 * distance)
  }
}

extension TravelAxis.Outcome {
  /// Says where the device travels, and warns where that is not ahead.
  ///
  /// - Parameter isStated: whether the recording states the device's axes.
  func judge(isStated: Bool, _ report: inout ImportReport) {
    let degrees = angle * 180 / .pi
    report.figures["course, counted from ahead, positive right [deg]"] = degrees
    let side =
      abs(degrees) > 135
      ? "backwards" : "\(Words.fixed(abs(degrees), 0)) degrees \(degrees > 0 ? "right" : "left") of ahead"
    guard abs(degrees) > 45 else {
      return report.decide("the device travels ahead, within \(Words.fixed(abs(degrees), 0)) degrees")
    }
    let way = Self.words(travel)
    let fix =
      DeviceAxes.nearest(forward: travel, up: up).map {
        "if it looks where it travels: device: \($0.words) in the map, or --device, or device_T_BS: "
          + "[\($0.axes.bodyFromDevice.rigidTransform.map { Words.fixed($0 + 0, 0) }.joined(separator: ", "))] in dataset.yaml"
      }
      ?? "state device_T_BS in dataset.yaml"
    report.find(
      "deviceAxes", .note, "the device travels \(side), along \(way) of its body: every angle counts from ahead",
      evidence: "\(Words.fixed(distance, 1)) m of the way"
        + (reverses ? ", some of it the other way" : "")
        + (isStated ? "; the device's axes are stated" : "; the device's axes are not stated, and assumed"),
      remedy: "\(fix) (docs/axes.md); a device that looks to the side is right as it is")
  }

  private static func words(_ v: Vector3) -> String {
    let values = [v.x, v.y, v.z]
    guard let index = values.indices.max(by: { abs(values[$0]) < abs(values[$1]) }), abs(values[index]) > 0.866 else {
      return "(\(values.map { Words.fixed($0, 2) }.joined(separator: ", ")))"
    }
    return (values[index] < 0 ? "-" : "+") + ["x", "y", "z"][index]
  }
}

/// Which of the body's axes points ahead and which up: `{forward: x, up: z}`, or a name.
///
/// The device D that angles are counted in looks along -z with y up. Its origin is the body's.
package struct DeviceAxes: Equatable, Sendable {
  /// A signed axis of the body.
  private struct Axis: Equatable {
    var index: Int
    var isNegative: Bool

    init?(_ text: Substring) {
      var name = text.lowercased().trimmingSpaces()
      isNegative = name.first == "-"
      if name.first == "-" || name.first == "+" { name.removeFirst() }
      guard let index = ["x", "y", "z"].firstIndex(of: String(name)) else { return nil }
      self.index = index
    }

    var vector: Vector3 {
      let size: Double = isNegative ? -1 : 1
      return Vector3(index == 0 ? size : 0, index == 1 ? size : 0, index == 2 ? size : 0)
    }
  }

  /// The names, what a body has that goes by them, and its axes.
  private static let named: [(name: String, what: String, forward: String, up: String)] = [
    ("rep103", "ROS bodies, REP 103: x forward, y left, z up; also flu, ros, base_link", "x", "z"),
    ("frd", "PX4 and aircraft: x forward, y right, z down", "x", "-z"),
    ("rfu", "x right, y forward, z up", "y", "z"),
    ("android", "Android's sensors: looking at the screen x right, y up, z out of it; also ios", "-z", "y"),
    ("arkit", "ARKit's camera, which is in landscape, of a phone held upright", "-z", "-x"),
    ("optical", "a camera, ROS's optical frames, OpenCV: x right, y down, z forward; also opencv", "z", "-y"),
  ]
  private static let aliases = [
    "flu": "rep103", "ros": "rep103", "base_link": "rep103", "ios": "android", "phone": "android", "opencv": "optical",
    "camera": "optical", "px4": "frd", "enu": "rfu",
  ]

  /// What is accepted, for messages.
  package static var expected: String {
    "forward and up, two of x, y, z, -x, -y, -z (forward=x,up=z), or one of "
      + named.map(\.name).joined(separator: ", ")
  }

  /// The names with what they are, one a line.
  package static var names: [(name: String, what: String)] { named.map { ($0.name, $0.what) } }

  /// The device's axes in the body's.
  package let bodyFromDevice: Pose
  /// As it was stated.
  package let words: String

  /// Axes from a name, or `forward=x,up=z` (also `forward: x, up: z`, also in braces); nil for anything else.
  package init?(_ text: String) {
    let name = text.lowercased()
    if let known = Self.named.first(where: { $0.name == Self.aliases[name] ?? name }) {
      self.init(forward: known.forward, up: known.up, words: name)
      return
    }
    var values: [String: String] = [:]
    for part in text.split(separator: ",") {
      let halves = part.filter { !"{}".contains($0) }.split(whereSeparator: { $0 == ":" || $0 == "=" })
      guard halves.count == 2 else { return nil }
      values[halves[0].trimmingSpaces().lowercased()] = String(halves[1])
    }
    guard values.count == 2, let forward = values["forward"], let up = values["up"] else { return nil }
    self.init(forward: forward, up: up, words: nil)
  }

  /// Axes by the names of the body's; nil where they are none, or lie along one line.
  init?(forward: String, up: String, words: String? = nil) {
    guard let f = Axis(Substring(forward)), let u = Axis(Substring(up)), f.index != u.index else { return nil }
    let (ahead, above) = (f.vector, u.vector)
    bodyFromDevice = Pose(rotation: Rotation(matrix: Matrix3(columns: ahead.cross(above), above, -ahead)))
    let stated = "forward \(forward.trimmingSpaces()), up \(up.trimmingSpaces())"
    self.words = words.map { "\($0) (\(stated))" } ?? stated
  }

  /// The nearest axes to directions in the body's, as a map states them, with their name where they have one; nil where they lie more than 30 degrees
  /// from every axis.
  static func nearest(forward: Vector3, up: Vector3) -> (axes: DeviceAxes, words: String)? {
    func axis(_ v: Vector3) -> String? {
      let values = [v.x, v.y, v.z]
      guard let index = values.indices.max(by: { abs(values[$0]) < abs(values[$1]) }), abs(values[index]) > 0.866
      else { return nil }
      return (values[index] < 0 ? "-" : "") + ["x", "y", "z"][index]
    }
    guard let f = axis(forward), let u = axis(up), let axes = DeviceAxes(forward: f, up: u) else { return nil }
    let name = named.first { $0.forward == f && $0.up == u }?.name
    return (axes, "{forward: \(f), up: \(u)}" + (name.map { ", which is \($0)," } ?? ""))
  }
}

extension ImportMap {
  /// What the map says of the device: `device`, a name or `{forward, up}`, or `device_T_BS`; nil where it says nothing.
  func device() throws(DatasetError) -> (pose: Pose, words: String)? {
    let matrix = try file.pose("device_T_BS")
    guard file.keys.contains("device") else { return matrix.map { ($0, "device_T_BS") } }
    guard matrix == nil else {
      throw file.fault("device", found: "device beside device_T_BS", expected: "one of them")
    }
    let axes: DeviceAxes?, shown: String
    if file.hasSection("device"), let section = try file.section("device") {
      try Section(name: "device", file: section).check(["forward", "up"])
      let (forward, up) = (try section.text("forward") ?? "", try section.text("up") ?? "")
      shown = "device: {forward: \(forward), up: \(up)}"
      axes = DeviceAxes(forward: forward, up: up)
    } else {
      let name = try file.text("device") ?? ""
      shown = "device: \(name)"
      axes = DeviceAxes(name)
    }
    guard let axes else { throw file.fault("device", found: shown, expected: DeviceAxes.expected) }
    return (axes.bodyFromDevice, axes.words)
  }
}
