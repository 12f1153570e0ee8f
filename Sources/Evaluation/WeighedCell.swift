import Geometry

/// A cell of the ideal observer's posterior.
struct WeighedCell {
  /// Its mid-point, world, metres.
  var place: Vector3
  /// Its share, 0...1; all sum to 1.
  var weight: Double
  /// Its three edges in the world, metres: the columns.
  var edges: Matrix3

  /// How much a function of the place with this gradient changes over the cell: the width of a box that holds it.
  @inline(__always)
  func width(along gradient: Vector3) -> Double {
    Vector3(gradient.dot(edges.c0), gradient.dot(edges.c1), gradient.dot(edges.c2)).norm
  }
}
