import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Testing

/// Forecasts of a motion, against cases with a closed form.
@Suite struct ExcitationForecastTests {
  private static let sideways = [Vector3(1, 0, 0)], up = [Vector3(0, 0, 1)]
  /// White noise of 0.1 m at 10 Hz: 0.03125 m^2 of sweep over 0.001 m^2 s, 31.25 a second.
  private static let plain = RangeNoise(white: 0.1, coloured: 0, correlationTime: 2, correlationLength: 20)

  private static func forecast(
    _ view: PosteriorView, _ goal: ExcitationForecast.Goal, rate: Double = 10, noise: RangeNoise? = plain,
    contradictionProbability: Double = 0,
    fixedVariance: Double = 0.01
  ) -> ExcitationForecast {
    ExcitationForecast(
      modes: PosteriorMode.modes(of: view), goal: goal, information: CandidateMotion.information(noise, rate: rate),
      contradictionProbability: contradictionProbability,
      fixedVariance: fixedVariance, PublicationRules(FinderConfiguration()))
  }

  /// Left and right are resolved sideways, not by going up and down.
  @Test func aLateralAmbiguityIsResolvedSideways() {
    let ambiguous = SampleViews.balls([(0.6, Vector3(3, 4, 0)), (0.4, Vector3(-3, 4, 0))], sigma: 0.2)
    #expect(Self.forecast(ambiguous, .angle).timeToGoal(along: Self.sideways) == .seconds(1))
    #expect(Self.forecast(ambiguous, .angle).timeToGoal(along: Self.up) == .notReached(.competingMode))
  }

  /// From 0.2 to 0.0797 = 1.5 m / 5.72 m / 3.29: (157 - 25) / 31.25 = 4.2 s, rounded up to 5; a quarter of the ranges
  /// takes 16.9 s, rounded up to 20.
  @Test func aWideModeIsNarrowedAtTheRateOfTheNoise() {
    let wide = SampleViews.one(Vector3(0, 5.72, 0), radial: 0.1, across: 0.1, up: 0.2 * 5.72)
    #expect(Self.forecast(wide, .convergence).timeToGoal(along: Self.up) == .seconds(5))
    #expect(Self.forecast(wide, .convergence, rate: 2.5).timeToGoal(along: Self.up) == .seconds(20))
    #expect(Self.forecast(wide, .convergence, rate: 1).timeToGoal(along: Self.up) == .tooLong)
    #expect(Self.forecast(wide, .convergence, noise: nil).timeToGoal(along: Self.up) == .unknown)
    #expect(
      Self.forecast(wide, .convergence, contradictionProbability: 0.5).timeToGoal(along: Self.up)
        == .notReached(.contradiction))
    #expect(Self.forecast(wide, .convergence, fixedVariance: 1).timeToGoal(along: Self.up) == .notReached(.distance))
  }

  /// Seeds of the audit: a peer known to 6.9 degrees sideways at 5.7 m never converges by going up and down.
  @Test func whatTheMotionDoesNotNarrowIsNamed() throws {
    let angle = Angle.degrees(6.9)
    let flat = SampleViews.one(Vector3(0, 5.73, 0), radial: 0.1, across: angle * 5.73, up: 0.2 * 5.73)
    guard
      case .notReached(.sideways(let sigma, let limit)) = Self.forecast(flat, .convergence).timeToGoal(along: Self.up)
    else {
      Issue.record("\(Self.forecast(flat, .convergence).timeToGoal(along: Self.up))")
      return
    }
    #expect(abs(sigma - angle) < 1e-3 && abs(limit - 1.5 / 5.73 / 3.2905) < 1e-3)
    // Both together: 157 - 25 over 31.25 again, the upwards part takes longer.
    #expect(Self.forecast(flat, .convergence).timeToGoal(along: Self.sideways + Self.up) == .seconds(5))
  }

  /// Near the border of "on the same level" the vertical class takes long, in the middle it does not.
  @Test func theBorderOfALevelNeedsTime() {
    func peer(_ elevation: Double) -> PosteriorView {
      SampleViews.one(
        Vector3(0, 5 * cos(elevation), 5 * sin(elevation)), radial: 0.1, across: 0.1, up: 0.05 * 5)
    }
    // 1.2 m at 5 m is 13.9 degrees.
    #expect(Self.forecast(peer(0), .convergence).timeToGoal(along: Self.up) == .seconds(1))
    #expect(Self.forecast(peer(0.24), .convergence).timeToGoal(along: Self.up) == .tooLong)
  }

  /// Coloured noise reduces the information, but a sweep faster than its memory keeps more than independent ranges
  /// every 2 T would.
  @Test func colouredNoiseTakesLonger() throws {
    let coloured = RangeNoise(white: 0.1, coloured: 0.15, correlationTime: 2, correlationLength: 20)
    let (white, both) = (
      try #require(CandidateMotion.information(Self.plain, rate: 10)),
      try #require(CandidateMotion.information(coloured, rate: 10))
    )
    #expect(abs(white - 31.25) < 1e-9)
    let slow = 0.03125 / (0.001 + 2 * 2 * 0.0225)
    #expect(both < 0.5 * white && both > 5 * slow)
    let wide = SampleViews.one(Vector3(0, 5.72, 0), radial: 0.1, across: 0.1, up: 0.2 * 5.72)
    guard case .seconds(let seconds) = Self.forecast(wide, .convergence, noise: coloured).timeToGoal(along: Self.up)
    else {
      Issue.record("not reached")
      return
    }
    #expect(seconds > 5 && Forecast.steps.contains(seconds))
  }

  /// The requested motion comes first, and a better one only where it is sooner.
  @Test func aBetterMotionIsNamedBesideTheAskedOne() {
    let ambiguous = Self.forecast(
      SampleViews.balls([(0.6, Vector3(3, 4, 0)), (0.4, Vector3(-3, 4, 0))], sigma: 0.2), .angle)
    let right = CandidateMotion.choices(
      asked: .insufficientHorizontalSweep, ambiguous, worldFromDevice: SampleViews.device)
    #expect(right.asked?.kind == .sideways && right.better == nil)
    #expect(abs((right.asked?.separation ?? 0) - 1.2) < 1e-12)
    let wrong = CandidateMotion.choices(
      asked: .insufficientVerticalSweep, ambiguous, worldFromDevice: SampleViews.device)
    #expect(wrong.asked?.kind == .upAndDown && wrong.better?.kind == .sideways)
    // One behind the other: a device on this line must go forwards and back.
    let behind = Self.forecast(
      SampleViews.balls([(0.6, Vector3(1, 4, 0)), (0.4, Vector3(1, -4, 0))], sigma: 0.2), .angle)
    let across = CandidateMotion.choices(
      asked: .insufficientHorizontalSweep, behind, worldFromDevice: SampleViews.device)
    #expect(across.better?.kind == .forwardsAndBack)
    #expect(
      CandidateMotion.choices(asked: .insufficientLighting, ambiguous, worldFromDevice: SampleViews.device).asked == nil
    )
    #expect(CandidateMotion.choices(asked: nil, ambiguous, worldFromDevice: SampleViews.device).better == nil)
  }
}
