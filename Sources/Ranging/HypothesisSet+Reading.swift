import Geometry

/// What hypotheses say, one by one.
extension HypothesisSet {
  /// Unit vector from the anchor to where hypothesis `i` puts the peer.
  package func direction(_ i: Int) -> Vector3 { withNumbers(of: i) { Vector3($0[0], $0[4], $0[8]) } }

  /// The first of the two tangents at it, a unit vector; the second is the direction's cross product with it.
  package func tangent(_ i: Int) -> Vector3 {
    withNumbers(of: i) { p in
      let at = 4 * Self.tangentOffset
      return Vector3(p[at], p[at + 4], p[at + 8])
    }
  }

  /// `dimension - 2` numbers: rho, then the biases as in `layout`.
  package func scalars(_ i: Int) -> [Double] {
    withNumbers(of: i) { p in (0..<(dimension - 2)).map { p[4 * (Self.scalarsOffset + $0)] } }
  }

  /// Row-major, `dimension` squared.
  package func covariance(_ i: Int) -> [Double] {
    let n = dimension
    var result = [Double](repeating: 0, count: n * n)
    withNumbers(of: i) { p in
      for r in 0..<n {
        for c in 0...r {
          let value = p[4 * (covarianceOffset + Self.triangle(r) + c)]
          (result[r * n + c], result[c * n + r]) = (value, value)
        }
      }
    }
    return result
  }

  /// Metres from the anchor.
  func rho(_ i: Int) -> Double { withNumbers(of: i) { $0[4 * Self.scalarsOffset] } }

  /// Where hypothesis `i` puts the peer, world, metres.
  package func position(_ i: Int) -> Vector3 { anchor + rho(i) * direction(i) }

  /// Columns of d(position)/d(alpha_1, alpha_2, rho), metres per radian and 1: orthogonal.
  package func positionJacobian(_ i: Int) -> Matrix3 {
    let (u, e1, rho) = (direction(i), tangent(i), rho(i))
    return Matrix3(columns: rho * e1, rho * u.cross(e1), u)
  }

  /// Hypothesis `i` as a Gaussian over the peer's position and the link's scale.
  ///
  /// - Parameter step: what has passed since, for a peer that walks.
  package func gaussian(_ i: Int, weight: Double, after step: WalkModel.Step? = nil) -> TargetGaussian {
    let (s, v) = (layout.scale, layout.velocity.lowerBound)
    let j = positionJacobian(i)
    let reach = layout.walks ? step?.reach ?? 0 : 0
    var result = TargetGaussian(weight: weight, position: position(i), covariance: .zero)
    withNumbers(of: i) { p in
      func entry(_ r: Int, _ c: Int) -> Double { p[4 * (covarianceOffset + Self.triangle(max(r, c)) + min(r, c))] }
      func column(_ c: Int) -> Vector3 {
        let place = j * Vector3(entry(0, c), entry(1, c), entry(2, c))
        return reach == 0 ? place : place + reach * Vector3(entry(v, c), entry(v + 1, c), entry(v + 2, c))
      }
      // E P E^T = sum of (E P)_c E_c^T with E = (J, reach).
      result.covariance =
        Matrix3(outer: column(0), j.c0) + Matrix3(outer: column(1), j.c1) + Matrix3(outer: column(2), j.c2)
      if reach != 0 { result.covariance += reach * Matrix3(columns: column(v), column(v + 1), column(v + 2)) }
      result.scale = p[4 * (Self.scalarsOffset + s - 2)]
      result.scaleCovariance = column(s)
      result.scaleVariance = entry(s, s)
    }
    if let step, reach != 0 {
      let x = scalars(i)
      result.position += reach * Vector3(x[v - 2], x[v - 1], x[v])
      result.covariance += Matrix3(diagonal: step.place)
    }
    return result
  }
}
