import Geometry
import PrecisionFinding
import PrecisionFindingTestSupport
import SensorData
import Simulation
import Testing

/// A radio whose ranges are 1.5 m too long: where the recording states how uncertain its bias is, the angles stay;
/// where it does not, the bias is named.
@Suite struct StatedBiasTests {
  private static let bias = 1.5

  private static func run(
    stated: Double? = nil, _ configuration: FinderConfiguration = .init()
  ) throws -> (updates: [NearbyUpdate], codes: [String], simulator: Simulator) {
    let simulator = try Simulator(scenario: Scenario.named("search").withExternalOdometry, seed: 4)
    var rig = simulator.rig
    rig.radio!.rangeBias.standardDeviation = stated
    let finder = PrecisionFinder(rig: rig, configuration: configuration, useOdometry: true)
    var outputs: [FinderOutput] = []
    for timed in simulator.events() {
      var timed = timed
      if case .range(var range) = timed.event {
        range.range += bias
        timed = TimedEvent(.range(range), arrival: timed.arrival)
      }
      outputs += finder.process(timed)
    }
    outputs += finder.finish()
    return (outputs.updates(), finder.diagnoses.map(\.code), simulator)
  }

  private static func angles(_ updates: [NearbyUpdate]) -> Int { updates.count { $0.object.horizontalAngle != nil } }

  /// As many angles as without any test of premises, to a twentieth, and none of them wrong.
  @Test func aStatedBiasKeepsItsAngles() throws {
    let run = try Self.run(stated: Self.bias)
    #expect(run.codes.isEmpty, "\(run.codes)")
    var unwatched = FinderConfiguration()
    unwatched.watchesPremises = false
    let most = Self.angles(try Self.run(stated: Self.bias, unwatched).updates)
    #expect(most > 50 && Self.angles(run.updates) >= most * 19 / 20, "\(Self.angles(run.updates)) of \(most)")
    #expect(run.updates.allSatisfy { SimulatedSearch.angleError($0, run.simulator).map { abs($0) < .pi / 9 } ?? true })
  }

  /// The same by a setting of the filter.
  @Test func aSettingAllowsABias() throws {
    var configuration = FinderConfiguration()
    configuration.ranging.biasPrior = Self.bias
    let run = try Self.run(stated: nil, configuration)
    #expect(run.codes.isEmpty, "\(run.codes)")
    #expect(Self.angles(run.updates) > 50)
  }

  @Test func aBiasThatNothingAllowsIsNamed() throws {
    let run = try Self.run()
    #expect(run.codes == ["rangeBias"])
    #expect(run.updates.last?.object.horizontalAngle == nil)
  }
}
