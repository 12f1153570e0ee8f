import Geometry
import SensorData
import Testing

@Suite struct CalibrationTests {
  static func camera(_ bodyFromCamera: Pose) -> CameraCalibration {
    CameraCalibration(bodyFromCamera: bodyFromCamera, fx: 400, fy: 400, cx: 320, cy: 240, width: 640, height: 480)
  }

  /// A camera along the body's x with an upright image: the device's -z must point there too, and its y up.
  @Test func deviceAxesAreTheFirstCamerasWithYAndZFlipped() {
    let bodyFromCamera = Pose(
      rotation: Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, -1), Vector3(1, 0, 0))),
      translation: Vector3(0.1, 0.2, 0.3))
    let other = Self.camera(.identity)
    let rig = RigCalibration(cameras: [Self.camera(bodyFromCamera), other])
    #expect((rig.bodyFromDevice.rotation * Vector3(0, 0, -1) - Vector3(1, 0, 0)).norm < 1e-12)
    #expect((rig.bodyFromDevice.rotation * Vector3(0, 1, 0) - Vector3(0, 0, 1)).norm < 1e-12)
    #expect((rig.bodyFromDevice.rotation * Vector3(1, 0, 0) - Vector3(0, -1, 0)).norm < 1e-12)
    #expect(rig.bodyFromDevice.translation == .zero, "the device's origin is the body's")
  }

  @Test func withoutACameraTheDeviceIsTheBody() {
    #expect(RigCalibration().bodyFromDevice == .identity)
  }

  @Test func statedDeviceAxesWin() {
    let stated = Pose(rotation: .yaw(1), translation: Vector3(1, 2, 3))
    #expect(RigCalibration(cameras: [Self.camera(.identity)], bodyFromDevice: stated).bodyFromDevice == stated)
  }

  @Test func anAntennaIsFoundByNameOrIfItIsTheOnlyOne() {
    let one = RadioCalibration(antennas: ["": Vector3(1, 0, 0)])
    let two = RadioCalibration(antennas: ["a": Vector3(1, 0, 0), "b": Vector3(0, 1, 0)])
    #expect(one.position(of: nil) == Vector3(1, 0, 0))
    #expect(one.position(of: "any") == Vector3(1, 0, 0))
    #expect(two.position(of: "b") == Vector3(0, 1, 0))
    #expect(two.position(of: "c") == nil)
    #expect(two.position(of: nil) == nil, "with several antennas a range must say which")
  }
}
