import Estimator
import Foundation
import Geometry
import SensorData
import TestSupport
import Testing

@Suite struct OdometryFilterTests {
  static func pose(_ seconds: Double, _ worldFromSensor: Pose) -> OdometryPose {
    OdometryPose(timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: seconds), worldFromSensor: worldFromSensor)
  }
  static func at(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  /// A trajectory with rotation and climb.
  static func path(_ t: Double) -> Pose {
    Pose(
      rotation: .yaw(0.8 * t) * Rotation.exp(Vector3(0.2 * sin(3 * t), 0.1, 0)),
      translation: Vector3(sin(t), 1 - cos(t), 0.3 * t))
  }

  static func filter(_ calibration: OdometryCalibration, seconds: Double, rate: Double = 30) -> OdometryFilter {
    let filter = OdometryFilter(calibration: calibration, first: pose(0, path(0)))
    for k in 1...Int(seconds * rate) { filter.append(pose(Double(k) / rate, path(Double(k) / rate))) }
    return filter
  }

  /// Without process noise the covariance is `F P F^T`, F from differences of `(Exp(theta) R_hat, p + dp)` composed
  /// with the same increment.
  @Test func theCovarianceIsPropagatedByTheJacobian() {
    let filter = Self.filter(OdometryCalibration(positionRandomWalk: 0, yawRandomWalk: 0), seconds: 2)
    filter.covariance.addNoise(filter.poseBlock, variance: [1e-4, 2e-4, 3e-3, 0.01, 0.02, 0.03])
    let p = filter.covariance.marginal([filter.poseBlock])
    let (start, end) = (Self.path(0), Self.path(2))
    let increment = start.inverse * end
    #expect(filter.advance(to: Self.at(2)))
    let f = FiniteDifferences.jacobian(inputs: 6) { d in
      let moved = Pose(
        rotation: Rotation.exp(Vector3(d[0], d[1], d[2])) * start.rotation,
        translation: start.translation + Vector3(d[3], d[4], d[5]))
      let reached = moved * increment
      let theta = (reached.rotation * end.rotation.inverse).log
      let dp = reached.translation - end.translation
      return [theta.x, theta.y, theta.z, dp.x, dp.y, dp.z]
    }
    let found = filter.covariance.marginal([filter.poseBlock])
    for r in 0..<6 {
      for c in 0..<6 {
        var expected = 0.0
        for i in 0..<6 { for j in 0..<6 { expected += f[r][i] * p[i * 6 + j] * f[c][j] } }
        #expect(abs(found[r * 6 + c] - expected) < 1e-8)
      }
    }
  }

  /// The drift scale multiplies the accumulated drift; the pose's covariance is as stated.
  @Test func driftScaleAffectsAccumulatedDriftOnly() {
    let calibration = OdometryCalibration(positionRandomWalk: 0.03, yawRandomWalk: 0.01)
    let filters = [1.0, 1.5].map { driftScale in
      let filter = OdometryFilter(calibration: calibration, first: Self.pose(0, Self.path(0)), driftScale: driftScale)
      for k in 1...60 { filter.append(Self.pose(Double(k) / 30, Self.path(Double(k) / 30))) }
      return filter
    }
    for filter in filters { #expect(filter.advance(to: Self.at(2))) }
    let (stated, scaled) = (filters[0].accumulatedDrift, filters[1].accumulatedDrift)
    #expect(stated.yaw > 0 && abs(scaled.yaw / stated.yaw - 2.25) < 1e-12)
    #expect(stated.position.trace > 0 && abs(scaled.position.trace / stated.position.trace - 2.25) < 1e-12)
    #expect(
      filters[0].covariance.marginal([filters[0].poseBlock]) == filters[1].covariance.marginal([filters[1].poseBlock]))
  }

  /// Position drift grows with path length, heading drift with time, independent of the number of calls.
  @Test(arguments: [1, 7, 400])
  func driftGrowsWithPathLengthAndTime(steps: Int) {
    let calibration = OdometryCalibration(positionRandomWalk: 0.03, yawRandomWalk: 0.01)
    let filter = OdometryFilter(calibration: calibration, first: Self.pose(0, .identity))
    for k in 1...40 { filter.append(Self.pose(0.1 * Double(k), Pose(translation: Vector3(0.05 * Double(k), 0, 0)))) }
    for k in 1...steps { #expect(filter.advance(to: Self.at(4 * Double(k) / Double(steps)))) }
    #expect(abs(filter.accumulatedDrift.positionVariance - 0.0009 * 2) < 1e-9)
    #expect(abs(filter.accumulatedDrift.yaw - 0.0001 * 4) < 1e-9)
    let p = filter.covariance.marginal([filter.poseBlock])
    #expect(abs(p[14] - 0.0004) < 1e-6, "heading's variance is the drift's")
    #expect(abs(p[21] - 0.0018) < 1e-6, "along the path, position has its own random walk only")
    #expect(p[28] > 0.0018 + 1e-4, "across it, the heading's random walk adds its lever")
  }

  @Test func stationaryOdometryHasNoPositionDrift() {
    let filter = OdometryFilter(calibration: OdometryCalibration(), first: Self.pose(0, Self.path(1)))
    for k in 1...100 { filter.append(Self.pose(0.1 * Double(k), Self.path(1))) }
    #expect(filter.advance(to: Self.at(10)))
    #expect(filter.accumulatedDrift.position == .zero && abs(filter.accumulatedDrift.yaw - 0.001) < 1e-9)
    #expect(filter.jumpCount == 0)
  }

  @Test func betweenPosesItInterpolatesAndBeyondThemItRefuses() {
    let filter = OdometryFilter(calibration: OdometryCalibration(), first: Self.pose(0, .identity))
    filter.append(Self.pose(1, Pose(rotation: .yaw(0.4), translation: Vector3(0.08, 0.02, 0))))
    #expect(filter.advance(to: Self.at(0.25)))
    #expect((filter.worldFromNavigation.translation - Vector3(0.02, 0.005, 0)).norm < 1e-12)
    #expect((filter.worldFromNavigation.rotation.log - Vector3(0, 0, 0.1)).norm < 1e-12)
    #expect(!filter.advance(to: Self.at(1.001)) && !filter.advance(to: Self.at(0.2)))
    #expect(filter.time == Self.at(0.25), "a refusal changes nothing")
    filter.append(Self.pose(1, .identity))
    filter.append(Self.pose(0.5, .identity))
    #expect(filter.coveredUntil == Self.at(1), "poses that are not newer are ignored")
    #expect(filter.advance(to: Self.at(1)))
    #expect((filter.worldFromNavigation.rotation.log - Vector3(0, 0, 0.4)).norm < 1e-12)
  }

  /// The body pose follows from the tracker's mounting.
  @Test func theMountingIsRemoved() {
    let mounting = Pose(rotation: .yaw(1), translation: Vector3(0.1, 0, 0))
    let filter = OdometryFilter(
      calibration: OdometryCalibration(bodyFromSensor: mounting), first: Self.pose(0, Self.path(1)))
    let back = filter.worldFromBody * mounting
    #expect((back.translation - Self.path(1).translation).norm < 1e-12)
  }

  @Test func driftsDifferenceNeverShrinks() {
    let a = AccumulatedDrift(positionVariance: 3, yaw: 1)
    let b = AccumulatedDrift(positionVariance: 1, yaw: 2)
    #expect(a - b == AccumulatedDrift(positionVariance: 2, yaw: 0))
  }
}
