import Estimator
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// The stages that a meter records, and that recording changes nothing.
@Suite struct StageMeterTests {
  /// Records everything.
  private final class Recorder: StageMeter {
    var open: [Stage] = []
    var ended: [(stage: Stage, within: Stage?)] = []
    var areNested = true

    func begin(_ stage: Stage) { open.append(stage) }
    func end(_ stage: Stage) {
      areNested = areNested && open.popLast() == stage
      ended.append((stage, open.last))
    }
    func count(_ stage: Stage) -> Int { ended.count { $0.stage == stage } }
  }

  private func outputs(_ finder: PrecisionFinder, _ events: [TimedEvent], _ meter: Recorder?) -> [FinderOutput] {
    if let meter { finder.attach(meter) }
    return events.flatMap { finder.process($0) } + finder.finish()
  }

  /// Number by number, to the last bit; that the lines of a file have the same bytes is held where they are written.
  private func expectTheSame(_ a: [FinderOutput], _ b: [FinderOutput]) {
    #expect(a.count == b.count && a.count > 100)
    for (first, second) in zip(a, b) { #expect(first == second) }
  }

  @Test func aMeterChangesNoOutputOfInertialUnitAndCamera() throws {
    let simulator = try Simulator(scenario: Scenario.named("search"), seed: 2)
    let events = simulator.events()
    func finder() -> PrecisionFinder { PrecisionFinder(rig: simulator.rig, useOdometry: false) }
    let meter = Recorder()
    let measured = finder()
    let measuredOutputs = outputs(measured, events, meter)
    expectTheSame(measuredOutputs, outputs(finder(), events, nil))

    #expect(meter.areNested && meter.open.isEmpty)
    let frames = events.count { if case .frame = $0.event { true } else { false } }
    let ranges = events.count { if case .range = $0.event { true } else { false } }
    #expect(meter.count(.frame) == frames && meter.count(.visualUpdate) == frames)
    for stage in [Stage.start, .screening, .linearisation, .gates, .compression, .update, .marginalisation] {
      #expect(meter.count(stage) > 0, "\(stage)")
    }
    #expect(meter.count(.range) == ranges)
    #expect(meter.count(.readout) == measuredOutputs.updates().count)
    #expect(meter.count(.pose) == 0)
    // Ranges before the first pose are kept, the others processed.
    let taken = meter.count(.hypotheses)
    #expect(taken > ranges / 2 && taken < ranges)
  }

  @Test func aMeterChangesNoOutputOfOdometry() {
    let events = OdometryWorld.events(seconds: 20)
    let meter = Recorder()
    let measuredOutputs = outputs(OdometryWorld.finder(), events, meter)
    expectTheSame(measuredOutputs, outputs(OdometryWorld.finder(), events, nil))
    #expect(meter.areNested && meter.open.isEmpty)
    #expect(meter.count(.hypotheses) > 0 && meter.count(.tick) > 0)
    #expect(meter.count(.hypotheses) == meter.count(.range))
    #expect(meter.count(.pose) > 0 && meter.count(.frame) == 0)
  }

  /// Whole stages are outermost and hold the others; the propagation within a frame is distinct from its update.
  @Test func stagesAreWhereTheyBelong() throws {
    let simulator = try Simulator(scenario: Scenario.named("still"), seed: 1)
    let meter = Recorder()
    _ = outputs(PrecisionFinder(rig: simulator.rig, useOdometry: false), simulator.events(), meter)
    for (stage, within) in meter.ended {
      if stage.isWhole { #expect(within == nil) } else { #expect(within != nil, "\(stage)") }
      if stage == .visualUpdate { #expect(within == .frame) }
    }
    #expect(meter.ended.contains { $0.stage == .propagation && $0.within == .visualUpdate })
    #expect(meter.ended.contains { $0.stage == .propagation && $0.within == .range })
  }
}
