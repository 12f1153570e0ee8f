import Foundation
import Geometry
import SensorData

#if !ONE_MODULE
  import ARKit
#endif

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// What a device's camera says to ARKit: its images as a sensor upright in landscape has them, and their light.
struct DeviceCamera {
  /// Size and pinhole.
  let image: ARCamera.ImageGeometry
  /// Images a second, where stated.
  let rate: Double?
  private let timeOffset: Double
  /// Light and exposure of the frames that no pose has overtaken, oldest first.
  private var frames: [CameraFrame] = []

  /// Nil for a device without a camera.
  init?(_ rig: RigCalibration) {
    guard let camera = rig.cameras.first else { return nil }
    let deviceFromCamera = rig.bodyFromDevice.rotation.inverse * camera.bodyFromCamera.rotation
    image = Self.image(camera, columns: deviceFromCamera * Vector3(1, 0, 0))
    rate = camera.rate
    timeOffset = camera.timeOffset + camera.readoutEnd
  }

  /// Takes a frame in.
  mutating func add(_ frame: CameraFrame) {
    guard frame.camera == 0 else { return }
    var dark = frame
    dark.features = []
    frames.append(dark)
    if frames.count > 100 { frames.removeFirst() }
  }

  /// The newest frame at a time.
  mutating func frame(at time: Timestamp) -> CameraFrame? {
    let latest = time.advanced(bySeconds: 1e-6 - timeOffset)
    while frames.count > 1, frames[1].timestamp <= latest { frames.removeFirst() }
    return frames.first.flatMap { $0.timestamp <= latest ? $0 : nil }
  }

  /// The image turned by quarters, so that its columns run to the device's lower edge; `columns` is the direction in
  /// which those of the recording's run, device axes.
  private static func image(_ camera: CameraCalibration, columns: Vector3) -> ARCamera.ImageGeometry {
    let (w, h) = (Double(camera.width), Double(camera.height))
    let isUpright = abs(columns.x) > abs(columns.y)
    let pinhole: (fx: Double, fy: Double, cx: Double, cy: Double) =
      switch (isUpright, isUpright ? columns.x > 0 : columns.y < 0) {
      case (true, true): (camera.fy, camera.fx, camera.cy, w - camera.cx)
      case (true, false): (camera.fy, camera.fx, h - camera.cy, camera.cx)
      case (false, true): (camera.fx, camera.fy, camera.cx, camera.cy)
      case (false, false): (camera.fx, camera.fy, w - camera.cx, h - camera.cy)
      }
    return ARCamera.ImageGeometry(
      intrinsics: simd_float3x3(
        simd_float3(Float(pinhole.fx), 0, 0), simd_float3(0, Float(pinhole.fy), 0),
        simd_float3(Float(pinhole.cx), Float(pinhole.cy), 1)),
      size: isUpright ? CGSize(width: h, height: w) : CGSize(width: w, height: h))
  }
}

extension NearbyDevice {
  package var videoFormat: ARConfiguration.VideoFormat? {
    SessionLock.withLock { camera }.map {
      ARConfiguration.VideoFormat(imageResolution: $0.image.size, framesPerSecond: Int(($0.rate ?? 0).rounded()))
    }
  }
}

/// How a phone is held: which of its axes is vertical.
public enum Holding: String, Sendable, CaseIterable {
  /// The short edges are level.
  case portrait
  /// The long edges are level.
  case landscape
  /// The screen looks up or down.
  case flat

  /// Holding from the up vector (device axes, any length), with hysteresis: near a border it stays `before`. Nil for a
  /// zero or non-finite vector, and near a border without `before`.
  package init?(up: Vector3, before: Holding?) {
    let length = up.norm
    guard length.isFinite, length > 0 else { return nil }
    let axes = Vector3(abs(up.x), abs(up.y), abs(up.z)) / length
    // A fifth more than the second largest component, so that tremor about 45 degrees does not change the result.
    let margin = 1.2
    for (holding, component, others) in [
      (Holding.portrait, axes.y, max(axes.x, axes.z)), (.landscape, axes.x, max(axes.y, axes.z)),
      (.flat, axes.z, max(axes.x, axes.y)),
    ] where component > margin * others {
      self = holding
      return
    }
    guard let before else { return nil }
    self = before
  }
}

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
