import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Testing

/// What a motion is expected to bring, against cases that can be worked out by hand.
@Suite struct ExcitationForecastTests {
  private static let sideways = [Vector3(1, 0, 0)], up = [Vector3(0, 0, 1)]
  /// White noise of 0.1 m at 10 Hz: 0.03125 m^2 of sweep over 0.001 m^2 s, 31.25 a second.
  private static let plain = RangeNoise(white: 0.1, coloured: 0, correlationTime: 2, correlationLength: 20)

  private static func forecast(
    _ belief: PosteriorView, _ goal: ExcitationForecast.Goal, rate: Double = 10, noise: RangeNoise? = plain, doubt: Double = 0,
    given: Double = 0.01
  ) -> ExcitationForecast {
    ExcitationForecast(
      places: Place.places(of: belief), goal: goal, information: CandidateMotion.information(noise, rate: rate), doubt: doubt,
      given: given, FinderConfiguration())
  }

  /// Left and right are told apart sideways, not by going up and down.
  @Test func aMirrorImageIsSettledAcross() {
    let mirror = Beliefs.balls([(0.6, Vector3(3, 4, 0)), (0.4, Vector3(-3, 4, 0))], sigma: 0.2)
    #expect(Self.forecast(mirror, .angle).prospect(along: Self.sideways) == .seconds(1))
    #expect(Self.forecast(mirror, .angle).prospect(along: Self.up) == .notReached(.rival))
  }

  /// From 0.2 to 0.0797 = 1.5 m / 5.72 m / 3.29: (157 - 25) / 31.25 = 4.2 s, said as 5; a quarter of the ranges takes 16.9 s, said as 20.
  @Test func aWidePlaceIsNarrowedAtTheRateOfTheNoise() {
    let wide = Beliefs.one(Vector3(0, 5.72, 0), radial: 0.1, across: 0.1, up: 0.2 * 5.72)
    #expect(Self.forecast(wide, .convergence).prospect(along: Self.up) == .seconds(5))
    #expect(Self.forecast(wide, .convergence, rate: 2.5).prospect(along: Self.up) == .seconds(20))
    #expect(Self.forecast(wide, .convergence, rate: 1).prospect(along: Self.up) == .tooLong)
    #expect(Self.forecast(wide, .convergence, noise: nil).prospect(along: Self.up) == .unknown)
    #expect(Self.forecast(wide, .convergence, doubt: 0.5).prospect(along: Self.up) == .notReached(.doubt))
    #expect(Self.forecast(wide, .convergence, given: 1).prospect(along: Self.up) == .notReached(.distance))
  }

  /// Seeds of the audit: a peer that is known to 6.9 degrees sideways at 5.7 m never converges by going up and down.
  @Test func whatTheMotionDoesNotNarrowIsNamed() throws {
    let angle = Angle.degrees(6.9)
    let flat = Beliefs.one(Vector3(0, 5.73, 0), radial: 0.1, across: angle * 5.73, up: 0.2 * 5.73)
    guard case .notReached(.sideways(let sigma, let limit)) = Self.forecast(flat, .convergence).prospect(along: Self.up)
    else {
      Issue.record("\(Self.forecast(flat, .convergence).prospect(along: Self.up))")
      return
    }
    #expect(abs(sigma - angle) < 1e-3 && abs(limit - 1.5 / 5.73 / 3.2905) < 1e-3)
    // Both together: 157 - 25 over 31.25 again, the upwards part takes longer.
    #expect(Self.forecast(flat, .convergence).prospect(along: Self.sideways + Self.up) == .seconds(5))
  }

  /// Nearly on the border of "on our level" the height class takes long, in the middle it does not.
  @Test func theBorderOfALevelTakesTime() {
    func peer(_ elevation: Double) -> PosteriorView {
      Beliefs.one(
        Vector3(0, 5 * cos(elevation), 5 * sin(elevation)), radial: 0.1, across: 0.1, up: 0.05 * 5)
    }
    // 1.2 m at 5 m is 13.9 degrees.
    #expect(Self.forecast(peer(0), .convergence).prospect(along: Self.up) == .seconds(1))
    #expect(Self.forecast(peer(0.24), .convergence).prospect(along: Self.up) == .tooLong)
  }

  /// Coloured noise tells less, but a sweep faster than its memory keeps more than independent ranges every 2 T would.
  @Test func colouredNoiseTakesLonger() throws {
    let coloured = RangeNoise(white: 0.1, coloured: 0.15, correlationTime: 2, correlationLength: 20)
    let (white, both) = (
      try #require(CandidateMotion.information(Self.plain, rate: 10)),
      try #require(CandidateMotion.information(coloured, rate: 10))
    )
    #expect(abs(white - 31.25) < 1e-9)
    let slow = 0.03125 / (0.001 + 2 * 2 * 0.0225)
    #expect(both < 0.5 * white && both > 5 * slow)
    let wide = Beliefs.one(Vector3(0, 5.72, 0), radial: 0.1, across: 0.1, up: 0.2 * 5.72)
    guard case .seconds(let seconds) = Self.forecast(wide, .convergence, noise: coloured).prospect(along: Self.up) else {
      Issue.record("not reached")
      return
    }
    #expect(seconds > 5 && Forecast.steps.contains(seconds))
  }

  /// What is asked for is named first, and a better one only where it is sooner.
  @Test func aBetterMotionIsNamedBesideTheAskedOne() {
    let mirror = Self.forecast(
      Beliefs.balls([(0.6, Vector3(3, 4, 0)), (0.4, Vector3(-3, 4, 0))], sigma: 0.2), .angle)
    let right = CandidateMotion.choices(asked: .insufficientHorizontalSweep, mirror, worldFromDevice: Beliefs.device)
    #expect(right.asked?.kind == .sideways && right.better == nil)
    #expect(abs((right.asked?.separation ?? 0) - 1.2) < 1e-12)
    let wrong = CandidateMotion.choices(asked: .insufficientVerticalSweep, mirror, worldFromDevice: Beliefs.device)
    #expect(wrong.asked?.kind == .upAndDown && wrong.better?.kind == .sideways)
    // One behind the other: a device that looks at them along this line must go forwards and back.
    let behind = Self.forecast(Beliefs.balls([(0.6, Vector3(1, 4, 0)), (0.4, Vector3(1, -4, 0))], sigma: 0.2), .angle)
    let across = CandidateMotion.choices(asked: .insufficientHorizontalSweep, behind, worldFromDevice: Beliefs.device)
    #expect(across.better?.kind == .forwardsAndBack)
    #expect(CandidateMotion.choices(asked: .insufficientLighting, mirror, worldFromDevice: Beliefs.device).asked == nil)
    #expect(CandidateMotion.choices(asked: nil, mirror, worldFromDevice: Beliefs.device).better == nil)
  }
}
