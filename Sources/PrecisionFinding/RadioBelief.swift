import Ranging

/// What is known of a link's radio apart from where the peer is: it outlives a trajectory.
struct RadioBelief {
  /// The constant bias: mean, metres, and variance, m^2.
  var bias: (mean: Double, variance: Double)
  /// How the ranges scatter.
  var noise: RangeNoise
}
