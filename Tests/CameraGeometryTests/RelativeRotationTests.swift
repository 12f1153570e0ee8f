import CameraGeometry
import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

/// The rotation between two views of a wall, which has two solutions, and of a room, which has one.
@Suite struct RelativeRotationTests {
  private static let focal = 420.0
  private static let pixelNoise = 0.8

  private static let camera = CameraCalibration(
    bodyFromCamera: .identity, fx: focal, fy: focal, cx: 320, cy: 240, width: 640, height: 480, pixelNoise: pixelNoise)

  /// Pairs of views of random points, and the true rotation.
  ///
  /// - Parameter depth: of a point, by a uniform number: a constant is a wall across the optical axis.
  private static func views(
    _ random: inout SeededRandom, rotation: Rotation, translation: Vector3, depth: (Double) -> Double
  ) -> [FeaturePair] {
    func pixel(_ p: Vector3, _ random: inout SeededRandom) -> SIMD2<Double> {
      SIMD2(
        320 + focal * p.x / p.z + pixelNoise * random.gaussian(),
        240 + focal * p.y / p.z + pixelNoise * random.gaussian())
    }
    return (0..<40).map { _ in
      let z = depth(random.uniform(0...1))
      let point = Vector3(0.7 * z * random.uniform(-1...1), 0.5 * z * random.uniform(-1...1), z)
      return FeaturePair(then: pixel(point, &random), now: pixel(rotation * point + translation, &random))
    }
  }

  private static func isNear(_ vector: Vector3, _ covariance: Matrix3, _ truth: Vector3) -> Bool {
    guard let information = covariance.inverse else { return false }
    return information.form(vector - truth, vector - truth) < 16.3
  }

  /// Of a wall the best minimum is wrong in every second pair of views; another that is kept is right in half of these
  /// (0.48 and 0.74: the valley between the two solutions is flat). Of a room the best is right, and the only one. With
  /// 300 views a share of a half has a standard deviation of 0.03; three degrees of freedom leave a tenth of a percent
  /// beyond 16.3.
  @Test func aWallsSecondSolutionIsKept() {
    let lens = LensModel(Self.camera)
    var random = SeededRandom(seed: 4)
    func shares(_ depth: (Double) -> Double) -> (best: Double, any: Double, others: Double) {
      var (best, any, others, all) = (0.0, 0.0, 0.0, 0.0)
      for _ in 0..<300 {
        let truth = 0.03 * random.gaussian3()
        let pairs = Self.views(
          &random, rotation: Rotation.exp(truth), translation: 0.3 * random.direction(), depth: depth)
        guard let seen = RelativeRotation(pairs, lens: lens, noise: Self.pixelNoise * 1.4 / Self.focal) else {
          continue
        }
        let isBest = Self.isNear(seen.vector, seen.covariance, truth)
        all += 1
        best += isBest ? 1 : 0
        any += isBest || seen.others.contains { Self.isNear($0.vector, $0.covariance, truth) } ? 1 : 0
        others += Double(seen.others.count)
      }
      return (best / all, any / all, others / all)
    }
    let wall = shares { _ in 4 }
    let room = shares { 1.5 + 5 * $0 }
    print("the truth is the best minimum and among all: wall \(wall), room \(room)")
    #expect(wall.any > wall.best + 0.12)
    #expect(room.best > 0.95 && room.others < 0.1)
  }
}
