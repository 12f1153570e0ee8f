import Estimator
import Foundation
import TestSupport
import Testing

/// The filter on recordings that others made; the figures to compare with are those of the strongest open filter.
@Suite(.serialized, .enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)))
struct RecordedTrajectoryTests {
  @Test(arguments: ["corridor1", "gore", "room1", "hh_walk", "hh_sweep"])
  func simulated(name: String) throws {
    let run = try RecordedRun(SharedData.recording("sim/\(name)"), fromTruth: true)
    print("\(name): \(run.summary)")
  }

  @Test func realPhone() throws {
    let run = try RecordedRun(SharedData.recording("real/tango-handheld"), fromTruth: false)
    print("tango: \(run.summary)")
  }
}
