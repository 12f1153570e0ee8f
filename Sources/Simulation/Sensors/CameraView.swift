import Geometry
import SensorData

/// Where one camera sees points of the world along a motion: lens, rows that are exposed one after the other, and walls.
struct CameraView {
  /// The camera.
  let camera: CameraCalibration
  private let lens: Lens
  private let motion: PoseSpline
  private let rowSkew: Double
  private let walls: [Scenario.Wall]

  /// - Parameter rowSkew: seconds from the first row to the last.
  init(_ camera: CameraCalibration, along motion: PoseSpline, rowSkew: Double, walls: [Scenario.Wall]) {
    self.camera = camera
    self.motion = motion
    self.rowSkew = rowSkew
    self.walls = walls.filter(\.isOpaque)
    lens = Lens(camera)
  }

  /// The places in `landmarks` of what is seen in the frame whose middle row is exposed at `time` seconds, and the raw
  /// pixels, without noise.
  func seen(_ landmarks: [Vector3], at time: Double) -> [(landmark: Int, u: Double, v: Double)] {
    let middle = worldFromCamera(at: time)
    let cameraFromWorld = middle.inverse
    return landmarks.indices.compactMap { index in
      guard let pixel = lens.pixel(of: cameraFromWorld * landmarks[index]),
        let shifted = rowSkew > 0 ? onItsRow(pixel, landmarks[index], at: time) : pixel,
        !walls.contains(where: { $0.stands(between: middle.translation, and: landmarks[index]) })
      else { return nil }
      return (index, shifted.u, shifted.v)
    }
  }

  /// The pixel of a point as its own row sees it: the fixed point of "row -> time -> pose -> row", which three steps reach
  /// to a thousandth of a pixel because a hand moves little within a frame.
  private func onItsRow(
    _ pixel: (u: Double, v: Double), _ landmark: Vector3, at time: Double
  ) -> (u: Double, v: Double)? {
    var pixel = pixel
    for _ in 0..<3 {
      let row = pixel.v / Double(camera.height - 1) - 0.5
      let cameraFromWorld = worldFromCamera(at: time + row * rowSkew).inverse
      guard let next = lens.pixel(of: cameraFromWorld * landmark) else { return nil }
      pixel = next
    }
    return pixel
  }

  private func worldFromCamera(at time: Double) -> Pose {
    motion.kinematics(at: time).worldFromBody * camera.bodyFromCamera
  }
}
