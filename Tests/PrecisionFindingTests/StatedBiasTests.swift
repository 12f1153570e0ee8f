import Foundation
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

  private static let peer = Vector3(4, 2, 0.5)

  /// A walk with turns, by another tracker: ranges of all sides tell a bias from a distance.
  private static func pose(_ t: Double) -> Pose {
    Pose(
      rotation: .yaw(0.4 * sin(0.5 * t)),
      translation: Vector3(
        1.6 * sin(0.7 * t) + 0.02 * t * t * cos(0.3 * t), 1.4 * cos(0.45 * t + 1), 0.3 * sin(0.9 * t)))
  }

  private static func run(
    stated: Double? = nil, _ configuration: FinderConfiguration = .init()
  ) -> (updates: [NearbyUpdate], codes: [String], explanations: [Explanation]) {
    var rig = OdometryWorld.rig
    rig.radio!.rangeBias.standardDeviation = stated
    let finder = PrecisionFinder(rig: rig, configuration: configuration, useOdometry: true)
    let explanations = Explanations()
    finder.attach(explanations)
    var random = SeededRandom(seed: 7)
    var events: [TimedEvent] = []
    for k in 0...600 {
      let t = 0.04 * Double(k)
      events.append(
        TimedEvent(.odometry(OdometryPose(timestamp: OdometryWorld.time(t), worldFromSensor: pose(t)))))
      guard k % 3 == 1 else { continue }
      let range = (peer - pose(t + 0.013).translation).norm + bias + 0.05 * random.gaussian()
      events.append(OdometryWorld.range(t + 0.013, "a", range))
    }
    let outputs = events.flatMap { finder.process($0) } + finder.finish()
    return (outputs.updates(), finder.diagnoses.map(\.code), explanations.taken)
  }

  /// Error of a published horizontal angle, radians.
  private static func error(_ update: NearbyUpdate) -> Double? {
    guard let angle = update.object.horizontalAngle else { return nil }
    let device = pose(update.timestamp.seconds(since: OdometryWorld.time(0))) * OdometryWorld.rig.bodyFromDevice
    return Angle.wrapped(
      angle.value - HorizontalAngle.of(peer - device.translation, worldFromDevice: device.rotation))
  }

  private static func angles(_ updates: [NearbyUpdate]) -> Int { updates.count { $0.object.horizontalAngle != nil } }

  /// As many angles as without any test of premises, to a twentieth, and none of them wrong.
  @Test func aStatedBiasKeepsItsAngles() {
    let run = Self.run(stated: Self.bias)
    #expect(run.codes.isEmpty, "\(run.codes)")
    var unwatched = FinderConfiguration()
    unwatched.watchesPremises = false
    let most = Self.angles(Self.run(stated: Self.bias, unwatched).updates)
    #expect(most > 50 && Self.angles(run.updates) >= most * 19 / 20, "\(Self.angles(run.updates)) of \(most)")
    #expect(run.updates.allSatisfy { Self.error($0).map { abs($0) < .pi / 9 } ?? true })
  }

  /// The same by a setting of the filter.
  @Test func aSettingAllowsABias() {
    var configuration = FinderConfiguration()
    configuration.ranging.biasPrior = Self.bias
    let run = Self.run(stated: nil, configuration)
    #expect(run.codes.isEmpty, "\(run.codes)")
    #expect(Self.angles(run.updates) > 50)
  }

  @Test func aBiasThatNothingAllowsIsNamed() {
    let run = Self.run()
    #expect(run.codes == ["rangeBias"])
    #expect(run.updates.last?.object.horizontalAngle == nil)
  }

  /// An angle is withheld exactly where a gate says so, a refuted premise's included.
  @Test func nothingIsWithheldWithoutAGate() {
    let explanations = Self.run().explanations.filter { !$0.modes.isEmpty }
    func failed(_ explanation: Explanation) -> [PublicationGate] {
      explanation.gates.filter { $0.outcome == .failed && $0.rule.withholds == .all }
    }
    #expect(explanations.allSatisfy { ($0.update.object.horizontalAngle == nil) == !failed($0).isEmpty })
    #expect(
      failed(explanations.last!).contains {
        $0.rule.name == "premises that are refuted" && $0.note?.hasSuffix(": rangeBias") == true
      })
  }
}
