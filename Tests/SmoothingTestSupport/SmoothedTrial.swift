import Evaluation
import PrecisionFinding
import SensorData
import Simulation
import Smoothing
import Testing

/// A simulated recording, estimated forward and smoothed.
package struct SmoothedTrial {
  package var forward: TrajectoryErrors
  package var offline: TrajectoryErrors
  package var outcome: Smoother.Outcome
  package var forwardTimes: [Timestamp] = []

  /// - Parameter longest: length of a segment, seconds; smoothed as soon as it is complete.
  package static func run(_ name: String, seed: UInt64, longest: Double = ForwardRecord.longest) throws -> SmoothedTrial
  {
    let contents = try Simulator(scenario: try Scenario.named(name), seed: seed).recording()
    let finder = PrecisionFinder(rig: contents.rig, useOdometry: false)
    let record = ForwardRecord(longest: longest)
    let smoother = try #require(Smoother(contents.rig))
    var outcome = Smoother.Outcome()
    finder.attach(record)
    func judge() -> Judge {
      Judge(
        truth: TruthTrajectory(contents.truth), peers: TruthPeers(contents.peers),
        bodyFromDevice: contents.rig.bodyFromDevice)
    }
    var forward = judge(), offline = judge(), times: [Timestamp] = []
    func observe(_ outputs: [FinderOutput]) {
      for case .pose(let time, let pose, let covariance) in outputs {
        forward.record(time, worldFromBody: pose, covariance: covariance)
        times.append(time)
      }
    }
    for event in contents.events {
      smoother.smoothCompleted(record, into: &outcome)
      if case .range(let range) = event.event { record.didReceive(range) }
      observe(finder.process(event))
    }
    observe(finder.finish())
    smoother.smoothRest(of: record, into: &outcome)
    for pose in outcome.poses {
      offline.record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
    return SmoothedTrial(
      forward: try #require(forward.errors().trajectory), offline: try #require(offline.errors().trajectory),
      outcome: outcome, forwardTimes: times)
  }
}
