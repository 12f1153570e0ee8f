import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import Simulation
import Testing

/// Information of a path about above and below.
@Suite struct PathExcitationTests {
  /// A hand that sweeps level for ten seconds, `off(t)` metres off its plane at the time t; the path errs by `error` in
  /// a second, 1-sigma. The plane is tilted: nothing here depends on the horizon. A range every `interval` seconds.
  static func pathErrorProbability(
    error: Double, interval: Double = 0.05, observesHeight: Bool = false, off: (Double) -> Double
  )
    -> Double
  {
    let tilt = Rotation.exp(Vector3(0.3, -0.2, 0.1))
    var excitation = PathExcitation()
    for i in 0..<Int(10 / interval) {
      let t = interval * Double(i)
      let angle = 0.8 * sin(2 * t)
      excitation.add(
        tilt * Vector3(0.6 * sin(angle), 0.6 * cos(angle), off(t)), seconds: interval,
        drift: AccumulatedDrift(positionVariance: error * error * interval), range: 3, observesHeight: observesHeight)
    }
    return excitation.pathErrorProbability
  }

  /// A random walk of the path's own error: the displacement off the plane is no more than that, about one sigma,
  /// Phi(-1) in the mean.
  @Test func pathErrorResolvesNoSide() {
    for seed in 1...20 {
      var random = SeededRandom(seed: UInt64(seed))
      var at = 0.0
      let pathErrorProbability = Self.pathErrorProbability(error: 0.015) { _ in
        at += 0.015 * 0.05.squareRoot() * random.gaussian()
        return at
      }
      // A side is named from 95 % on.
      #expect(pathErrorProbability > 0.05)
    }
  }

  /// A tremor of 3 mm on a slow error of 1.5 cm is itself known well, but the ranges depend on the sum.
  @Test func aTremorOnASlowErrorResolvesNoSide() {
    var random = SeededRandom(seed: 3)
    #expect(Self.pathErrorProbability(error: 0.015) { 0.003 * random.gaussian() + 0.015 * sin(0.6 * $0) } > 0.1)
  }

  /// A bob of 2 Hz and 2 cm: within an eighth of a second it covers half its displacement, 2.8 cm rms at a right angle
  /// of phase, and the path errs by 0.53 cm.
  @Test func aBobIsComparedOverItsOwnTime() {
    let bob = { 0.02 * 2.0.squareRoot() * sin(4 * .pi * $0) }
    for interval in [0.025, 0.0625, 0.125] {
      #expect(Self.pathErrorProbability(error: 0.015, interval: interval, off: bob) < 1e-4)
    }
    // As slow as the sweep, the same two centimetres are hardly more than the path's error: Phi(-1.2).
    #expect(abs(Self.pathErrorProbability(error: 0.015) { 0.02 * 2.0.squareRoot() * sin(0.9 * $0) } - 0.11) < 0.04)
  }

  /// A path that errs along its sweep only is known off its plane; one that errs off it is not.
  @Test func driftAlongThePlaneIsNoPathError() {
    func pathErrorProbability(_ lost: Vector3) -> Double {
      var excitation = PathExcitation()
      for i in 0..<200 {
        let t = 0.05 * Double(i)
        excitation.add(
          Vector3(0.6 * sin(2 * t), 0.6 * cos(2 * t), 0.005 * sin(9 * t)), seconds: 0.05,
          drift: AccumulatedDrift(position: Matrix3(diagonal: 0.05 * 0.015 * 0.015 * lost)), range: 3,
          observesHeight: false)
      }
      return excitation.pathErrorProbability
    }
    #expect(pathErrorProbability(Vector3(1, 1, 0.001)) < 1e-6)
    #expect(pathErrorProbability(Vector3(0.001, 0.001, 1)) > 0.05)
  }

  /// The lags hold where the radio pauses, and positions that no lag needs are dropped.
  @Test func aRadioMayPause() {
    var excitation = PathExcitation()
    for i in 0..<4000 {
      let off = i.isMultiple(of: 2) ? 0.1 : -0.1
      excitation.add(
        Vector3(Double(i % 7), Double(i % 5), off), seconds: i.isMultiple(of: 400) ? 30 : 0.1,
        drift: AccumulatedDrift(positionVariance: 1e-5), range: 3, observesHeight: false)
    }
    #expect(excitation.pathErrorProbability < 1e-6)
  }

  /// A path from a tracker that states no error is taken as true, and an AoA needs no path.
  @Test func aKnownPathHasNoPathError() {
    #expect(Self.pathErrorProbability(error: 0) { 0.003 * sin(9 * $0) } == 0)
    #expect(Self.pathErrorProbability(error: 0.015, observesHeight: true) { 0.003 * sin(9 * $0) } == 0)
    #expect(PathExcitation().pathErrorProbability == 0)
  }
}
