import Foundation
import Geometry
import PrecisionFinding
import Testing

/// The rules of formats.md, one by one.
@Suite struct PublishableEstimateTests {
  static let ahead = Vector3(0, 5, 0)

  @Test func aNarrowPosteriorPublishesEverything() throws {
    let estimate = SampleViews.estimate(SampleViews.balls([(1, Vector3(3, 4, 0))], sigma: 0.05))
    let angle = try #require(estimate.angle)
    #expect(abs(angle.value - atan2(3, 4)) < 1e-9 && estimate.noAngle == nil)
    #expect(abs(angle.standardDeviation - 0.01) < 1e-4)
    #expect(abs(angle.low - (angle.value - 0.01645)) < 1e-4 && abs(angle.high - (angle.value + 0.01645)) < 1e-4)
    // Device axes: x right, y up, -z ahead.
    #expect((try #require(estimate.direction) - Vector3(0.6, 0, -0.8)).norm < 1e-9)
    #expect(estimate.positionIsGood && (estimate.position.mean - Vector3(3, 4, 0)).norm < 1e-12)
    #expect(estimate.probabilityBeyond20Degrees < 1e-9)
  }

  /// Null beyond a 90 % half-width of 15 degrees.
  @Test(arguments: [(8.9, true), (9.3, false)])
  func aWideAngleIsWithheld(sigmaDegrees: Double, published: Bool) {
    let across = 5 * Angle.degrees(sigmaDegrees)
    let estimate = SampleViews.estimate(SampleViews.one(Self.ahead, radial: 0.1, across: across, up: 0.1))
    #expect((estimate.angle != nil) == published)
    #expect(estimate.noAngle == (published ? nil : .wide))
  }

  /// Null when more than 1 % lies over 45 degrees away.
  @Test(arguments: [(0.005, true), (0.015, false), (0.3, false), (0.5, false)])
  func anAmbiguityWithholdsTheAngle(probability: Double, published: Bool) {
    let estimate = SampleViews.estimate(
      SampleViews.balls([(1 - probability, Self.ahead), (probability, Vector3(5, 0, 0))], sigma: 0.1))
    #expect((estimate.angle != nil) == published)
    #expect(estimate.noAngle == (published ? nil : .ambiguous))
    #expect(probability > 0.1 || abs(estimate.probabilityBeyond20Degrees - probability) < 1e-6)
  }

  /// Images above and below share an azimuth: the angle stands, the direction does not.
  @Test func anImageAboveAndBelowLeavesTheAngle() {
    let estimate = SampleViews.estimate(SampleViews.balls([(1, Vector3(0, 4, 2)), (1, Vector3(0, 4, -2))], sigma: 0.1))
    #expect(estimate.angle != nil && estimate.direction == nil && !estimate.positionIsGood)
    #expect(estimate.vertical.above > 0.4 && estimate.vertical.below > 0.4)
  }

  /// Null under half a metre, or under two sigma, of horizontal distance.
  @Test(arguments: [(0.45, 0.01, false), (0.55, 0.01, true), (0.7, 0.32, true), (0.7, 0.4, false)])
  func aNearPeerHasNoAngle(horizontal: Double, radial: Double, published: Bool) {
    let estimate = SampleViews.estimate(
      SampleViews.one(Vector3(0, horizontal, 2), radial: radial, across: 0.01, up: 0.01))
    #expect((estimate.angle != nil) == published)
    #expect(estimate.noAngle == (published ? nil : .near))
  }

  /// Null unless its 90 % cone is at most 15 degrees: the wider axis of the two decides.
  @Test(arguments: [(6.9, true), (7.1, false)])
  func aWideConeHasNoDirection(sigmaDegrees: Double, published: Bool) {
    let up = 5 * Angle.degrees(sigmaDegrees)
    let estimate = SampleViews.estimate(SampleViews.one(Self.ahead, radial: 0.1, across: 0.05, up: up))
    #expect((estimate.direction != nil) == published)
    #expect(estimate.angle != nil, "azimuth alone never makes a direction")
  }

  /// 3-D sigma at most 0.3 m or 15 % of the distance; the covariance is the world's, not the relative one.
  @Test(arguments: [(1.0, 0.29, true), (1.0, 0.31, false), (5.0, 0.74, true), (5.0, 0.76, false)])
  func aWidePositionHasNoWorldTransform(distance: Double, sigma: Double, published: Bool) {
    let view = SampleViews.balls([(1, Vector3(0, distance, 0))], sigma: 0.01)
    let world = (sigma * sigma / 3) * Matrix3.identity
    #expect(
      PublishableEstimate(view, worldCovariance: world, PublicationRules(FinderConfiguration())).positionIsGood
        == published)
  }

  /// Straight behind, the interval is one arc that passes pi.
  @Test func anIntervalBehindPassesPi() throws {
    for x in [-0.2, -0.01, 0, 0.01, 0.2] {
      let angle = try #require(SampleViews.estimate(SampleViews.balls([(1, Vector3(x, -5, 0))], sigma: 0.3)).angle)
      #expect(angle.value > -.pi && angle.value <= .pi)
      #expect(angle.low > -.pi && angle.low <= .pi && angle.high >= angle.low)
      #expect(abs(angle.high - angle.low - 2 * 1.645 * 0.06) < 1e-3)
      let inside = angle.value >= angle.low ? angle.value : angle.value + 2 * .pi
      #expect(inside <= angle.high)
    }
  }

  @Test func spheresAndRingsPublishNothing() {
    for view in [SampleViews.sphere, SampleViews.ring] {
      let estimate = SampleViews.estimate(view)
      #expect(estimate.angle == nil && estimate.direction == nil && !estimate.positionIsGood)
    }
  }

  /// The progress of a motion goes from none to all, and only grows as the posterior narrows.
  @Test func progressGrowsAsThePosteriorNarrows() {
    func progress(_ view: PosteriorView) -> Double { SampleViews.estimate(view).progress }
    #expect(progress(SampleViews.sphere) < 0.3)
    let ambiguous = [0.5, 0.1, 0.03].map {
      progress(SampleViews.balls([(1 - $0, Vector3(4, 3, 0)), ($0, Vector3(-4, 3, 0))], sigma: 0.1))
    }
    #expect(ambiguous[0] < 0.05 && ambiguous[0] < ambiguous[1] && ambiguous[1] < ambiguous[2] && ambiguous[2] < 1)
    let wide = [2.5, 1.8].map { progress(SampleViews.one(Vector3(0, 5, 0), radial: 0.1, across: $0, up: 0.1)) }
    #expect(wide[0] < wide[1] && wide[1] < 1)
    #expect(progress(SampleViews.balls([(1, Vector3(0, 5, 0))], sigma: 0.05)) == 1)
  }
}
