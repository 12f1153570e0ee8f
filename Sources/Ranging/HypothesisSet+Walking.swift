import Foundation
import Geometry

/// Hypotheses of a peer that walks have its velocity in the world as three more numbers of their state.
extension HypothesisSet {
  /// The same hypotheses of a peer that walks from now on: velocities as `model` has them, known by nothing.
  func walking(_ model: WalkModel) -> HypothesisSet {
    with(LinkLayout(antennas: layout, walks: true)) { p, new in
      for (axis, k) in new.velocity.enumerated() { p[k * (new.dimension + 1)] = model.speed[axis] * model.speed[axis] }
    }
  }

  /// The same hypotheses of a peer that stands from now on, where it is.
  func standing() -> HypothesisSet { with(LinkLayout(antennas: layout, walks: false)) { _, _ in } }

  /// The hypotheses with another layout: what both layouts have stays, the rest is zero, then `fill` may set it.
  private func with(_ new: LinkLayout, fill: (inout [Double], LinkLayout) -> Void) -> HypothesisSet {
    var result = HypothesisSet(anchor: anchor, layout: new, noises: noises)
    let (n, m) = (dimension, new.dimension)
    // The velocity stands before the excess, which is last.
    let common = Array(0..<layout.velocity.lowerBound)
    let pairs = zip(common + [layout.excess], common + [new.excess])
    for i in 0..<count {
      var x = [Double](repeating: 0, count: m - 2)
      var p = [Double](repeating: 0, count: m * m)
      for (a, b) in pairs {
        if a >= 2 { x[b - 2] = scalars[i * (n - 2) + a - 2] }
        for (c, d) in pairs { p[b * m + d] = covariance[(i * n + a) * n + c] }
      }
      fill(&p, new)
      result.append(
        logWeight: logWeight[i], direction: direction[i], tangent: tangent[i], noise: Int(noise[i]), node: Int(node[i]),
        scalars: x, covariance: p)
    }
    return result
  }

  /// Lets the peer walk for `seconds`. In the world the step is linear and the covariance is carried exactly; the tangents turn with
  /// the direction.
  package mutating func walk(seconds: Double, _ model: WalkModel) {
    guard seconds > 0 else { return }
    let step = model.step(seconds)
    let (n, m, v) = (dimension, dimension - 2, layout.velocity.lowerBound)
    for i in 0..<count {
      let (base, s) = (i * n * n, i * m)
      let before = positionJacobian(i)
      let way = step.reach * Vector3(scalars[s + v - 2], scalars[s + v - 1], scalars[s + v])
      carry(i, by: way)
      // Place errors are carried in the world: out of the old tangents and into the new ones.
      let (e1, rho) = (tangent[i], scalars[s])
      let inverse = Matrix3(rows: e1 / rho, direction[i].cross(e1) / rho, direction[i])
      let carried = inverse * before
      for k in 0..<3 { scalars[s + v + k - 2] *= step.phi }
      for c in 0..<n {
        let place = Vector3(covariance[base + c], covariance[base + n + c], covariance[base + 2 * n + c])
        let velocity = Vector3(
          covariance[base + v * n + c], covariance[base + (v + 1) * n + c], covariance[base + (v + 2) * n + c])
        let now = carried * place + step.reach * (inverse * velocity)
        for r in 0..<3 {
          covariance[base + r * n + c] = now[r]
          covariance[base + (v + r) * n + c] = step.phi * velocity[r]
        }
      }
      for r in 0..<n {
        let row = base + r * n
        let place = Vector3(covariance[row], covariance[row + 1], covariance[row + 2])
        let velocity = Vector3(covariance[row + v], covariance[row + v + 1], covariance[row + v + 2])
        let now = carried * place + step.reach * (inverse * velocity)
        for c in 0..<3 {
          covariance[row + c] = now[c]
          covariance[row + v + c] = step.phi * velocity[c]
        }
      }
      add(step, i, inverse)
    }
  }

  /// What comes new within a step.
  private mutating func add(_ step: WalkModel.Step, _ i: Int, _ inverse: Matrix3) {
    let (n, v) = (dimension, layout.velocity.lowerBound)
    let base = i * n * n
    for r in 0..<3 {
      for c in 0..<3 {
        var place = 0.0
        for k in 0..<3 { place += inverse[r, k] * step.place[k] * inverse[c, k] }
        covariance[base + r * n + c] += place
        let cross = inverse[r, c] * step.cross[c]
        covariance[base + r * n + v + c] += cross
        covariance[base + (v + c) * n + r] += cross
      }
      covariance[base + (v + r) * (n + 1)] += step.velocity[r]
    }
  }

  /// Moves the place of a hypothesis by `way`, metres in the world.
  private mutating func carry(_ i: Int, by way: Vector3) {
    let s = i * (dimension - 2)
    let (u, e1) = (direction[i], tangent[i])
    let ahead = max(scalars[s] + way.dot(u), 0.05)
    let (a, b) = (way.dot(e1), way.dot(u.cross(e1)))
    Self.move(&direction[i], &tangent[i], a / ahead, b / ahead)
    scalars[s] = (ahead * ahead + a * a + b * b).squareRoot()
  }
}
