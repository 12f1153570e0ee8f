import Geometry
import Inertial
import PrecisionFinding
import SensorData
import Simulation
import Smoothing
import SmoothingTestSupport
import Testing

/// The smoother on one short recording, and on none.
@Suite struct SmootherSmokeTests {
  @Test func anEmptyRecordGivesNoPoses() throws {
    let imu = SyntheticMotion.imu
    let smoother = try #require(Smoother(RigCalibration(imu: imu, cameras: [SyntheticMotion.camera])))
    let outcome = smoother.smoothed(ForwardRecord())
    #expect(outcome.poses.isEmpty && outcome.unsmoothedSegments == 0)
    #expect(Smoother(RigCalibration(imu: imu)) == nil)
  }

  /// One arc: better than the filter, and the position errs as the covariance says (three degrees of freedom, one draw
  /// of a drift: 16.3 once in a thousand times).
  @Test func isBetterThanTheForwardRun() throws {
    let trial = try SmoothedTrial.run("arc", seed: 1)
    #expect(trial.outcome.unsmoothedSegments == 0)
    #expect(trial.outcome.poses.map(\.timestamp) == trial.forwardTimes)
    #expect(trial.offline.ateSE3 < trial.forward.ateSE3)
    #expect(try #require(trial.offline.positionNEES.mean) < 16.3)
  }

  /// In parts of four seconds: a pose for every frame, no step at a joint, and not worse than the filter by more than a
  /// fifth.
  @Test func partsAreJoined() throws {
    let whole = try SmoothedTrial.run("arc", seed: 1), parts = try SmoothedTrial.run("arc", seed: 1, longest: 4)
    #expect(parts.outcome.unsmoothedSegments == 0)
    #expect(parts.outcome.poses.map(\.timestamp) == whole.outcome.poses.map(\.timestamp))
    #expect(parts.outcome.poses.map(\.worldFromBody) != whole.outcome.poses.map(\.worldFromBody))
    let steps = zip(parts.outcome.poses, parts.outcome.poses.dropFirst()).map {
      ($1.worldFromBody.translation - $0.worldFromBody.translation).norm
    }
    let wholeSteps = zip(whole.outcome.poses, whole.outcome.poses.dropFirst()).map {
      ($1.worldFromBody.translation - $0.worldFromBody.translation).norm
    }
    #expect(zip(steps, wholeSteps).allSatisfy { abs($0 - $1) < 0.01 })
    #expect(parts.offline.ateSE3 < 1.2 * parts.forward.ateSE3)
  }

  /// One walk at the level of its peer.
  @Test func findsAPeerLevelWithTheWalk() throws {
    var source = SeededRandom(seed: 1)
    let actual = Vector3(6, 5, 0.4)
    let measured = (0..<300).map { k in
      let s = 34 * Double(k) / 299
      let antenna = Vector3(max(s - 4, 0), max(4 - s, 0), 0.6 + 0.02 * source.gaussian())
      return (antenna: 0.96 * antenna, range: (antenna - actual).norm + 0.08 + 0.05 * source.gaussian())
    }
    #expect((try #require(PeerSearch(measured).peer()).position - actual).norm < 1)
  }

  /// 200 draws know a variance to a tenth: half or twice would be another law.
  @Test func covarianceIsTheSpreadOfNoisySamples() throws {
    var source = SeededRandom(seed: 3)
    let motion = SyntheticMotion(&source), state = motion.states[0].state
    let exact = try #require(motion.integrated(state))
    let rate = 200.0.squareRoot(), imu = SyntheticMotion.imu
    var sums = [Double](repeating: 0, count: 9)
    for _ in 0..<200 {
      var noisy = motion
      noisy.samples = IMUBuffer()
      for sample in motion.samples.samples {
        _ = noisy.samples.add(
          IMUSample(
            timestamp: sample.timestamp,
            angularVelocity: sample.angularVelocity + imu.gyroscopeNoiseDensity * rate * source.gaussian3(),
            specificForce: sample.specificForce + imu.accelerometerNoiseDensity * rate * source.gaussian3()))
      }
      var change = try #require(noisy.integrated(state)).delta(state, IMUIntrinsics())
      change.position -= exact.delta.position
      change.velocity -= exact.delta.velocity
      for (i, error) in SyntheticMotion.rows(change, exact.delta.rotation).enumerated() { sums[i] += error * error }
    }
    for i in 0..<9 { #expect((0.5...2).contains(sums[i] / 200 / exact.covariance[16 * i])) }
  }
}
