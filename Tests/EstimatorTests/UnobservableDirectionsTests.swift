import Estimator
import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

/// A camera and an inertial unit cannot know where the world's origin is nor which way north: over a whole recording, no row of
/// any update, no propagation and no change of anchor tells anything along these four directions.
@Suite struct UnobservableDirectionsTests {
  /// The four directions, at first estimates, one after the other: shifts along x, y, z, a turn about the vertical.
  final class Watch: UpdateObserver {
    var largest = (update: 0.0, propagation: 0.0, anchor: 0.0)
    var smallestTilt = Double.infinity
    var (updates, rows, anchors) = (0, 0, 0)

    static func inertial(_ state: InertialState, _ k: Int) -> [Double] {
      if k < 3 { return (0..<15).map { $0 == 3 + k ? 1 : 0 } }
      return turn(state, about: Vector3(0, 0, 1))
    }
    static func turn(_ state: InertialState, about axis: Vector3) -> [Double] {
      [axis, axis.cross(state.position), axis.cross(state.velocity), .zero, .zero].flatMap { [$0.x, $0.y, $0.z] }
    }
    static func clone(_ clone: Clone, _ k: Int, axis: Vector3 = Vector3(0, 0, 1)) -> [Double] {
      if k < 3 { return (0..<6).map { $0 == 3 + k ? 1 : 0 } }
      return [axis, axis.cross(clone.firstWorldFromCamera.translation)].flatMap { [$0.x, $0.y, $0.z] }
    }
    /// A landmark, told in a camera, has no part in any of them.
    func part(_ block: ErrorCovariance.Block, _ k: Int, _ navigation: InertialNavigation) -> [Double] {
      if block == navigation.poseBlock { return Self.inertial(navigation.first, k) }
      if let clone = navigation.clones.first(where: { $0.block == block }) { return Self.clone(clone, k) }
      return [Double](repeating: 0, count: navigation.covariance.size(of: block))
    }

    func propagated(_ transition: [Double], from before: InertialState, to after: InertialState) {
      for k in 0..<4 {
        let from = Self.inertial(before, k), to = Self.inertial(after, k)
        for i in 0..<15 {
          let moved = (0..<15).reduce(0.0) { $0 + transition[15 * i + $1] * from[$1] }
          largest.propagation = max(largest.propagation, abs(moved - to[i]))
        }
      }
      // A tilt is not carried into a tilt: gravity is seen.
      let east = Vector3(1, 0, 0)
      let from = Self.turn(before, about: east), to = Self.turn(after, about: east)
      var change = 0.0
      for i in 0..<15 {
        let moved = (0..<15).reduce(0.0) { $0 + transition[15 * i + $1] * from[$1] }
        change = max(change, abs(moved - to[i]))
      }
      smallestTilt = min(smallestTilt, change)
    }

    func willUpdate(with rows: RowStack, _ navigation: InertialNavigation) {
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

    func reanchored(_ jacobian: [(ErrorCovariance.Block, [Double])], in navigation: InertialNavigation) {
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
  }

  /// A calibration that is estimated on the way has no part in them either, wherever its Jacobians are taken.
  @Test(arguments: [false, true]) func aMinuteTellsNothingAboutThem(calibrates: Bool) throws {
    typealias World = VisualInertialEstimatorTests.World
    var world = World(VisualInertialEstimatorTests.moving)
    var configuration = VisualInertialConfiguration()
    configuration.calibration.online = calibrates
    let estimator = VisualInertialEstimator(imu: World.imu, camera: World.camera, configuration: configuration)
    let watch = Watch()
    var travelled = 0.0
    _ = world.run(60, estimator) { _, event in
      if let navigation = estimator.navigation {
        navigation.observer = watch
        let shifts = navigation.clones.map {
          ($0.worldFromCamera.translation - $0.firstWorldFromCamera.translation).norm
        }
        travelled = max(travelled, shifts.max() ?? 0)
      }
      return event
    }
    #expect(watch.updates > 900 && watch.rows > 20_000 && watch.anchors > 300)
    #expect(travelled > 1e-3, "estimates that never leave the first ones prove nothing")
    #expect(watch.largest.update < 1e-9)
    #expect(watch.largest.propagation < 1e-9)
    #expect(watch.largest.anchor < 1e-9)
    #expect(watch.smallestTilt > 1e-3)
  }
}
