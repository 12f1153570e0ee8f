import Estimator
import Geometry
import Inertial

/// The four directions, at first estimates, in order: translations along x, y, z, a rotation about the vertical.
package final class UnobservableDirectionsRecorder: UpdateObserver {
  package var largest = (update: 0.0, propagation: 0.0, anchor: 0.0)
  package var smallestTilt = Double.infinity
  package var (updates, rows, anchors) = (0, 0, 0)

  package init() {}

  package static func inertial(_ state: InertialState, _ k: Int) -> [Double] {
    if k < 3 { return (0..<15).map { $0 == 3 + k ? 1 : 0 } }
    return rotation(state, about: Vector3(0, 0, 1))
  }
  package static func rotation(_ state: InertialState, about axis: Vector3) -> [Double] {
    [axis, axis.cross(state.position), axis.cross(state.velocity), .zero, .zero].flatMap { [$0.x, $0.y, $0.z] }
  }
  package static func clone(_ clone: Clone, _ k: Int, axis: Vector3 = Vector3(0, 0, 1)) -> [Double] {
    if k < 3 { return (0..<6).map { $0 == 3 + k ? 1 : 0 } }
    return [axis, axis.cross(clone.firstWorldFromCamera.translation)].flatMap { [$0.x, $0.y, $0.z] }
  }
  /// A landmark, relative to a camera, has no component in any of them.
  package func part(_ block: ErrorCovariance.Block, _ k: Int, _ navigation: InertialNavigation) -> [Double] {
    if block == navigation.poseBlock { return Self.inertial(navigation.first, k) }
    if let clone = navigation.clones.first(where: { $0.block == block }) { return Self.clone(clone, k) }
    return [Double](repeating: 0, count: navigation.covariance.size(of: block))
  }

  package func propagated(_ transition: [Double], from before: InertialState, to after: InertialState) {
    for k in 0..<4 {
      let from = Self.inertial(before, k), to = Self.inertial(after, k)
      for i in 0..<15 {
        let moved = (0..<15).reduce(0.0) { $0 + transition[15 * i + $1] * from[$1] }
        largest.propagation = max(largest.propagation, abs(moved - to[i]))
      }
    }
    // A tilt is not propagated into a tilt: gravity is observed.
    let east = Vector3(1, 0, 0)
    let from = Self.rotation(before, about: east), to = Self.rotation(after, about: east)
    var change = 0.0
    for i in 0..<15 {
      let moved = (0..<15).reduce(0.0) { $0 + transition[15 * i + $1] * from[$1] }
      change = max(change, abs(moved - to[i]))
    }
    smallestTilt = min(smallestTilt, change)
  }

  package func willUpdate(with rows: RowStack, _ navigation: InertialNavigation) {
    updates += 1
    self.rows += rows.residual.count
    for k in 0..<4 {
      let direction = navigation.covariance.blocks.flatMap { part($0, k, navigation) }
      rows.forEachRow { columns, coefficients, _ in
        let terms = zip(columns, coefficients).map { $1 * direction[Int($0)] }
        let sum = terms.reduce(0, +), size = terms.reduce(0) { $0 + abs($1) }
        if size > 0 { largest.update = max(largest.update, abs(sum) / max(size, 1)) }
      }
    }
  }

  package func reanchored(_ jacobian: [(ErrorCovariance.Block, [Double])], in navigation: InertialNavigation) {
    anchors += 1
    for k in 0..<4 {
      for i in 0..<AnchoredPoint.errorSize {
        var sum = 0.0
        for (block, J) in jacobian {
          let direction = part(block, k, navigation), n = direction.count
          for j in 0..<n { sum += J[i * n + j] * direction[j] }
        }
        largest.anchor = max(largest.anchor, abs(sum))
      }
    }
  }

  /// Attaches itself to the filter of a run in a small room. The largest displacement of a clone from its first
  /// estimate, metres.
  package func record(seconds: Double, calibrates: Bool) -> Double {
    var world = SmallRoom(SmallRoom.moving)
    var configuration = VisualInertialConfiguration()
    configuration.calibration.online = calibrates
    let estimator = VisualInertialEstimator(imu: SmallRoom.imu, camera: SmallRoom.camera, configuration: configuration)
    var travelled = 0.0
    _ = world.run(seconds, estimator) { _, event in
      if let navigation = estimator.navigation {
        navigation.observer = self
        let shifts = navigation.clones.map {
          ($0.worldFromCamera.translation - $0.firstWorldFromCamera.translation).norm
        }
        travelled = max(travelled, shifts.max() ?? 0)
      }
      return event
    }
    return travelled
  }
}
