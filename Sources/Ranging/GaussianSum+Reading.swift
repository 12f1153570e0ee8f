import Geometry

/// Read access to single components.
extension GaussianSum {
  /// Unit vector from the anchor to the peer in component `i`.
  package func direction(_ i: Int) -> Vector3 { withNumbers(of: i) { Vector3($0[0], $0[4], $0[8]) } }

  /// The first tangent, a unit vector; the second is the direction's cross product with it.
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

  /// The peer's position in component `i`, world, metres.
  package func position(_ i: Int) -> Vector3 { anchor + rho(i) * direction(i) }
}
