import CameraGeometry
import Estimator
import EstimatorTestSupport
import Geometry
import SensorData
import Testing

/// A new epoch of a running filter changes the origin only.
@Suite struct EpochTests {
  /// Relative quantities keep their covariance, the device's position becomes certain, and the covariance between the
  /// origins is stored.
  @Test func onlyTheOriginChanges() throws {
    let calibration = SmallRoom.imu
    var world = SmallRoom(SmallRoom.moving)
    let truth = GroundTruthState(
      timestamp: SmallRoom.start, worldFromBody: .identity, velocity: Vector3(0.1, 0.2, 0))
    let estimate = InitialEstimate(truth: truth, calibration: calibration, angularVelocity: .zero)
    let navigation = try #require(
      InertialNavigation(
        calibration: calibration, mount: CameraMount(imuFromCamera: .identity), time: estimate.time,
        state: estimate.state, initialCovariance: estimate.covariance))
    for i in 0...200 {
      _ = navigation.samples.add(world.sample(i))
      guard i == 40 || i == 120 || i == 200 else { continue }
      #expect(
        navigation.advance(to: SmallRoom.start.advanced(byNanoseconds: Int64(i) * 5_000_000)))
      if i < 200 { _ = navigation.clone() }
    }
    /// Covariance of the displacements from the device to both clones, and of the state without its position.
    func relative() -> [Double] {
      let p = navigation.covariance.marginal([navigation.poseBlock] + navigation.clones.map(\.block)), n = 27
      var rows: [[Double]] = []
      for clone in 0..<2 {
        for k in 0..<3 {
          var row = [Double](repeating: 0, count: n)
          (row[15 + 6 * clone + 3 + k], row[3 + k]) = (1, -1)
          rows.append(row)
        }
      }
      for k in [0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 21] {
        var row = [Double](repeating: 0, count: n)
        row[k] = 1
        rows.append(row)
      }
      return rows.flatMap { a in
        rows.map { b in
          var sum = 0.0
          for i in 0..<n where a[i] != 0 { for j in 0..<n where b[j] != 0 { sum += a[i] * b[j] * p[n * i + j] } }
          return sum
        }
      }
    }
    let before = relative(), lost = navigation.positionCovariance, pose = navigation.worldFromNavigation
    #expect(lost.trace > 1e-4)
    navigation.beginEpoch()
    for (a, b) in zip(before, relative()) { #expect(abs(a - b) < 1e-7 && abs(a - b) < 1e-6 * abs(a) + 4e-8) }
    for i in 0..<3 {
      for j in 0..<3 {
        #expect(abs(navigation.positionCovariance[i, j]) <= 1.01e-8)
        #expect(abs(navigation.originCovariance[i, j] - lost[i, j]) < 1e-12)
      }
    }
    #expect(navigation.worldFromNavigation == pose && navigation.epoch == 1 && navigation.isHealthy)
  }
}
