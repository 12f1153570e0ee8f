import Foundation
import Geometry
import SensorData

/// Estimates from accelerometer or poses how the device is held. The up vector is low-pass filtered over about half a
/// second, so that a swing of the hand is not taken for gravity.
package struct HoldingEstimator: Sendable {
  /// Time constant of the low-pass filter, seconds.
  private static let smoothing = 0.5
  private let deviceFromIMU: Rotation
  private let deviceFromSensor: Rotation
  private var up: Vector3?
  private var last: Timestamp?
  /// How the device is held; nil before that is known.
  package private(set) var holding: Holding?

  /// An estimator without events.
  package init(rig: RigCalibration) {
    let deviceFromBody = rig.bodyFromDevice.rotation.inverse
    deviceFromIMU = deviceFromBody * (rig.imu?.bodyFromIMU.rotation ?? .identity)
    deviceFromSensor = deviceFromBody * (rig.odometry?.bodyFromSensor.rotation ?? .identity)
  }

  /// Processes an event; ignores frames, ranges and device events.
  package mutating func process(_ event: SensorEvent) {
    guard event.isFinite else { return }
    switch event {
    case .imu(let sample): average(deviceFromIMU * sample.specificForce, at: sample.timestamp)
    case .odometry(let pose):
      let up = pose.worldFromSensor.rotation.inverse * Vector3(0, 0, 1)
      average(deviceFromSensor * up * Self.gravity, at: pose.timestamp)
    default: return
    }
    if let up { holding = Holding(up: up, before: holding) }
  }

  /// Specific force of a stationary accelerometer, m/s^2: poses get the same weight.
  private static let gravity = 9.81

  private mutating func average(_ value: Vector3, at time: Timestamp) {
    let seconds = last.map { max(0, time.seconds(since: $0)) } ?? .infinity
    let weight = 1 - exp(-seconds / Self.smoothing)
    up = up.map { $0 + weight * (value - $0) } ?? value
    last = max(last ?? time, time)
  }
}
