import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Frames of rolling shutters as a global shutter would have taken them at the exposure of the row that is read last.
///
/// Row r of a frame is exposed `d = (r - stampedRow) rowTime` after its stamp (`CameraCalibration`). The camera turns by
/// P between that and the end T of the readout; a direction b of the row is `P^-1 b` in the camera's axes at T. P is the
/// product of `Exp(w h)` over short steps of the gyroscope's rate w, of which the filter's present bias is taken off. How
/// far the camera moved meanwhile depends on the point's distance: every feature keeps its `rowDelay` `d - T`, and the
/// filter observes from there (`Clone.worldFromCamera(_:rowDelay:)`).
///
/// A frame waits for the inertial samples of its readout. Source of the model: Hedborg, Forssen, Felsberg, Ringaby,
/// "Rolling shutter bundle adjustment", CVPR 2012, doi:10.1109/CVPR.2012.6247831.
package struct RollingShutter: Sendable {
  private struct Camera {
    let calibration: CameraCalibration
    let lens: LensModel
    let cameraFromIMU: Rotation

    /// Seconds from a frame's stamp to the end of its readout on the IMU's clock.
    var end: Double { calibration.timeOffset + calibration.readoutEnd }
  }

  /// By number; nil where the shutter is global.
  private let cameras: [Camera?]
  private var samples = IMUBuffer()
  private var held: [CameraFrame] = []
  /// Without inertial samples a frame is held at most this long, seconds.
  private static let patience = 0.5
  /// Steps of a readout: 2 ms each for 30 ms, in which a hand's angular rate changes by 1 percent.
  private static let steps = 16

  /// Nil where no camera has a rolling shutter, or nothing measures its rotation.
  package init?(_ rig: RigCalibration) {
    guard let imu = rig.imu, rig.cameras.contains(where: { $0.rowTime != 0 }) else { return nil }
    cameras = rig.cameras.map { camera in
      guard camera.rowTime != 0 else { return nil }
      return Camera(
        calibration: camera, lens: LensModel(camera),
        cameraFromIMU: camera.bodyFromCamera.rotation.inverse * imu.bodyFromIMU.rotation)
    }
  }

  /// Takes a frame in, in time order; returns those that need not wait any more.
  package mutating func add(_ frame: CameraFrame, gyroscopeBias: Vector3?) -> [CameraFrame] {
    guard camera(of: frame) != nil else { return [frame] }
    held.append(frame)
    var overdue = 0
    while frame.timestamp.seconds(since: held[overdue].timestamp) > Self.patience { overdue += 1 }
    defer { held.removeFirst(overdue) }
    return held[..<overdue].map { straightened($0, gyroscopeBias) }
  }

  /// Takes an inertial sample in, in time order; returns the frames whose readout it ends.
  package mutating func add(_ sample: IMUSample, gyroscopeBias: Vector3?) -> [CameraFrame] {
    guard samples.add(sample) else { return [] }
    samples.forget(before: sample.timestamp.advanced(bySeconds: -2 * Self.patience))
    let ready = held.filter { end(of: $0) <= sample.timestamp }
    guard !ready.isEmpty else { return [] }
    held = held.filter { end(of: $0) > sample.timestamp }
    return ready.map { straightened($0, gyroscopeBias) }
  }

  /// The frames that wait still, at the end of a recording.
  package mutating func flush(gyroscopeBias: Vector3?) -> [CameraFrame] {
    defer { held = [] }
    return held.map { straightened($0, gyroscopeBias) }
  }

  private func camera(of frame: CameraFrame) -> Camera? {
    cameras.indices.contains(frame.camera) ? cameras[frame.camera] : nil
  }

  /// The end of a frame's readout on the IMU's clock.
  private func end(of frame: CameraFrame) -> Timestamp {
    frame.timestamp.advanced(bySeconds: camera(of: frame)?.end ?? 0)
  }

  /// The frame at the end of its readout. A feature that leaves the lens' reach is dropped.
  private func straightened(_ frame: CameraFrame, _ bias: Vector3?) -> CameraFrame {
    guard let camera = camera(of: frame) else { return frame }
    let turns = rotations(until: end(of: frame), camera, bias ?? .zero)
    let step = camera.calibration.readout / Double(Self.steps), end = camera.calibration.readoutEnd
    var straight = frame
    straight.timestamp = frame.timestamp.advanced(bySeconds: end)
    straight.features = frame.features.compactMap { feature in
      let delay = camera.calibration.delay(ofRow: feature.v) - end
      // Features slightly outside of the image: the rate of the nearest row goes on.
      let place = -delay / step
      let index = min(max(Int(place), 0), Self.steps - 1)
      let endFromRow = (Rotation.exp((place - Double(index)) * turns[index].next) * turns[index].whole).inverse
      guard let seen = camera.lens.direction(ofPixel: SIMD2(feature.u, feature.v)),
        let pixel = camera.lens.project(endFromRow * seen)?.pixel
      else { return nil }
      var feature = feature
      (feature.u, feature.v, feature.rowDelay) = (pixel.x, pixel.y, delay)
      return feature
    }
    return straight
  }

  /// For every step, counted back from the end of the readout: the camera's rotation between the step's later border and
  /// the end, and the rotation vector of the step, both in the camera's axes.
  private func rotations(
    until end: Timestamp, _ camera: Camera, _ bias: Vector3
  ) -> [(whole: Rotation, next: Vector3)] {
    let step = camera.calibration.readout / Double(Self.steps)
    var whole = Rotation.identity
    return (0..<Self.steps).map { index in
      let middle = end.advanced(bySeconds: -(Double(index) + 0.5) * step)
      let rate = samples.sample(at: middle).map { camera.cameraFromIMU * ($0.angularVelocity - bias) } ?? .zero
      let next = step * rate
      defer { whole = Rotation.exp(next) * whole }
      return (whole, next)
    }
  }
}

extension CameraCalibration {
  /// Seconds from the exposure of the first row to that of the last.
  fileprivate var readout: Double { abs(rowTime) * Double(max(height - 1, 1)) }
}
