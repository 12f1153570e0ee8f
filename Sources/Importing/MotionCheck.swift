import Geometry
import SensorData

/// What only motion shows of a set-up: rotations that are inverted, a body that travels beside "ahead". For imports and
/// for `fuse inspect`.
package struct MotionCheck {
  /// Diagnoses of the premises that inverted rotations bring about: a clock, a mirror, a world upside down.
  private static let explained: Set<String> = [
    "odometryConvention", "odometryClock", "truthConvention", "truthClock", "imuAxes", "gravitySign",
  ]

  private let bodyFromSensor: Pose
  private let name: String
  private let statesDevice: Bool
  private var travel: TravelAxis
  private var convention: RotationConvention
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
    convention.add(angularVelocity: sample.angularVelocity, at: sample.timestamp.nanoseconds)
  }

  /// Adds a pose of the tracker, or a true one of the body.
  package mutating func add(pose: Pose, at time: Timestamp) {
    if first == nil { first = time }
    travel.add(pose * bodyFromSensor.inverse, at: time.seconds(since: first!))
    convention.add(rotation: pose.rotation, at: time.nanoseconds)
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
    /// Whether rotations are inverted: then some diagnoses of the premises are none.
    package var isInverted: Bool

    /// Whether a diagnosis of the premises has its cause in what was found here.
    package func explains(_ code: String) -> Bool { isInverted && MotionCheck.explained.contains(code) }
  }

  /// What was found so far, without a report: for `fuse inspect`.
  package var found: Found {
    var report = ImportReport(kind: .csv, source: "")
    let isInverted = judge(&report)
    return Found(findings: report.findings, isInverted: isInverted)
  }

  /// Adds findings and figures; whether the rotations are inverted.
  @discardableResult
  func judge(_ report: inout ImportReport) -> Bool {
    let inverted = convention.outcome.flatMap { $0.isInverted ? $0 : nil }
    inverted?.judge(name, &report)
    // Axes of a body whose rotations are not known say nothing.
    if inverted == nil { travel.outcome?.judge(isStated: statesDevice, &report) }
    return inverted != nil
  }
}
