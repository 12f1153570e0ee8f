import Geometry

/// A cell of the ideal observer's posterior.
struct WeightedCell {
  /// Its mid-point, world, metres.
  var position: Vector3
  /// Its weight, 0...1; all sum to 1.
  var weight: Double
  /// Its three edges in the world, metres: the columns.
  var edges: Matrix3

  /// Change over the cell of a function of the position with this gradient: the width of its box.
  @inline(__always)
  func width(along gradient: Vector3) -> Double {
    Vector3(gradient.dot(edges.c0), gradient.dot(edges.c1), gradient.dot(edges.c2)).norm
  }
}
