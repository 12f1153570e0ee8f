import Geometry

/// Two ways that end alike.
extension HypothesisScratch {
  /// Makes slot `a` one Gaussian with the mean and covariance of both, in the tangent plane of the heavier; `b` is spent.
  func merge(_ a: Int, _ b: Int) {
    let sum = share[a] + share[b]
    guard share[b] > 1e-9 * sum else {
      share[a] = sum
      return
    }
    if share[b] > share[a] { swap(a, b) }
    let w = share[b] / max(sum, 1e-300)
    share[a] = sum
    guard w > 1e-9 else { return }
    let m = n - 2
    let offset = numbers(h)
    offset[0] = tangent[a].dot(direction[b])
    offset[1] = direction[a].cross(tangent[a]).dot(direction[b])
    for k in 0..<m { offset[k + 2] = scalars[b * m + k] - scalars[a * m + k] }
    HypothesisSet.move(&direction[a], &tangent[a], w * offset[0], w * offset[1])
    for k in 0..<m { scalars[a * m + k] += w * offset[k + 2] }
    for r in 0..<n {
      let (pa, pb, scale) = (row(a, r), row(b, r), w * (1 - w) * offset[r])
      for c in 0..<width { pa[c] = (1 - w) * pa[c] + w * pb[c] + scale * h[c] }
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    func exchange<T>(_ p: UnsafeMutablePointer<T>, _ i: Int, _ j: Int, _ count: Int) {
      for k in 0..<count { (p[i + k], p[j + k]) = (p[j + k], p[i + k]) }
    }
    exchange(share, a, b, 1)
    exchange(direction, a, b, 1)
    exchange(tangent, a, b, 1)
    exchange(scalars, a * (n - 2), b * (n - 2), n - 2)
    exchange(covariance, a * n * width, b * n * width, n * width)
  }
}
