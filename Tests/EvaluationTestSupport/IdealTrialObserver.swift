import Evaluation
import Foundation
import Geometry
import Simulation
import TestSupport
import Testing

/// The ideal observer on the draws of a `RangingTrial`.
package enum IdealTrialObserver {
  /// The model of `RangingTrial`.
  package static let model = RangeErrorModel(
    white: RangingTrial.white, coloured: RangingTrial.coloured, memory: RangingTrial.memory,
    constant: RangingTrial.constant)

  /// The observer after all readings of a trial.
  package static func run(_ trial: RangingTrial, cellsPerSigma: Double = 1.5) -> IdealObserver {
    var observer = IdealObserver(model, cellsPerSigma: cellsPerSigma, limit: 2_000_000)
    for reading in trial.readings { observer.update(range: reading.range, antenna: reading.device, after: 0.1) }
    return observer
  }

  /// What it knows at a position of the device.
  package static func view(_ observer: IdealObserver, _ device: Vector3) throws -> IdealView {
    try #require(IdealView(observer, worldFromDevice: Pose(rotation: HeldPhone.facingEast, translation: device)))
  }

  /// A peer from the observer's own prior over directions, 3 to 7 m away.
  package static func peer(_ random: inout SeededRandom) -> Vector3 {
    while true {
      let u = random.direction()
      let distance = random.uniform(3...7)
      let density = distance * model.heights.density(distance * u.z, distance: distance)
      if random.chance(density / (7 * model.heights.density(0, distance: 3))) { return distance * u }
    }
  }

  /// Hand positions at 10 Hz.
  package static func path(seconds: Double, _ position: (Double) -> Vector3) -> [Vector3] {
    (0..<Int(seconds * 10)).map { position(0.1 * Double($0)) }
  }

  /// The exact posterior of a peer after ranges of white noise alone.
  package static func afterWhiteNoise(
    peer: Vector3, path: [Vector3], sigma: Double, random: inout SeededRandom
  ) -> IdealObserver {
    var observer = IdealObserver(RangeErrorModel(white: sigma, heights: .none))
    let bias = observer.model.constant * random.gaussian()
    for antenna in path {
      observer.update(range: (peer - antenna).norm + bias + sigma * random.gaussian(), antenna: antenna, after: 0.1)
    }
    return observer
  }

  /// 1-sigma of a function of the position over a posterior.
  package static func deviation(_ observer: IdealObserver, _ f: (Vector3) -> Double) throws -> Double {
    let moments = (observer.mean(of: f), observer.mean { f($0) * f($0) })
    let (mean, square) = (try #require(moments.0), try #require(moments.1))
    return (square - mean * mean).squareRoot()
  }
}
