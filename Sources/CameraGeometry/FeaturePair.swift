/// Where one feature was in two frames, pixels.
package struct FeaturePair: Sendable {
  package var then: SIMD2<Double>
  package var now: SIMD2<Double>

  /// From the place in each frame.
  package init(then: SIMD2<Double>, now: SIMD2<Double>) { (self.then, self.now) = (then, now) }
}
