import TestSupport
import Testing

/// The filter on third-party recordings; reference figures are those of the strongest open filter on them.
@Suite(.serialized, .enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)))
struct RecordedTrajectoryTests {
  /// Yaw-aligned error no larger than that of the filter tuned for these, and a consistent covariance. A NEES of 3 is
  /// consistent; a single run of a minute scatters widely; 15 is overconfident.
  @Test(arguments: [("corridor1", 0.020), ("gore", 0.048), ("room1", 0.021), ("hh_walk", 0.032), ("hh_sweep", 0.014)])
  func simulated(name: String, reference: Double) throws {
    let run = try RecordedRun(SharedData.recording("sim/\(name)"), fromTruth: true)
    print("\(name): \(run.summary)")
    #expect(run.errors.yawAligned < reference)
    #expect(run.errors.nees.position < 15 && run.errors.nees.attitude < 15)
    #expect(run.restarts == 0 && run.reports.allSatisfy { $0.updatesFailed == 0 })
  }

  /// A real phone with its own initialisation: 50 m hand-held.
  @Test func realPhone() throws {
    let run = try RecordedRun(SharedData.recording("real/tango-handheld"), fromTruth: false)
    print("tango-handheld: \(run.summary)")
    #expect(run.errors.rows.count > 450)
    #expect(run.errors.yawAligned < 1.2)
    #expect(run.restarts == 0)
    #expect(run.times.reduce(0, +) < 30, "faster than real time: the recording lasts 60 s")
  }

  /// The same from twelve later starts, most of them during a walk: each as accurate as from the beginning.
  @Test func realPhoneStartedLate() throws {
    var errors: [Double] = []
    for seconds in stride(from: 3.0, to: 39, by: 3) {
      let run = try RecordedRun(SharedData.recording("real/tango-handheld"), fromTruth: false, from: seconds)
      print("tango-handheld from \(seconds) s: \(run.summary)")
      errors.append(run.errors.yawAligned)
    }
    #expect(errors.allSatisfy { $0 < 1.2 })
  }

  /// Without the truth: in motion from the first sample, or in a nearly still hand; as accurate as from the truth.
  @Test(arguments: [("corridor1", 0.020), ("gore", 0.048), ("room1", 0.021), ("hh_walk", 0.032), ("hh_sweep", 0.014)])
  func simulatedFromItsOwnStart(name: String, reference: Double) throws {
    let run = try RecordedRun(SharedData.recording("sim/\(name)"), fromTruth: false)
    print("\(name), own start: \(run.summary)")
    #expect(run.errors.yawAligned < 2 * reference)
    #expect(run.restarts == 0)
  }

  /// Started anywhere, mostly in motion: initialised within 2.5 seconds, and over the next 20 seconds about as accurate
  /// as from the truth.
  @Test(arguments: ["corridor1", "gore", "room1", "hh_walk", "hh_sweep"], [3.0, 7.5, 16.0])
  func startsAnywhere(name: String, seconds: Double) throws {
    let folder = SharedData.recording("sim/\(name)")
    let own = try RecordedRun(folder, fromTruth: false, from: seconds, until: seconds + 22)
    let given = try RecordedRun(folder, fromTruth: true, from: seconds, until: seconds + 22)
    print("\(name) from \(seconds) s: \(own.summary)")
    #expect(own.waited <= 50, "frames at 20 Hz before the first state")
    #expect(own.errors.yawAligned < 2 * given.errors.yawAligned + 0.01, "from the truth \(given.errors.yawAligned) m")
    #expect(own.restarts == 0)
  }
}
