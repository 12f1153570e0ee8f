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
