import Foundation
import Geometry
import Report
import Simulation
import Testing

/// The 90 % region of a Gaussian in the plane.
@Suite struct EllipseTests {
  /// A covariance with known axes: 0.4 m and 0.1 m of sigma, rotated by 30 degrees.
  @Test func axesOfAKnownCovariance() throws {
    let rotation = Angle.degrees(30)
    let (c, s) = (cos(rotation), sin(rotation))
    let ellipse = try #require(
      Ellipse(xx: 0.16 * c * c + 0.01 * s * s, xy: (0.16 - 0.01) * c * s, yy: 0.16 * s * s + 0.01 * c * c))
    #expect(abs(ellipse.major - 0.4 * 2.145966) < 1e-6)
    #expect(abs(ellipse.minor - 0.1 * 2.145966) < 1e-6)
    #expect(abs(ellipse.direction - rotation) < 1e-12)
  }

  @Test func aCircleAndAPoint() throws {
    let circle = try #require(Ellipse(xx: 0.25, xy: 0, yy: 0.25))
    #expect(circle.major == circle.minor)
    #expect(Ellipse(xx: 0, xy: 0, yy: 0)?.major == 0)
  }

  @Test func whatIsNoCovarianceHasNone() {
    #expect(Ellipse(xx: .nan, xy: 0, yy: 1) == nil)
    #expect(Ellipse(xx: 1, xy: .infinity, yy: 1) == nil)
    #expect(Ellipse(xx: -1, xy: 0, yy: 1) == nil)
  }

  /// Monte Carlo: 90 % of random points lie within.
  @Test func holdsNineInTen() throws {
    var random = SeededRandom(seed: 7)
    let ellipse = try #require(Ellipse(xx: 2, xy: 0.9, yy: 1))
    // Cholesky factor of [[2, 0.9], [0.9, 1]].
    let (a, b, c) = (2.0.squareRoot(), 0.9 / 2.0.squareRoot(), (1 - 0.81 / 2).squareRoot())
    let (cosine, sine) = (cos(ellipse.direction), sin(ellipse.direction))
    var within = 0
    for _ in 0..<20_000 {
      let (u, v) = (random.gaussian(), random.gaussian())
      let (x, y) = (a * u, b * u + c * v)
      let along = (cosine * x + sine * y) / ellipse.major
      let across = (cosine * y - sine * x) / ellipse.minor
      if along * along + across * across <= 1 { within += 1 }
    }
    // Four standard deviations of a binomial fraction.
    #expect(abs(Double(within) / 20_000 - 0.9) < 4 * (0.9 * 0.1 / 20_000).squareRoot())
  }
}
