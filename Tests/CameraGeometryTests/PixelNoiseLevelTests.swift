import CameraGeometry
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// The level follows the features' noise whatever the motion, and stays at 1 where the stated noise is true.
struct PixelNoiseLevelTests {
  private static let camera = CameraCalibration(
    bodyFromCamera: .identity, fx: 460, fy: 460, cx: 320, cy: 240, width: 640, height: 480, pixelNoise: 1)

  /// Fifty points before a camera that moves and turns at random; every feature errs by `sigma` pixels, the first of
  /// them by ten times that.
  private static func frames(
    seconds: Double, sigma: Double, outliers: Double = 0, still: Bool = false, seed: UInt64
  ) -> [CameraFrame] {
    var random = SeededRandom(seed: seed)
    let points = (0..<50).map { _ in
      Vector3(random.uniform(-3...3), random.uniform(-2...2), random.uniform(2...9))
    }
    let (velocity, rate) = (
      random.gaussian3() * 0.5, random.gaussian3() * 0.3
    )
    let lens = LensModel(camera)
    return (0..<Int(20 * seconds)).map { k in
      let t = still ? 0 : 0.05 * Double(k)
      let cameraFromWorld = Pose(rotation: .exp(rate * sin(t)), translation: velocity * sin(t))
      let features = points.enumerated().compactMap { id, point -> FeatureObservation? in
        guard let pixel = lens.project(cameraFromWorld * point)?.pixel else { return nil }
        let error = Double(id) < 50 * outliers ? 10 * sigma : sigma
        return FeatureObservation(
          featureID: Int64(id), u: pixel.x + error * random.gaussian(), v: pixel.y + error * random.gaussian())
      }
      return CameraFrame(
        timestamp: Timestamp(nanoseconds: Int64(50_000_000 * k)), camera: 0, features: features, meanLuma: 0.5)
    }
  }

  private static func level(_ frames: [CameraFrame]) -> (level: Double, changes: Int) {
    var noise = PixelNoiseLevel(), changes = 0
    for frame in frames where noise.append(frame, lens: LensModel(camera), noise: camera.pixelNoise) { changes += 1 }
    return (noise.level, changes)
  }

  /// Median of sixteen robust deviations of 45 residuals each: 10 %, and a bias of -10 to -35 % towards rest, because
  /// the translation's direction is free then and is taken where the residuals are least.
  @Test(arguments: [2.0, 3, 5, 10], [false, true])
  func followsTheNoise(sigma: Double, still: Bool) {
    for seed: UInt64 in 1...5 {
      let found = Self.level(Self.frames(seconds: 6, sigma: sigma, still: still, seed: seed)).level
      #expect(found > 0.5 * sigma && found < 1.6 * sigma, "\(found) for \(sigma), seed \(seed)")
    }
  }

  /// With true noise nothing changes: 60 recordings of ten seconds, 38 windows each.
  @Test func trueNoiseChangesNothing() {
    for seed: UInt64 in 1...60 {
      let found = Self.level(Self.frames(seconds: 10, sigma: 1, seed: seed))
      #expect(found.changes == 0, "\(found.level), seed \(seed)")
    }
  }

  /// A seventh of the features slides: that is not named as noise (`PremiseMonitor.leastNoise`).
  @Test func outliersAreNoNoise() {
    for seed: UInt64 in 1...20 {
      let found = Self.level(Self.frames(seconds: 6, sigma: 1, outliers: 0.14, seed: seed)).level
      #expect(found < 3, "seed \(seed)")
    }
  }

  /// The noise falls again when the light comes back.
  @Test func goesBack() {
    var frames = Self.frames(seconds: 6, sigma: 5, seed: 3)
    frames += Self.frames(seconds: 8, sigma: 1, seed: 3).map {
      CameraFrame(
        timestamp: $0.timestamp.advanced(bySeconds: 6), camera: 0, features: $0.features, meanLuma: $0.meanLuma)
    }
    #expect(Self.level(frames).level < 1.6)
  }

  @Test func framesWithoutCommonFeaturesSayNothing() {
    var frames: [CameraFrame] = []
    for k in 0..<100 as Range<Int64> {
      let features = (0..<30 as Range<Int64>).map { FeatureObservation(featureID: 30 * k + $0, u: 7, v: 9) }
      frames.append(CameraFrame(timestamp: Timestamp(nanoseconds: 50_000_000 * k), features: features))
    }
    #expect(Self.level(frames).changes == 0)
  }
}
