import CameraGeometry
import Foundation
import Geometry
import LeastSquares
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

  /// Each of several descents is that of it alone, on any processor; an odd number of pairs and lanes that stay empty.
  @Test func descentsDoNotMix() throws {
    var random = SeededRandom(seed: 11)
    let pairs = (0..<31).map { _ in
      let point = Vector3(2 * random.uniform(-1...1), 2 * random.uniform(-1...1), 2 + 3 * random.uniform(0...1))
      let now = Rotation.exp(Vector3(0.02, -0.05, 0.01)) * point + Vector3(0.1, 0.03, 0) + 0.0005 * random.gaussian3()
      return (then: point.normalized, now: now.normalized)
    }
    let starts = (0..<7).map { _ in random.direction() }
    let all = EpipolarDescent(pairs, noise: 0.001).ends(from: starts)
    let narrow = EpipolarDescent(pairs, noise: 0.001, usesBaseline: true).ends(from: starts)
    let alone = starts.flatMap { EpipolarDescent(pairs, noise: 0.001).ends(from: [$0]) }
    #expect(all.count == 7 && narrow.count == 7 && alone.count == 7)
    for (end, others) in zip(all, zip(narrow, alone)) {
      for other in [others.0, others.1] {
        #expect(end.rotation == other.rotation && end.translation == other.translation)
        #expect(end.cost == other.cost && end.deviation == other.deviation)
        #expect(end.rotationCovariance == other.rotationCovariance)
      }
    }
    let best = try #require(all.min { $0.cost < $1.cost })
    #expect((best.rotation.log - Vector3(0.02, -0.05, 0.01)).norm < 0.01, "\(best.rotation.log)")
    // The deviation is that of the residuals at the end, outliers aside: `Statistics` has the same median.
    let residuals = pairs.map { pair in
      let turned = best.rotation * pair.then, plane = best.translation.cross(turned)
      let across = pair.now.cross(best.translation)
      return pair.now.dot(plane) / (plane.cross(pair.now).squaredNorm + across.cross(turned).squaredNorm).squareRoot()
    }
    let deviation = try #require(residuals.robustDeviation())
    #expect(abs(best.deviation - deviation) < 0.05 * deviation, "\(best.deviation) \(deviation)")
  }
}
