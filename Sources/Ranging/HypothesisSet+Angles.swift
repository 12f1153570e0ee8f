import Foundation
import Geometry

extension HypothesisSet {
  /// Bayes' rule for one cosine of an angle of arrival: each hypothesis is weighted by how well it foretold it and moved by a
  /// Kalman update. With a blocked sight the angle is as likely to be that of the reflector, which may stand anywhere.
  ///
  /// - Parameters:
  ///   - antenna: where the array was, world, metres.
  ///   - worth: what share of an independent measurement this one is, 0...1: neighbouring angles err alike, and a likelihood to the
  ///     power of `worth` is that of a variance `worth` times as large the other way.
  package mutating func update(
    _ measured: AxisCosine, antenna: Vector3, worth: Double, _ configuration: RangingConfiguration
  ) {
    guard worth > 0 else { return }
    let noise = measured.variance / worth
    let scratch = HypothesisScratch(count: 1, dimension: dimension)
    defer { scratch.free() }
    for i in 0..<count {
      let (c, gradient) = measured.model(position(i) - antenna)
      let j = positionJacobian(i)
      let row = Vector3(gradient.dot(j.c0), gradient.dot(j.c1), gradient.dot(j.c2))
      scratch.load(0, from: self, at: i, share: 1)
      let strange = i & 1 == 0 ? configuration.strangeAngleShare : 0.5
      scratch.assimilate(0, row: row, innovation: measured.cosine - c, noiseVariance: noise, strangeShare: strange)
      logWeight[i] += scratch.store(0, into: &self, at: i)
    }
  }
}
