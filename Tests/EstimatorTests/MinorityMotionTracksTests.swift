import CameraGeometry
import Estimator
import Geometry
import Simulation
import Testing

/// A few moving tracks in a static image carry no information on the camera's motion.
@Suite struct MinorityMotionTracksTests {
  static let sigma = 0.003

  /// Points in view, observed before and after; `moved` is the angle across.
  static func found(_ count: Int, rotationSigma: Double = 0, moved: (Int) -> Double) -> [Int64] {
    var random = SeededRandom(seed: 5)
    let correspondences = (0..<count).map { i -> MotionConsensus.Correspondence in
      let bearing = Vector3(random.uniform(-0.6...0.6), random.uniform(-0.5...0.5), 1).normalized
      let noise = [random.gaussian3() * sigma, random.gaussian3() * sigma]
      return .init(
        before: (bearing + noise[0]).normalized, after: (bearing + moved(i) * Vector3(1, 0, 0) + noise[1]).normalized)
    }
    return MinorityMotionTracks(rotationSigma: rotationSigma, observationSigma: sigma)
      .among((0..<Int64(count)).map { 10 * $0 }, correspondences)
  }

  @Test func fewMovingTracksAreFound() {
    #expect(Self.found(60) { $0 < 3 ? 0.1 : 0 } == [0, 10, 20])
    #expect(Self.found(60) { _ in 0 }.isEmpty)
  }

  /// A tenth of the points is part of the scene.
  @Test func manyMovingTracksAreTheScene() {
    #expect(Self.found(60) { $0 < 7 ? 0.1 : 0 }.isEmpty)
  }

  /// Where the median point moves, points differ by distance.
  @Test func withGlobalMotionNoTrackIsFound() {
    #expect(Self.found(60) { $0 < 3 ? 0.2 : 0.02 }.isEmpty)
  }

  /// A gyroscope bias moves all points; outliers move beyond that.
  @Test func aGyroscopeBiasDoesNotHideThem() {
    #expect(Self.found(60, rotationSigma: 0.02) { $0 < 3 ? 0.1 : 0.02 } == [0, 10, 20])
  }
}
