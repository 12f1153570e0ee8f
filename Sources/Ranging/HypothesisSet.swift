import Foundation
import Geometry

/// Storage and arithmetic of the hypotheses of one link: Gaussians in anchored spherical coordinates.
///
/// A hypothesis says "the peer lies in direction u, at distance rho from the anchor `c` where the first range was taken,
/// under this noise". Its state is two tangent angles at u, the distance rho, and the biases of `LinkLayout`. In these
/// coordinates the first range is linear, and the curvature of later ones grows with the displacement from the anchor
/// only, not with the distance.
///
/// Hypotheses come in pairs: an even one with a free sight, and behind it the same with a blocked one, whose ranges have an
/// excess. So every direction can explain a spell of long ranges as a blocked sight at the price of its beginning, and
/// none can explain a contradiction away for free.
///
/// Everything lies in flat arrays: a range touches every hypothesis once, in order, without allocating.
package struct HypothesisSet {
  /// Which of the state's entries are which.
  package let layout: LinkLayout
  /// Size of one hypothesis' state.
  package var dimension: Int { layout.dimension }
  /// Where the first range was taken, in the estimate's world, metres.
  package let anchor: Vector3
  /// Candidates for the noise; a hypothesis names one by its index.
  package let noises: [RangeNoise]

  package private(set) var count = 0
  package var logWeight: [Double] = []
  package var direction: [Vector3] = []
  package var tangent: [Vector3] = []
  package var noise: [Int32] = []
  /// The direction of the lattice that a hypothesis comes from: neighbours that are told as one where there are many.
  package var node: [Int32] = []
  /// `dimension - 2` numbers each: rho, b, Gauss-Markov biases, antenna biases.
  package var scalars: [Double] = []
  /// `dimension^2` numbers each, row-major, symmetric.
  package var covariance: [Double] = []

  package init(anchor: Vector3, layout: LinkLayout, noises: [RangeNoise]) {
    self.anchor = anchor
    self.noises = noises
    self.layout = layout
  }

  /// Adds a hypothesis.
  package mutating func append(
    logWeight w: Double, direction u: Vector3, tangent e1: Vector3, noise n: Int, node: Int = 0, scalars s: [Double],
    covariance p: [Double]
  ) {
    precondition(s.count == dimension - 2 && p.count == dimension * dimension, "sizes of a hypothesis")
    logWeight.append(w)
    direction.append(u)
    tangent.append(e1)
    noise.append(Int32(n))
    self.node.append(Int32(node))
    scalars.append(contentsOf: s)
    covariance.append(contentsOf: p)
    count += 1
  }

  /// Where hypothesis `i` puts the peer, world, metres.
  package func position(_ i: Int) -> Vector3 { anchor + scalars[i * (dimension - 2)] * direction[i] }

  /// Columns of d(position)/d(alpha_1, alpha_2, rho), metres per radian and 1: orthogonal.
  package func positionJacobian(_ i: Int) -> Matrix3 {
    let rho = scalars[i * (dimension - 2)]
    let (u, e1) = (direction[i], tangent[i])
    return Matrix3(columns: rho * e1, rho * u.cross(e1), u)
  }

  /// Covariance of the peer's position under hypothesis `i`, world, m^2.
  package func positionCovariance(_ i: Int) -> Matrix3 { gaussian(i, weight: 1).covariance }

  /// Hypothesis `i` as a Gaussian over the peer's position and the link's scale.
  ///
  /// - Parameter step: what has passed since, for a peer that walks.
  package func gaussian(_ i: Int, weight: Double, after step: WalkModel.Step? = nil) -> TargetGaussian {
    let (n, s, v) = (dimension, layout.scale, layout.velocity.lowerBound)
    let j = positionJacobian(i)
    let reach = layout.walks ? step?.reach ?? 0 : 0
    var result = TargetGaussian(weight: weight, position: position(i), covariance: .zero)
    result.scale = scalars[i * (n - 2) + s - 2]
    covariance.withUnsafeBufferPointer { all in
      let p = all.baseAddress! + i * n * n
      func column(_ c: Int) -> Vector3 {
        let place = j * Vector3(p[c], p[n + c], p[2 * n + c])
        return reach == 0 ? place : place + reach * Vector3(p[v * n + c], p[(v + 1) * n + c], p[(v + 2) * n + c])
      }
      // E P E^T = sum of (E P)_c E_c^T with E = (J, reach).
      result.covariance =
        Matrix3(outer: column(0), j.c0) + Matrix3(outer: column(1), j.c1) + Matrix3(outer: column(2), j.c2)
      if reach != 0 { result.covariance += reach * Matrix3(columns: column(v), column(v + 1), column(v + 2)) }
      result.scaleCovariance = column(s)
      result.scaleVariance = p[s * n + s]
    }
    if let step, reach != 0 {
      let x = i * (n - 2) + v - 2
      result.position += reach * Vector3(scalars[x], scalars[x + 1], scalars[x + 2])
      result.covariance += Matrix3(diagonal: step.place)
    }
    return result
  }

  /// Covariance of hypothesis `i` over (t, b, biases as in `layout`), row-major, `dimension` squared.
  package func cartesianCovariance(_ i: Int) -> [Double] {
    let n = dimension
    return Self.carried(Array(covariance[(i * n * n)..<((i + 1) * n * n)]), by: positionJacobian(i), size: n)
  }

  /// `J P J^T` of a covariance P, `size` squared, row-major, where J changes the first three numbers by `jacobian` and leaves the others.
  static func carried(_ covariance: [Double], by jacobian: Matrix3, size n: Int) -> [Double] {
    var p = covariance
    for c in 0..<n {
      let v = jacobian * Vector3(p[c], p[n + c], p[2 * n + c])
      for r in 0..<3 { p[r * n + c] = v[r] }
    }
    for r in 0..<n {
      let v = jacobian * Vector3(p[r * n], p[r * n + 1], p[r * n + 2])
      for c in 0..<3 { p[r * n + c] = v[c] }
    }
    return p
  }

  /// Every pair once for each direction, with a logarithm of a prior for it; nothing but the distance may be known of the pairs.
  package func unfolded(over directions: [Vector3], logPrior: (Vector3) -> Double) -> HypothesisSet {
    var result = HypothesisSet(anchor: anchor, layout: layout, noises: noises)
    let (n, m) = (dimension, dimension - 2)
    for (index, u) in directions.enumerated() {
      let (prior, tangent) = (logPrior(u), u.tangentBasis.0)
      for i in 0..<count {
        result.append(
          logWeight: logWeight[i] + prior, direction: u, tangent: tangent, noise: Int(noise[i]), node: index,
          scalars: Array(scalars[(i * m)..<((i + 1) * m)]),
          covariance: Array(covariance[(i * n * n)..<((i + 1) * n * n)]))
      }
    }
    return result
  }

  /// Keeps the hypotheses for which `keep` is true, in order; it must keep or drop both of a pair.
  package mutating func filter(_ keep: (Int) -> Bool) {
    let (n, m) = (dimension, dimension - 2)
    var to = 0
    for i in 0..<count where keep(i) {
      if to != i {
        logWeight[to] = logWeight[i]
        direction[to] = direction[i]
        tangent[to] = tangent[i]
        noise[to] = noise[i]
        node[to] = node[i]
        for k in 0..<m { scalars[to * m + k] = scalars[i * m + k] }
        for k in 0..<(n * n) { covariance[to * n * n + k] = covariance[i * n * n + k] }
      }
      to += 1
    }
    count = to
    logWeight.removeLast(logWeight.count - to)
    direction.removeLast(direction.count - to)
    tangent.removeLast(tangent.count - to)
    noise.removeLast(noise.count - to)
    node.removeLast(node.count - to)
    scalars.removeLast(scalars.count - to * m)
    covariance.removeLast(covariance.count - to * n * n)
  }

  /// Lets `seconds` pass in which the device moved `metres`: the Gauss-Markov biases forget.
  ///
  /// - Parameter antennaCorrelation: of the coloured errors of two antennas, 0...1.
  package mutating func predict(seconds: Double, metres: Double, antennaCorrelation: Double = 0) {
    let (n, m) = (dimension, dimension - 2)
    let memory = noises.map { $0.memory(after: seconds, metres: metres) }
    let coloured = layout.coloured
    for i in 0..<count {
      let model = Int(noise[i])
      let phi = memory[model]
      let fresh = noises[model].coloured * noises[model].coloured * (1 - phi * phi)
      let base = i * n * n
      for a in coloured {
        scalars[i * m + a - 2] *= phi
        for k in 0..<n {
          covariance[base + a * n + k] *= phi
          covariance[base + k * n + a] *= phi
        }
      }
      for a in coloured {
        for b in coloured { covariance[base + a * n + b] += a == b ? fresh : antennaCorrelation * fresh }
      }
    }
  }

  /// Lets the peer drift relative to the device by what the trajectory lost.
  ///
  /// - Parameters:
  ///   - positionVariance: growth of the relative position variance per axis, m^2.
  ///   - yawVariance: growth of the heading variance, rad^2: turns the peer about the device at `device`.
  package mutating func drift(positionVariance: Double, yawVariance: Double, device: Vector3) {
    guard positionVariance > 0 || yawVariance > 0 else { return }
    let (n, m) = (dimension, dimension - 2)
    for i in 0..<count {
      let base = i * n * n
      let rho = max(scalars[i * m], 0.1)
      let (u, e1) = (direction[i], tangent[i])
      let e2 = u.cross(e1)
      // The Jacobian's columns are orthogonal, so its inverse only scales.
      let turn = Vector3(0, 0, 1).cross(position(i) - device)
      let g = Vector3(turn.dot(e1) / rho, turn.dot(e2) / rho, turn.dot(u))
      let isotropic = Vector3(1 / (rho * rho), 1 / (rho * rho), 1) * positionVariance
      for r in 0..<3 {
        for c in 0..<3 { covariance[base + r * n + c] += yawVariance * g[r] * g[c] }
        covariance[base + r * n + r] += isotropic[r]
      }
    }
  }
}
