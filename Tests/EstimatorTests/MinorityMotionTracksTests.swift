import Estimator
import Geometry
import Simulation
import TestSupport
import Testing
import CameraGeometry

/// Few tracks that move where all else stands tell no way.
@Suite struct MinorityMotionTracksTests {
  static let sigma = 0.003

  /// Points in view, seen before and after; `moved` tells by what angle across.
  static func found(_ count: Int, rotationSigma: Double = 0, moved: (Int) -> Double) -> [Int64] {
    var random = SeededRandom(seed: 5)
    let sights = (0..<count).map { i -> MotionConsensus.Sight in
      let bearing = Vector3(random.uniform(-0.6...0.6), random.uniform(-0.5...0.5), 1).normalized
      let noise = [random.gaussian3() * sigma, random.gaussian3() * sigma]
      return .init(
        before: (bearing + noise[0]).normalized, after: (bearing + moved(i) * Vector3(1, 0, 0) + noise[1]).normalized)
    }
    return MinorityMotionTracks(rotationSigma: rotationSigma, observationSigma: sigma).among((0..<Int64(count)).map { 10 * $0 }, sights)
  }

  @Test func fewThatMoveStandOut() {
    #expect(Self.found(60) { $0 < 3 ? 0.1 : 0 } == [0, 10, 20])
    #expect(Self.found(60) { _ in 0 }.isEmpty)
  }

  /// A tenth of the points is a part of the room.
  @Test func manyThatMoveAreTheRoom() {
    #expect(Self.found(60) { $0 < 7 ? 0.1 : 0 }.isEmpty)
  }

  /// Where the median point moves, there are near and far ones.
  @Test func whereAllMovesNothingStandsOut() {
    #expect(Self.found(60) { $0 < 3 ? 0.2 : 0.02 }.isEmpty)
  }

  /// A bias of the gyroscope moves all; what stands out does so beyond that.
  @Test func aBiasDoesNotHideThem() {
    #expect(Self.found(60, rotationSigma: 0.02) { $0 < 3 ? 0.1 : 0.02 } == [0, 10, 20])
  }

  /// A hand that sways by centimetres before a wall far away; a twentieth of its tracks slides. It took its speed from them, and was
  /// half a metre off in the mean.
  @Test func aQuietHandTakesNoSpeedFromWhatSlides() throws {
    var scenario = Scenario(
      name: "quiet", summary: "-", peers: [],
      motion: [
        .motion(.hold(duration: 1.5)),
        .motion(
          .sway(
            duration: 8, lateral: .init(amplitude: 0.07, period: 4), vertical: .init(), ahead: .init(amplitude: 0.08))),
      ])
    scenario.camera!.rate = 60
    scenario.camera!.tracks = 120
    scenario.camera!.pixelNoise = 1.4
    scenario.camera!.trackLife = 5
    scenario.camera!.outlierShare = 0.05
    let seeds: ClosedRange<UInt64> = 1...6
    var errors: [Double] = []
    for seed in seeds { errors.append(try SimulatedRun(scenario, seed: seed, fromTruth: false).errors().yawAligned) }
    print("quiet hand, sliding tracks: ATE \(errors) m")
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.15)
  }
}
