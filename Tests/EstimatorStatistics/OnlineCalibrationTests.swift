import CameraGeometry
import EstimatorTestSupport
import Foundation
import Simulation
import Testing

/// A lens off by 1 % and 5 px, a mount by half a degree and 1 cm, and a clock by 20 ms: their online estimates.
@Suite(.serialized) struct OnlineCalibrationTests {
  static func geometricMean(_ values: [Double]) -> Double {
    exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
  }

  /// Over all epochs of a run: one after a restart continues where the previous one ended.
  static func ate(_ run: SimulatedRun) -> Double { TrajectoryErrors(rows: run.rows.compactMap(\.error)).yawAligned }

  /// Sixteen seeds draw the signs of all errors. 16 x 11 components: their mean NEES is within 7.8 and 14.9 with
  /// probability 99.8 %.
  @Test func aWrongCalibrationIsFound() throws {
    let scenario = try Scenario.named("miscalibrated")
    var right = scenario
    right.camera!.miscalibration = Scenario.Miscalibration()
    var nees: [Double] = [], inSigmas: [Double] = [], before: [Double] = [], after: [Double] = []
    var ate = (online: [Double](), wrong: [Double](), right: [Double](), rightOnline: [Double]())
    var path = (position: 0.0, attitude: 0.0)
    for seed in UInt64(1)...16 {
      let run = try SimulatedRun(scenario, seed: seed, learning: .allOnline)
      let simulator = try Simulator(scenario: scenario, seed: seed)
      let truth = simulator.rig.cameras[0], stated = simulator.statedRig.cameras[0]
      let navigation = try #require(run.navigation)
      let errors = try #require(CalibrationErrors(navigation, truth: truth, stated: stated))
      nees.append(errors.normalizedSquare)
      inSigmas += errors.inSigmas
      before.append(abs(LensModel(truth).minus(LensModel(stated))[0]))
      after.append(abs(errors.errors[7]))
      #expect(run.restarts == 0)
      path.position += run.errors().nees.position / 16
      path.attitude += run.errors().nees.attitude / 16
      ate.online.append(Self.ate(run))
      if seed <= 4 { ate.wrong.append(Self.ate(try SimulatedRun(scenario, seed: seed))) }
      ate.right.append(Self.ate(try SimulatedRun(right, seed: seed)))
      ate.rightOnline.append(Self.ate(try SimulatedRun(right, seed: seed, learning: .allOnline)))
    }
    let mean = nees.reduce(0, +) / 16, outside = inSigmas.count { $0 > 3 }
    print(
      "miscalibrated, 16 seeds: NEES of 11 numbers \(mean), \(outside) of 176 errors over 3 sigma, largest",
      inSigmas.max()!, "focal length off by", before.max()!, "before,", after.max()!, "after; path's NEES", path)
    print(
      "ATE, geometric means: online", Self.geometricMean(ate.online), "off", Self.geometricMean(ate.wrong),
      "with the right calibration: off", Self.geometricMean(ate.right), "online",
      Self.geometricMean(ate.rightOnline))
    #expect((7.8...14.9).contains(mean))
    // 0.27 % each: more than three of 176 occur by chance once in a thousand times.
    #expect(outside <= 3)
    #expect(after.max()! < 0.2 * before.min()!)
    #expect(Self.geometricMean(ate.online) < 0.1 * Self.geometricMean(ate.wrong))
    // Eleven more unknowns cost accuracy with a correct calibration: over these seconds not significantly more than 5
    // %.
    let costs = zip(ate.rightOnline, ate.right).map { log($0 / $1) }
    let cost = costs.reduce(0, +) / 16
    let spread = (costs.reduce(0) { $0 + ($1 - cost) * ($1 - cost) } / 15 / 16).squareRoot()
    print("with the right calibration: times", exp(cost), "in 95 %", exp(cost - 2 * spread), exp(cost + 2 * spread))
    #expect(exp(cost - 2 * spread) < 1.05)
    // Sixteen runs of three components each: 99.8 % of their means are within 1.4 and 5.5.
    #expect((1.4...5.5).contains(path.position) && (1.4...5.5).contains(path.attitude))
  }
}
