import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import TestSupport
import Testing

/// Outputs from the Gaussians against samples of them.
@Suite struct PosteriorViewTests {
  /// Three Gaussians some metres away, askew, with tens of centimetres of spread.
  static func random(_ random: inout SeededRandom) -> PosteriorView {
    let center = 5 * Vector3(random.uniform(-1...1), 1, random.uniform(-0.5...0.5))
    return PosteriorView(
      worldFromDevice: Pose(rotation: .yaw(random.uniform(-3...3)) * HeldPhone.facingNorth, translation: .zero),
      gaussians: (0..<3).map { _ in
        let r = random.rotation().matrix
        let d = Matrix3(diagonal: Vector3(0.01, 0.04, 0.09))
        return PositionGaussian(
          weight: random.uniform(0.2...1), position: center + 0.3 * random.gaussian3(), covariance: r * d * r.transpose)
      })
  }

  @Test func everyFigureIsThatOfSamples() {
    var random = SeededRandom(seed: 91)
    for _ in 0..<10 {
      let view = Self.random(&random)
      let count = 20_000
      let drawn = SampleViews.samples(view, &random, count: count)
      func mean(_ f: (Vector3) -> Double) -> Double { drawn.reduce(0) { $0 + f($1) } / Double(count) }

      // The outputs are of first order: a transverse spread s at distance d shifts the mean by s^2/2d.
      let distance = mean { $0.norm }
      #expect(abs(view.distance.mean - distance) < 0.03)
      #expect(abs(view.distance.sigma - mean { ($0.norm - distance) * ($0.norm - distance) }.squareRoot()) < 0.02)
      let horizontal = mean { $0.horizontalNorm }
      #expect(abs(view.horizontalDistance.mean - horizontal) < 0.03)

      let marginal = view.horizontalAngle
      let angles = drawn.map {
        Angle.wrapped(HorizontalAngle.of($0, worldFromDevice: view.worldFromDevice.rotation) - marginal.mean)
      }
      for p in [0.05, 0.5, 0.95] {
        let fraction = Double(angles.filter { $0 < marginal.quantile(p) }.count) / Double(count)
        #expect(abs(fraction - p) < 0.02)
      }

      let position = view.position
      #expect((position.mean - drawn.reduce(.zero, +) / Double(count)).norm < 0.02)
      for axis in 0..<3 {
        let variance = mean { ($0[axis] - position.mean[axis]) * ($0[axis] - position.mean[axis]) }
        #expect(abs(position.covariance[axis, axis] / variance - 1) < 0.06)
      }

      let (center, cone) = view.direction
      let inside = mean { $0.normalized.dot(center) >= cos(cone) ? 1 : 0 }
      #expect(inside >= 0.89, "the cone holds 90 %")
    }
  }

  /// The class of formats.md, counted: same within 1.2 m vertically or 10 degrees of the horizon.
  @Test func verticalProbabilitiesAreThoseOfSamples() {
    var random = SeededRandom(seed: 92)
    for _ in 0..<40 {
      let position = Vector3(random.uniform(1...9), 1, random.uniform(-4...4))
      let spread = random.uniform(0.1...0.8)
      let view = SampleViews.balls([(0.7, position), (0.3, position + Vector3(0, 0, 0.5))], sigma: spread)
      let drawn = SampleViews.samples(view, &random, count: 10_000)
      func fraction(_ side: Double) -> Double {
        Double(drawn.filter { side * $0.z > 1.2 && side * $0.z > tan(Angle.degrees(10)) * $0.horizontalNorm }.count)
          / 1e4
      }
      let found = view.verticalProbabilities(height: 1.2, elevation: Angle.degrees(10))
      // Where both limits bite at once, the smaller of the two probabilities bounds the joint one from above.
      #expect(abs(found.above - fraction(1)) < 0.05)
      #expect(abs(found.below - fraction(-1)) < 0.05)
      #expect(abs(found.above + found.below + found.same - 1) < 1e-12)
    }
  }

  @Test func aRoundGaussiansConeHoldsNinetyPercent() {
    var random = SeededRandom(seed: 93)
    let view = SampleViews.balls([(1, Vector3(0, 5, 0))], sigma: 0.2)
    let (center, cone) = view.direction
    let inside = SampleViews.samples(view, &random, count: 40_000).filter { $0.normalized.dot(center) >= cos(cone) }
      .count
    #expect(abs(Double(inside) / 40_000 - 0.9) < 0.01)
  }

  /// No number of ranges determines the device's axes.
  @Test func theAxesUncertaintyIsAFloor() {
    let sure = SampleViews.balls([(1, Vector3(0, 5, 0))], sigma: 1e-6).gaussians
    let view = PosteriorView(worldFromDevice: SampleViews.device, gaussians: sure, axesUncertainty: 0.02)
    #expect(abs(view.horizontalAngle.standardDeviation - 0.02) < 1e-6)
    #expect(abs(view.direction.cone - 2.146 * 0.02) < 1e-6)
  }

  @Test func scatterCountsTheInformedAxes() {
    let sphere = SampleViews.sphere.directionScatter.smallestEigenvalue
    #expect(abs(sphere - 1.0 / 3) < 0.02, "a sphere scatters a third in every axis")
    #expect(SampleViews.ring.directionScatter.smallestEigenvalue < 0.02)
    var random = SeededRandom(seed: 94)
    for _ in 0..<100 {
      let r = random.rotation().matrix
      let d = Vector3(random.uniform(0...1), random.uniform(0...1), random.uniform(0...1))
      let m = r * Matrix3(diagonal: d) * r.transpose
      #expect(abs(m.smallestEigenvalue - d.min()) < 1e-9)
    }
  }
}
