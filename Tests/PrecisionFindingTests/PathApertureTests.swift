import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import Testing

/// What a path is worth for telling above from below.
@Suite struct PathApertureTests {
  /// A hand that sweeps level for ten seconds with a tremor `off` its plane, rms, metres; the path errs by `error` in a second, 1-sigma.
  /// The plane is tilted: nothing here depends on the horizon.
  static func doubt(off: Double, error: Double, hasAngles: Bool = false) -> Double {
    var random = SeededRandom(seed: 5)
    let tilt = Rotation.exp(Vector3(0.3, -0.2, 0.1))
    var aperture = PathAperture()
    for i in 0..<200 {
      let angle = 0.8 * sin(0.1 * Double(i))
      aperture.note(
        tilt * Vector3(0.6 * sin(angle), 0.6 * cos(angle), off * random.gaussian()), seconds: 0.05,
        drift: AccumulatedDrift(position: error * error * 0.05), hasAngles: hasAngles)
    }
    return aperture.mirrorDoubt
  }

  @Test func aTremorWithinThePathsErrorTellsNoSide() {
    // Phi(-0.2), Phi(-1) and Phi(-2); the drawn tremor's rms is known to a twentieth.
    #expect(abs(Self.doubt(off: 0.003, error: 0.015) - 0.421) < 0.01)
    #expect(abs(Self.doubt(off: 0.015, error: 0.015) - 0.159) < 0.02)
    #expect(abs(Self.doubt(off: 0.03, error: 0.015) - 0.023) < 0.01)
  }

  /// A path from a tracker that states no error is believed, and an angle of arrival needs no path.
  @Test func whatIsKnownIsBelieved() {
    #expect(Self.doubt(off: 0.003, error: 0) == 0)
    #expect(Self.doubt(off: 0.003, error: 0.015, hasAngles: true) == 0)
    #expect(PathAperture().mirrorDoubt == 0)
  }

  /// The doubt moves probability from side to side, none from either to the same level.
  @Test func sidesAreMixed() {
    let gaussians = [(0.9, 3.0), (0.1, -3.0)].map {
      TargetGaussian(weight: $0, position: Vector3(3, 0, $1), covariance: Matrix3(diagonal: Vector3(0.01, 0.01, 0.01)))
    }
    for doubt in [0, 0.1, 0.5] {
      let found = Belief(worldFromDevice: Pose(), gaussians: gaussians, mirrorDoubt: doubt).verticalProbabilities(
        height: 1.2, elevation: 0.17)
      #expect(abs(found.above - (0.9 - 0.8 * doubt)) < 1e-6 && abs(found.below - (0.1 + 0.8 * doubt)) < 1e-6)
    }
  }
}
