import Geometry

extension ObserverCells {
  /// Change of the position over one cell along azimuth, elevation and distance, metres: the columns.
  @inline(__always)
  static func edges(at position: Vector3, from anchor: Vector3, size: Vector3) -> Matrix3 {
    let d = position - anchor
    let level = max(d.horizontalNorm, 1e-12)
    return Matrix3(
      columns: size.x * Vector3(-d.y, d.x, 0), size.y * Vector3(-d.z * d.x / level, -d.z * d.y / level, level),
      size.z / max(d.norm, 1e-12) * d)
  }

  /// Square of a cell's width over the posterior's conditional 1-sigma along each axis.
  ///
  /// `width^2 J_jj` with J the Gauss-Newton information of all `ranges`, the biases eliminated: the derivative of the
  /// range passes through the same filter as the range itself.
  func information(at i: Int, _ ranges: [BiasFilter.Step]) -> Vector3 {
    let position = position(i)
    let edges = Self.edges(at: position, from: anchor, size: size)
    var (constant, coloured) = (Vector3.zero, Vector3.zero)
    let prior = size.y / elevationPrior
    var information = Vector3(0, prior * prior, 0)
    for range in ranges {
      let line = (position - range.antenna).normalized
      coloured *= range.decay
      let innovation = Vector3(line.dot(edges.c0), line.dot(edges.c1), line.dot(edges.c2)) - constant - coloured
      information += range.information * innovation * innovation
      constant += range.constantGain * innovation
      coloured += range.colouredGain * innovation
    }
    return information
  }
}
