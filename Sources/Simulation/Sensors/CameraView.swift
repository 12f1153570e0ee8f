import Geometry
import SensorData

/// Projection of world points into one camera along a motion: lens, rolling shutter, occlusion by walls.
struct CameraView {
  /// The camera.
  let camera: CameraCalibration
  private let lens: Lens
  private let motion: PoseSpline
  /// Seconds from the first row to the last.
  let rowSkew: Double
  private let walls: [Scenario.Wall]

  /// - Parameter rowSkew: seconds from the first row to the last.
  init(_ camera: CameraCalibration, along motion: PoseSpline, rowSkew: Double, walls: [Scenario.Wall]) {
    self.camera = camera
    self.motion = motion
    self.rowSkew = rowSkew
    self.walls = walls.filter(\.isOpaque)
    lens = Lens(camera)
  }

  /// Indices in `landmarks` of the points visible in the frame whose middle row is exposed at `time` seconds, with
  /// their raw pixels, without noise.
  func seen(_ landmarks: [Vector3], at time: Double) -> [(landmark: Int, u: Double, v: Double)] {
    let middle = worldFromCamera(at: time)
    let cameraFromWorld = middle.inverse
    return landmarks.indices.compactMap { index in
      guard let pixel = lens.pixel(of: cameraFromWorld * landmarks[index]),
        let shifted = rowSkew > 0 ? onItsRow(pixel, landmarks[index], at: time) : pixel,
        !walls.contains(where: { $0.intersectsSegment(from: middle.translation, to: landmarks[index]) })
      else { return nil }
      return (index, shifted.u, shifted.v)
    }
  }

  /// The pixel of a point at the exposure time of its own row: the fixed point of "row -> time -> pose -> row". Three
  /// iterations reach 0.001 pixels, since a hand moves little within a frame.
  private func onItsRow(
    _ pixel: (u: Double, v: Double), _ landmark: Vector3, at time: Double
  ) -> (u: Double, v: Double)? {
    var pixel = pixel
    for _ in 0..<3 {
      let cameraFromWorld = worldFromCamera(at: time, row: pixel.v).inverse
      guard let next = lens.pixel(of: cameraFromWorld * landmark) else { return nil }
      pixel = next
    }
    return pixel
  }

  /// The camera's pose at the exposure of a row, of the frame whose middle row is exposed at `time` seconds.
  func worldFromCamera(at time: Double, row: Double) -> Pose {
    worldFromCamera(at: time + (row / Double(camera.height - 1) - 0.5) * rowSkew)
  }

  private func worldFromCamera(at time: Double) -> Pose {
    motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
  }
}
