import Estimator
import Geometry
import Inertial
import SensorData
import Simulation
import Testing

/// A run in a small room that starts in motion, in a state drawn from its own covariance.
package struct ConsistencyRun {
  /// Mean NEES over the frames.
  package let position, attitude: Double
  /// The most landmarks at one time.
  package private(set) var landmarks: Int

  package init(seed: UInt64, seconds: Double) throws {
    typealias World = SmallRoom
    var world = World(SmallRoom.moving, seed: seed)
    let estimator = SmallRoom.estimator()
    let begin = 800, t = 4.0, h = 1e-4
    let (before, now, after) = (world.worldFromIMU(t - h), world.worldFromIMU(t), world.worldFromIMU(t + h))
    let truth = InertialState(
      rotation: now.rotation, position: now.translation, velocity: (after.translation - before.translation) / (2 * h),
      gyroscopeBias: World.gyroscopeBias)
    var source = SeededRandom(seed: 1000 + seed)
    var sigmas: [Double] = []
    for sigma in [0.005, 0.001, 0.02, 0.002, 0.02] { sigmas += [sigma, sigma, sigma] }
    var start = InitialEstimate(
      truth: GroundTruthState(timestamp: World.start, worldFromBody: .identity), calibration: World.imu,
      angularVelocity: .zero)
    start.time = World.start.advanced(byNanoseconds: Int64(begin) * 5_000_000)
    var error: [Double] = []
    start.covariance = [Double](repeating: 0, count: 225)
    for (i, sigma) in sigmas.enumerated() {
      error.append(sigma * source.gaussian())
      start.covariance[16 * i] = sigma * sigma
    }
    start.state = truth.plus(error)
    estimator.add(world.sample(begin))
    #expect(estimator.start(from: start))

    var sum = (position: 0.0, attitude: 0.0), frames = 0
    landmarks = 0
    for i in begin + 1...begin + Int(200 * seconds) {
      estimator.add(world.sample(i))
      guard i % 10 == 0 else { continue }
      _ = estimator.process(world.frame(i))
      let navigation = try #require(estimator.navigation)
      landmarks = max(landmarks, navigation.landmarks.count)
      let truth = world.worldFromIMU(Double(i) * 0.005), estimate = navigation.worldFromNavigation
      let p = navigation.covariance.marginal([navigation.poseBlock])
      func information(_ offset: Int) throws -> Matrix3 {
        func row(_ i: Int) -> Vector3 {
          let start = 15 * (offset + i) + offset
          return Vector3(p[start], p[start + 1], p[start + 2])
        }
        return try #require(Matrix3(rows: row(0), row(1), row(2)).inverse)
      }
      let rotation = (truth.rotation * estimate.rotation.inverse).log
      let translation = truth.translation - estimate.translation
      sum.attitude += try information(0).form(rotation, rotation)
      sum.position += try information(3).form(translation, translation)
      frames += 1
    }
    (position, attitude) = (sum.position / Double(frames), sum.attitude / Double(frames))
  }
}
