import Geometry

#if !ONE_MODULE
  import ARKit
#endif

/// ARKit's world frame, from the estimator's: right-handed, y up, origin at the device's first position, -z the
/// horizontal direction of its back camera then.
///
/// All conversions from z up to y up are here.
package struct ARWorld: Equatable, Sendable {
  /// Estimator's world (z up) to ARKit's world (y up).
  package let arFromWorld: Pose

  /// The world frame that belongs to the device's first pose in the estimator's world.
  package init(firstWorldFromDevice pose: Pose) {
    let ahead = HorizontalAngle.aheadAzimuth(worldFromDevice: pose.rotation)
    // First ahead along +x, left along +y; then permute the axes: x right, y up, -z ahead.
    let level = Rotation.yaw(-ahead)
    let permutation = Rotation(matrix: Matrix3(columns: Vector3(0, 0, -1), Vector3(-1, 0, 0), Vector3(0, 1, 0)))
    let rotation = permutation * level
    arFromWorld = Pose(rotation: rotation, translation: -(rotation * pose.translation))
  }

  /// The pose of ARKit's camera: x along the phone's long side towards its lower edge, y towards its right edge, z
  /// towards the user. The sensor is upright in landscape.
  package func cameraTransform(worldFromDevice: Pose) -> simd_float4x4 {
    let deviceFromCamera = Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)))
    return simd_float4x4(arFromWorld * worldFromDevice * Pose(rotation: deviceFromCamera))
  }

  /// A point of the estimator's world as a transform: its position, without rotation.
  package func transform(of position: Vector3) -> simd_float4x4 {
    simd_float4x4(Pose(translation: arFromWorld * position))
  }
}

extension ARSession {
  /// Whether camera assistance can start with this session: its configuration is suitable, and its delegate does not
  /// relocalise. A session that does not run yet is suitable. Calls the session's delegate.
  var supportsCameraAssistance: Bool {
    if let observer = delegate, observer.sessionShouldAttemptRelocalization(self) { return false }
    return isConfigurationSuitable
  }

  /// Whether its configuration, if it runs, is suitable for camera assistance: world tracking aligned with gravity, no
  /// collaboration, no face tracking, no initial map.
  var isConfigurationSuitable: Bool {
    guard let configuration else { return true }
    guard let tracking = configuration as? ARWorldTrackingConfiguration else { return false }
    return tracking.worldAlignment == .gravity && !tracking.isCollaborationEnabled && !tracking.userFaceTrackingEnabled
      && tracking.initialWorldMap == nil
  }
}

extension simd_float4x4 {
  /// A pose as a matrix: rotation in the first three columns, translation in the fourth.
  package init(_ pose: Pose) {
    let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].map { pose.rotation * $0 }
    self.init(
      simd_float4(simd_float3(axes[0]), 0), simd_float4(simd_float3(axes[1]), 0), simd_float4(simd_float3(axes[2]), 0),
      simd_float4(simd_float3(pose.translation), 1))
  }
}
