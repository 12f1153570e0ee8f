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
  /// `width^2 J_jj` with J the Gauss-Newton information of all `ranges`, the errors eliminated: the derivative of the
  /// range, or its change over the cell where its excess is known, passes through the same filter as the range itself.
  func information(at i: Int, _ ranges: [BiasFilter.Step]) -> Vector3 {
    let position = position(i)
    let edges = Self.edges(at: position, from: anchor, size: size)
    var (constant, coloured) = (Vector3.zero, Vector3.zero)
    var normals = [Vector3](repeating: .zero, count: ranges.last?.features.count ?? 0)
    let prior = size.y / elevationPrior
    var information = Vector3(0, prior * prior, 0)
    for range in ranges {
      let line = (position - range.antenna).normalized
      coloured *= range.decay
      var change = Vector3(line.dot(edges.c0), line.dot(edges.c1), line.dot(edges.c2))
      if let excess = range.excess {
        let toPeer = position - range.antenna
        func changed(along edge: Vector3) -> Double { excess(toPeer + 0.5 * edge) - excess(toPeer - 0.5 * edge) }
        change += Vector3(changed(along: edges.c0), changed(along: edges.c1), changed(along: edges.c2))
      }
      var innovation = change - constant - coloured
      for (j, feature) in range.features.enumerated() { innovation -= feature * normals[j] }
      information += range.information * innovation * innovation
      constant += range.constantGain * innovation
      coloured += range.colouredGain * innovation
      for (j, gain) in range.featureGains.enumerated() { normals[j] += gain * innovation }
    }
    return information
  }
}
