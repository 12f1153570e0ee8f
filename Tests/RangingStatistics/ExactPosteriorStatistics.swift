import Evaluation
import Foundation
import Geometry
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// The Gaussian sum against the exact posterior on the same draws, with the same model.
@Suite struct ExactPosteriorStatistics {
  @Test func medianErrorOnAnArcIsThatOfTheExactPosterior() {
    var random = SeededRandom(seed: 61)
    let checkpoints = [20, 30, 60]
    var estimated = [[Double]](repeating: [], count: 3)
    var exact = estimated
    for _ in 0..<200 {
      let trial = RangingTrial(.arc, seconds: 6, random: &random)
      var posterior = PeerFilter(configuration: RangingPosterior.matched, antennas: [""], statedNoise: nil)
      var observer = IdealObserver(RangingPosterior.ideal)
      for (k, reading) in trial.readings.enumerated() {
        posterior.update(RangingPosterior.range(reading))
        observer.update(range: reading.range, antenna: reading.device, after: 0.1)
        guard let slot = checkpoints.firstIndex(of: k),
          let view = IdealView(observer, worldFromDevice: Pose(translation: reading.device))
        else { continue }
        let d = trial.peer - reading.device
        let truth = atan2(d.y, d.x)
        estimated[slot].append(
          abs(Angle.wrapped(RangingPosterior.azimuth(posterior.gaussians, from: reading.device) - truth)))
        exact[slot].append(
          abs(Angle.wrapped(view.angle - HorizontalAngle.of(d, worldFromDevice: .identity))))
      }
    }
    for slot in 0..<3 {
      let ratio = Statistics.median(estimated[slot]) / Statistics.median(exact[slot])
      #expect(ratio <= 1.10, "after \(checkpoints[slot]) ranges")
    }
  }

  /// A stationary start costs nothing: the angle error on the arc that follows is the exact posterior's.
  @Test func afterAStationaryStartTheErrorIsThatOfTheExactPosterior() {
    var random = SeededRandom(seed: 67)
    var (estimated, exact) = ([Double](), [Double]())
    for _ in 0..<100 {
      // The range errors of a stationary device, on the path of one that starts to move after 1.5 s.
      var trial = RangingTrial(.still, seconds: 5.4, random: &random)
      for k in trial.readings.indices where trial.readings[k].time >= 1.5 {
        let (before, device) = (
          trial.readings[k].device, RangingTrial.Motion.arcAndVertical.position(at: trial.readings[k].time - 1.5)
        )
        trial.readings[k].range += (trial.peer - device).norm - (trial.peer - before).norm
        trial.readings[k].device = device
      }
      var posterior = PeerFilter(configuration: RangingPosterior.matched, antennas: [""], statedNoise: nil)
      var observer = IdealObserver(RangingPosterior.ideal)
      for reading in trial.readings {
        posterior.update(RangingPosterior.range(reading))
        observer.update(range: reading.range, antenna: reading.device, after: 0.1)
      }
      let device = trial.readings.last!.device
      guard let view = IdealView(observer, worldFromDevice: Pose(translation: device)) else { continue }
      let d = trial.peer - device
      estimated.append(
        abs(Angle.wrapped(RangingPosterior.azimuth(posterior.gaussians, from: device) - atan2(d.y, d.x))))
      exact.append(abs(Angle.wrapped(view.angle - HorizontalAngle.of(d, worldFromDevice: .identity))))
    }
    #expect(estimated.count == 100)
    #expect(
      Statistics.median(estimated) <= 1.1 * Statistics.median(exact),
      "\(Statistics.median(estimated)), \(Statistics.median(exact))")
  }
}
