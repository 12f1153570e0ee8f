import Geometry

/// Two ways that end alike.
extension FourWays {
  /// Makes the ways that end alike one Gaussian each, with the mean and covariance of both, in the tangent plane of the heavier.
  @inline(__always)
  func merge(_ free: UnsafeMutablePointer<Lanes>, _ blocked: UnsafeMutablePointer<Lanes>) {
    let (d, f) = (offsets, offsets + n)
    let (a, b) = (stays, clears)
    let (g, h) = (lasts, begins)
    let v = meet(a, b, free, d)
    let w = meet(g, h, blocked, f)
    let start = HypothesisSet.scalarsOffset + n - 2
    let (p, q) = (free + start, blocked + start)
    var at = 0
    for r in 0..<(n - 1) {
      let (ar, br, dr) = ((1 - v) * a.k * a.ph[r], v * b.k * b.ph[r], v * (1 - v) * d[r])
      let (gr, hr, fr) = ((1 - w) * g.k * g.ph[r], w * h.k * h.ph[r], w * (1 - w) * f[r])
      for c in 0...r {
        let (x, y) = (p[at], q[at])
        p[at] = (1 - v) * x + v * y - ar * a.ph[c] - br * b.ph[c] + dr * d[c]
        q[at] = (1 - w) * y + w * x - gr * g.ph[c] - hr * h.ph[c] + fr * f[c]
        at += 1
      }
    }
    // The excess: kept by the sight that was blocked, new and apart from everything else for the other.
    let r = n - 1
    let (gr, hr, fr) = ((1 - w) * g.k * g.ph[r], w * h.k * h.ph[r], w * (1 - w) * f[r])
    for c in 0...r { q[at + c] = (1 - w) * q[at + c] - gr * g.ph[c] - hr * h.ph[c] + fr * f[c] }
    q[at + r] += w * h.fresh
  }

  /// Mean of two ways into a cell, the difference of their states into `offset`; returns the share of the second.
  @inline(__always)
  private func meet(
    _ a: SightWay, _ b: SightWay, _ cell: UnsafeMutablePointer<Lanes>, _ offset: UnsafeMutablePointer<Lanes>
  ) -> Lanes {
    let swapped = b.share .> a.share
    let (heavy, light) = (
      a.share.replacing(with: b.share, where: swapped), b.share.replacing(with: a.share, where: swapped)
    )
    var w = light / (heavy + light).atLeast(1e-300)
    w.replace(with: 0, where: w .<= 1e-9)
    var u = a.direction.replacing(with: b.direction, where: swapped)
    var e1 = a.tangent.replacing(with: b.tangent, where: swapped)
    let other = b.direction.replacing(with: a.direction, where: swapped)
    offset[0] = e1.dot(other)
    offset[1] = u.cross(e1).dot(other)
    for k in 2..<n {
      let (x, y) = (a.scalars[k - 2], b.scalars[k - 2])
      let difference = (y - x).replacing(with: x - y, where: swapped)
      offset[k] = difference
      cell[HypothesisSet.scalarsOffset + k - 2] = x.replacing(with: y, where: swapped) + w * difference
    }
    HypothesisSet.move(&u, &e1, w * offset[0], w * offset[1])
    u.store(cell)
    e1.store(cell + HypothesisSet.tangentOffset)
    return w.replacing(with: 1 - w, where: swapped)
  }
}
