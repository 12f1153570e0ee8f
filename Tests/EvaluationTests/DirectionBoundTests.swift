import Evaluation
import EvaluationTestSupport
import Foundation
import Geometry
import Simulation
import Testing

/// The closed-form bound, against hand computation and the exact posterior where the bound holds.
@Suite struct DirectionBoundTests {
  /// A swing of 0.6 m from end to end has an rms aperture of 0.212 m: 50 ranges of 10 cm give 3.8 degrees.
  @Test func aSwingByHand() throws {
    let swing = IdealTrialObserver.path(seconds: 5) { Vector3(0, 0.3 * sin(2 * .pi * $0), 0) }
    let bound = try #require(DirectionBound(antennas: swing, sigma: 0.1))
    let expected = 0.1 / (50.0.squareRoot() * 0.3 / 2.0.squareRoot())
    #expect(abs(try #require(bound.cosine(along: Vector3(0, 1, 0))) - expected) < 1e-9)
    #expect(bound.angles(toward: Vector3(1, 0, 0)) == nil && bound.cosine(along: Vector3(1, 0, 0)) == nil)
    #expect(DirectionBound(antennas: [.zero], sigma: 0.1) == nil)
  }

  /// Elevated peers: azimuth errors shrink by the cosine of the elevation, and inclined motion couples the two.
  @Test func theBoundIsTheInverseInformation() throws {
    var random = SeededRandom(seed: 301)
    for _ in 0..<20 {
      let path = (0..<30).map { _ in random.gaussian3() }
      let bound = try #require(DirectionBound(antennas: path, sigma: 0.1))
      let (azimuth, elevation) = (random.uniform(-3...3), random.uniform(-1.2...1.2))
      let far = 1e5
      func range(_ a: Double, _ e: Double, _ p: Vector3) -> Double {
        (far * Vector3(cos(e) * cos(a), cos(e) * sin(a), sin(e)) - p).norm
      }
      // Derivatives of the ranges by azimuth and elevation, their means (the unknown distance) removed.
      let rows = path.map { p in
        SIMD2(
          range(azimuth + 1e-3, elevation, p) - range(azimuth - 1e-3, elevation, p),
          range(azimuth, elevation + 1e-3, p) - range(azimuth, elevation - 1e-3, p)) / 2e-3
      }
      let mean = rows.reduce(SIMD2.zero, +) / Double(rows.count)
      var (aa, ae, ee) = (0.0, 0.0, 0.0)
      for row in rows {
        let d = (row - mean) / 0.1
        (aa, ae, ee) = (aa + d.x * d.x, ae + d.x * d.y, ee + d.y * d.y)
      }
      let determinant = aa * ee - ae * ae
      let u = Vector3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation))
      let angles = try #require(bound.angles(toward: u))
      #expect(abs(angles.azimuth / (ee / determinant).squareRoot() - 1) < 1e-3)
      #expect(abs(angles.elevation / (aa / determinant).squareRoot() - 1) < 1e-3)
    }
  }

  /// Motion along all axes, so without reflection image: 1-sigmas of azimuth and elevation of the exact posterior of a
  /// far peer meet the bound.
  @Test func theObserverReachesTheBound() throws {
    var random = SeededRandom(seed: 302)
    let path = IdealTrialObserver.path(seconds: 10) {
      Vector3(0.3 * sin(2 * .pi * $0 / 2.5), 0.3 * sin(2 * .pi * $0 / 2), 0.2 * sin(2 * .pi * $0 / 1.4))
    }
    let bound = try #require(DirectionBound(antennas: path, sigma: 0.06))
    for elevation in [0.0, 30] {
      let u = Rotation.exp(Vector3(0, -Angle.degrees(elevation), 0)) * Vector3(1, 0, 0)
      let expected = try #require(bound.angles(toward: u))
      var (azimuth, upwards) = (0.0, 0.0)
      for _ in 0..<10 {
        let observer = IdealTrialObserver.afterWhiteNoise(peer: 20 * u, path: path, sigma: 0.06, random: &random)
        azimuth += try IdealTrialObserver.deviation(observer) { atan2($0.y, $0.x) } / 10
        upwards += try IdealTrialObserver.deviation(observer) { atan2($0.z, $0.horizontalNorm) } / 10
      }
      let ratios = (azimuth / expected.azimuth, upwards / expected.elevation)
      print("ideal observer against the bound, elevation \(elevation): \(ratios)")
      #expect(abs(ratios.0 - 1) < 0.05 && abs(ratios.1 - 1) < 0.05, "\(ratios)")
    }
  }
}
