import Geometry

/// ARKit's world beside the estimate's: right-handed, y up, origin where the device was at first, -z where its back camera
/// then looked (horizontally).
///
/// The one place that turns z up into y up.
package struct ARWorld: Equatable, Sendable {
  /// Estimate's world (z up) to ARKit's world (y up).
  package let arFromWorld: Pose

  /// The world that begins at the device's first pose in the estimate's world.
  package init(firstWorldFromDevice pose: Pose) {
    let ahead = HorizontalAngle.aheadAzimuth(worldFromDevice: pose.rotation)
    // Ahead along +x, left along +y; then the axes change their names: x right, y up, -z ahead.
    let level = Rotation.yaw(-ahead)
    let named = Rotation(matrix: Matrix3(columns: Vector3(0, 0, -1), Vector3(-1, 0, 0), Vector3(0, 1, 0)))
    let rotation = named * level
    arFromWorld = Pose(rotation: rotation, translation: -(rotation * pose.translation))
  }

  /// The pose of ARKit's camera: x along the phone's long side towards its lower edge, y towards its right edge, z towards
  /// the user. That is how the sensor is built in: upright in landscape.
  package func cameraTransform(worldFromDevice: Pose) -> simd_float4x4 {
    let deviceFromCamera = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)))
    return simd_float4x4(arFromWorld * worldFromDevice * Pose(rotation: deviceFromCamera))
  }

  /// A point of the estimate's world as a transform: its position, and no rotation.
  package func transform(of position: Vector3) -> simd_float4x4 {
    simd_float4x4(Pose(translation: arFromWorld * position))
  }
}
