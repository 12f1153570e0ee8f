import Foundation
import Geometry

/// One range, as the hypotheses see it.
package struct RangeEvidence {
  /// Measured distance, metres.
  package var range: Double
  /// Where the antenna was, world, metres.
  package var antenna: Vector3
  /// Where that antenna's biases stand in the state.
  package var columns: BiasColumns
  /// Prior probability that the sight is free.
  package var free: Double
  /// Variance beyond the link's noise, m^2.
  package var extraVariance: Double
  /// How blocked ranges err.
  package var configuration: RangingConfiguration

  package init(
    range: Double, antenna: Vector3, columns: BiasColumns, free: Double, extraVariance: Double,
    configuration: RangingConfiguration
  ) {
    self.range = range
    self.antenna = antenna
    self.columns = columns
    self.free = free
    self.extraVariance = extraVariance
    self.configuration = configuration
  }
}

/// What a range said about the link as a whole.
package struct RangeVerdict {
  /// Likelihood of the range if the sight was free, and if not, over the whole posterior.
  package var likelihoodFree = 0.0
  package var likelihoodBlocked = 0.0
  /// Mean innovation over the posterior, metres, and its variance, m^2.
  package var innovation = 0.0
  package var variance = 0.0
}

extension HypothesisSet {
  /// Bayes' rule for one range: every hypothesis is weighted by how well it foretold it, and moved by an iterated
  /// Kalman update whose noise grows as the range looks blocked (`R / p(free)`).
  ///
  /// Cost: O(count * dimension^2). Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993,
  /// doi:10.1109/9.250476; of the probability-weighted gain: Bar-Shalom's PDA.
  package mutating func update(_ evidence: RangeEvidence) -> RangeVerdict {
    let n = dimension
    let m = n - 2
    let best = logWeight.max() ?? 0
    var verdict = RangeVerdict()
    var total = 0.0
    var h = [Double](repeating: 0, count: n)
    var ph = [Double](repeating: 0, count: n)
    let columns = evidence.columns
    let white = noises.map { $0.white * $0.white + evidence.extraVariance }

    covariance.withUnsafeMutableBufferPointer { covariance in
      scalars.withUnsafeMutableBufferPointer { scalars in
        h.withUnsafeMutableBufferPointer { h in
          ph.withUnsafeMutableBufferPointer { ph in
            for i in 0..<count {
              let p = UnsafeMutableBufferPointer(rebasing: covariance[(i * n * n)..<((i + 1) * n * n)])
              let x = UnsafeMutableBufferPointer(rebasing: scalars[(i * m)..<((i + 1) * m)])
              let r = white[Int(noise[i])]

              var s = Self.linearise(
                direction[i], tangent[i], x, p, anchor, evidence.antenna, columns, h, ph)
              let biases = x[1] + x[columns.coloured - 2] + (columns.constant.map { x[$0 - 2] } ?? 0)
              let predicted = s.distance * (1 + x[2]) + biases
              var innovation = evidence.range - predicted
              let variance = s.variance + r
              let likelihood = RangeLikelihood(
                innovation: innovation, variance: variance, configuration: evidence.configuration)
              let a = evidence.free * likelihood.free
              let b = (1 - evidence.free) * likelihood.blocked
              let w = exp(logWeight[i] - best)
              verdict.likelihoodFree += w * likelihood.free
              verdict.likelihoodBlocked += w * likelihood.blocked
              verdict.innovation += w * innovation
              verdict.variance += w * variance
              total += w
              logWeight[i] += log(max(a + b, 1e-300))

              let responsibility = a / max(a + b, 1e-300)
              guard responsibility > 0.02 else { continue }
              let noiseVariance = r / responsibility

              // A second pass at the updated point where the range is curved over this hypothesis' width.
              let gain = 1 / (s.variance + noiseVariance)
              if s.curvature > 0.1 * variance.squareRoot() {
                let d0 = ph[0] * gain * innovation
                let d1 = ph[1] * gain * innovation
                let d2 = ph[2] * gain * innovation
                var moved = direction[i]
                var basis = tangent[i]
                Self.move(&moved, &basis, d0, d1)
                let rho = x[0]
                x[0] = rho + d2
                s = Self.linearise(moved, basis, x, p, anchor, evidence.antenna, columns, h, ph)
                x[0] = rho
                // z - h(x1) - H (x0 - x1), the biases being linear.
                innovation = evidence.range - s.distance * (1 + x[2]) - biases + h[0] * d0 + h[1] * d1 + h[2] * d2
              }

              let k = 1 / (s.variance + noiseVariance)
              Self.move(&direction[i], &tangent[i], ph[0] * k * innovation, ph[1] * k * innovation)
              for c in 2..<n { x[c - 2] += ph[c] * k * innovation }
              if x[0] < 0.05 { x[0] = 0.05 }
              for row in 0..<n {
                let scale = ph[row] * k
                for column in 0..<n { p[row * n + column] -= scale * ph[column] }
              }
            }
          }
        }
      }
    }
    if total > 0 {
      verdict.likelihoodFree /= total
      verdict.likelihoodBlocked /= total
      verdict.innovation /= total
      verdict.variance /= total
    }
    return verdict
  }

  /// Predicted distance, its variance `H P H^T`, and how far the range bends over the hypothesis' width (metres).
  struct Linearisation {
    var distance: Double
    var variance: Double
    var curvature: Double
  }

  /// Fills `h` (the row H) and `ph` (`P H^T`) at a hypothesis.
  @inline(__always)
  private static func linearise(
    _ u: Vector3, _ e1: Vector3, _ x: UnsafeMutableBufferPointer<Double>, _ p: UnsafeMutableBufferPointer<Double>,
    _ anchor: Vector3, _ antenna: Vector3, _ columns: BiasColumns, _ h: UnsafeMutableBufferPointer<Double>,
    _ ph: UnsafeMutableBufferPointer<Double>
  ) -> Linearisation {
    let n = h.count
    let rho = x[0]
    let d = anchor + rho * u - antenna
    let distance = max(d.norm, 1e-6)
    let q = d / distance
    let e2 = u.cross(e1)
    let (along, across1, across2) = (q.dot(u), q.dot(e1), q.dot(e2))
    let scale = 1 + x[2]
    h[0] = scale * rho * across1
    h[1] = scale * rho * across2
    h[2] = scale * along
    h[4] = distance
    var variance = 0.0
    for row in 0..<n {
      let base = row * n
      var sum = p[base] * h[0] + p[base + 1] * h[1] + p[base + 2] * h[2] + p[base + 3]
      sum += p[base + 4] * distance + p[base + columns.coloured]
      if let constant = columns.constant { sum += p[base + constant] }
      ph[row] = sum
    }
    variance = h[0] * ph[0] + h[1] * ph[1] + h[2] * ph[2] + ph[3] + h[4] * ph[4] + ph[columns.coloured]
    if let constant = columns.constant { variance += ph[constant] }
    // Second derivative along a tangent: rho^2 (1 - (q.e)^2)/r - rho q.u; half of it times the angular variance is the bend.
    let bend1 = rho * rho * (1 - across1 * across1) / distance - rho * along
    let bend2 = rho * rho * (1 - across2 * across2) / distance - rho * along
    let curvature = 0.5 * max(abs(bend1) * p[0], abs(bend2) * p[n + 1])
    return Linearisation(distance: distance, variance: max(variance, 0), curvature: curvature)
  }

  /// What hypothesis `i` foretells of a range: the row H over its state, and the variance `H P H^T`, m^2.
  package func foretold(_ i: Int, antenna: Vector3, columns: BiasColumns) -> (row: [Double], variance: Double) {
    let n = dimension
    var h = [Double](repeating: 0, count: n)
    var ph = [Double](repeating: 0, count: n)
    var x = Array(scalars[(i * (n - 2))..<((i + 1) * (n - 2))])
    var p = Array(covariance[(i * n * n)..<((i + 1) * n * n)])
    let found = x.withUnsafeMutableBufferPointer { x in
      p.withUnsafeMutableBufferPointer { p in
        h.withUnsafeMutableBufferPointer { h in
          ph.withUnsafeMutableBufferPointer { ph in
            Self.linearise(direction[i], tangent[i], x, p, anchor, antenna, columns, h, ph)
          }
        }
      }
    }
    for k in [3, columns.coloured] + (columns.constant.map { [$0] } ?? []) { h[k] = 1 }
    return (h, found.variance)
  }

  /// Moves a direction by two tangent angles and carries its basis along.
  @inline(__always)
  package static func move(_ u: inout Vector3, _ e1: inout Vector3, _ alpha1: Double, _ alpha2: Double) {
    let moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized
    e1 = (e1 - e1.dot(moved) * moved).normalized
    u = moved
  }

  /// Largest bend of the range over hypothesis `i` seen from `antenna`, with the tangent axis it bends along (0 or 1), metres.
  package func bend(_ i: Int, antenna: Vector3) -> (metres: Double, axis: Int) {
    let n = dimension
    let rho = scalars[i * (n - 2)]
    let u = direction[i]
    let d = anchor + rho * u - antenna
    let distance = max(d.norm, 1e-6)
    let q = d / distance
    let along = rho * q.dot(u)
    func bend(_ e: Vector3, _ variance: Double) -> Double {
      let c = q.dot(e)
      return 0.5 * abs(rho * rho * (1 - c * c) / distance - along) * variance
    }
    let b1 = bend(tangent[i], covariance[i * n * n])
    let b2 = bend(u.cross(tangent[i]), covariance[i * n * n + n + 1])
    return b1 >= b2 ? (b1, 0) : (b2, 1)
  }
}
