import Foundation
import Geometry
import SensorData

/// Tests a radio link against the device's trajectory: unit, bias, clock and scale.
///
/// Ranges `z_i = s |x - p(t_i - tau)| + b + e_i` of a stationary peer x, along the trajectory p. The null hypothesis has s = 1, tau = 0 and
/// a bias within what radios have (0.15 m, 1-sigma); each alternative frees one of them. A moving peer, at constant velocity, is a
/// competitor: an alternative must beat it as well. Errors that last are allowed for: samples are half a second apart, of 0.15 m each beside the
/// radio's own scatter. All are fitted by Levenberg-Marquardt from a lattice of directions.
package struct RangeConsistency {
  /// What may be wrong with a link.
  package enum Cause: Equatable {
    /// Ranges are in a unit so many times a metre.
    case unit(Double)
    /// Every range is longer by so many metres.
    case bias(Double)
    /// Ranges are stamped late by so many seconds.
    case clock(late: Double)
  }

  package struct Outcome {
    package var cause: Cause
    package var ratio: Double
    /// Root mean square residual of the null hypothesis and of the alternative, metres.
    var null: Double
    var alternative: Double
  }

  package init() {}

  private struct Sample {
    var time: Timestamp
    var range: Double
  }

  /// Samples this far apart, seconds; kept so long.
  private static let spacing = 0.25, span = 30.0
  /// 1-sigma of the bias of a link, stated and freed, metres.
  private static let biasSigma = 0.15, freeBiasSigma = 1.0
  /// What lasts of a radio's errors, 1-sigma, metres.
  private static let lasting = 0.15
  /// Beyond this no radio of this kind ranges, metres.
  static let farthest = 1000.0
  private static let cap = 16.0

  private var samples: [Sample] = []
  private var positions: [(time: Timestamp, position: Vector3)] = []
  private var last: Timestamp?
  private var scatter: [Double] = []
  private var newest: [Double] = []

  /// Takes the trajectory in: the antenna's (or the device's) position in the world.
  package mutating func append(position: Vector3, at time: Timestamp) {
    if let last = positions.last, time <= last.time { return }
    if let last = positions.last, time.seconds(since: last.time) < 0.045 { return }
    positions.append((time, position))
    if let first = positions.first, time.seconds(since: first.time) > Self.span + 3 { positions.removeFirst() }
  }

  /// The trajectory begins anew: nothing before counts.
  private(set) var level = 0.0

  mutating func restart() {
    positions.removeAll()
    samples.removeAll()
  }

  /// Takes a range in, metres.
  package mutating func append(range: Double, at time: Timestamp) {
    // A radio that repeats its last range adds no information.
    guard range != newest.last else { return }
    newest.append(range)
    if newest.count > 3 { newest.removeFirst() }
    if newest.count == 3 {
      scatter.append(abs(newest[0] - 2 * newest[1] + newest[2]) / (0.6745 * 6.0.squareRoot()))
      if scatter.count > 60 { scatter.removeFirst() }
    }
    if let last, time.seconds(since: last) < Self.spacing - 1e-6 { return }
    last = time
    samples.append(Sample(time: time, range: range))
    samples.removeAll { time.seconds(since: $0.time) > Self.span }
  }

  /// Ranges that no radio measures, median of the newest, metres; nil where they are possible.
  package var impossible: Double? {
    guard samples.count >= 3 else { return nil }
    let sorted = samples.suffix(9).map(\.range).sorted()
    let median = sorted[sorted.count / 2]
    return median > Self.farthest ? median : nil
  }

  private func position(at time: Timestamp) -> Vector3? {
    guard let first = positions.first, let last = positions.last, time >= first.time, time <= last.time else { return nil }
    var (low, high) = (0, positions.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle].time < time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return positions[0].position }
    let (a, b) = (positions[low - 1], positions[low])
    let gap = b.time.seconds(since: a.time)
    guard gap < 1 else { return nil }
    return a.position + (b.position - a.position) * (time.seconds(since: a.time) / gap)
  }

  /// One range with the place where it was taken.
  private struct Row {
    var seconds: Double
    var range: Double
    var place: Vector3
  }

  private func rows(late: Double) -> [Row] {
    guard let first = samples.first else { return [] }
    return samples.compactMap { s in
      position(at: s.time.advanced(bySeconds: -late)).map {
        Row(seconds: s.time.seconds(since: first.time), range: s.range, place: $0)
      }
    }
  }

  /// Which parameters a fit has.
  private struct Model {
    var biasSigma = RangeConsistency.biasSigma
    var scale = 1.0
    /// Times at which a moving peer may change its velocity, seconds; empty: it is stationary.
    var knots: [Double] = []
  }

  /// Tests the link; nil while the null hypothesis explains the ranges, or too little moved.
  package mutating func test() -> Outcome? {
    let rows = rows(late: 0)
    guard rows.count >= 16 else { return nil }
    let centre = rows.reduce(Vector3.zero) { $0 + $1.place } / Double(rows.count)
    let reach = rows.map { ($0.place - centre).norm }.max() ?? 0
    guard reach > 0.4 else { return nil }
    var magnitudes = scatter.sorted()
    let white = magnitudes.isEmpty ? 0.1 : magnitudes.remove(at: magnitudes.count / 2)
    let sigma = (Self.lasting * Self.lasting + white * white).squareRoot()
    let null = fit(rows, Model(), sigma)
    let n = Double(rows.count)
    let free = fit(rows, Model(biasSigma: Self.freeBiasSigma), sigma)
    level = null.squares / n
    if let beyond = free.biasBeyondPrior, beyond > 0, free.squares < 1.3 * n {
      return Outcome(
        cause: .bias(free.bias), ratio: 0.5 * beyond * beyond, null: (null.squares / n).squareRoot() * sigma,
        alternative: (free.squares / n).squareRoot() * sigma)
    }
    guard null.squares > 1.5 * n else { return nil }
    var explanations: [LikelihoodTest.Explanation<Cause>] = []
    explanations.append(.init(kind: .bias(free.bias), squares: free.squares, parameters: 1))
    for unit in [1000, 100, 39.3701, 3.28084, 1 / 3.28084, 0.01, 0.001] {
      var model = Model()
      model.scale = unit
      explanations.append(.init(kind: .unit(unit), squares: fit(rows, model, sigma).squares, parameters: 1))
    }
    for step in -7...7 where step != 0 {
      let late = 0.25 * Double(step)
      let shifted = self.rows(late: late)
      guard shifted.count >= rows.count * 4 / 5 else { continue }
      let squares = fit(shifted, Model(), sigma).squares * n / Double(shifted.count)
      explanations.append(.init(kind: .clock(late: late), squares: squares, parameters: 1))
    }
    let test = LikelihoodTest(count: rows.count)
    guard let best = test.best(null: null.squares, explanations) else { return nil }
    let competitor = [4.0, 10.0].map { interval in
      let knots = Self.knots(rows, every: interval)
      let moving = fit(rows, Model(knots: knots), sigma)
      return test.ratio(null: null.squares, alternative: moving.squares, parameters: 3 * knots.count, alternatives: 1)
    }.max() ?? 0
    // At the ends of the grid the minimum lies outside: no clock.
    if case .clock(let late) = best.kind, abs(late) > 1.6 { return nil }
    return Outcome(
      cause: best.kind, ratio: min(best.ratio, best.ratio - competitor), null: (null.squares / n).squareRoot() * sigma,
      alternative: (best.squares / n).squareRoot() * sigma)
  }

  private struct Fit {
    var squares = Double.infinity
    var bias = 0.0
    /// 1-sigma of the bias, metres.
    var sigma = Double.infinity

    /// By how many sigmas the bias exceeds three times what radios have; nil where it does not.
    var biasBeyondPrior: Double? {
      let beyond = abs(bias) - 3 * RangeConsistency.biasSigma
      return beyond > 0 && sigma.isFinite ? beyond / sigma : nil
    }
  }

  /// The best fit over starts in all directions; squares include the priors' and are capped one by one.
  private func fit(_ rows: [Row], _ model: Model, _ sigma: Double) -> Fit {
    var best = Fit()
    let first = rows[rows.count / 2]
    for direction in Self.starts {
      let distance = max(first.range / model.scale, 0.1)
      let fit = descend(rows, model, sigma, from: first.place + direction * distance)
      if fit.squares < best.squares { best = fit }
    }
    return best
  }

  private static let starts: [Vector3] = {
    var found: [Vector3] = []
    for k in 0..<10 {
      let azimuth = 2 * Double.pi * Double(k) / 10
      found.append(Vector3(cos(azimuth), sin(azimuth), k % 2 == 0 ? 0.2 : -0.2).normalized)
    }
    return found + [Vector3(0, 0, 1), Vector3(0, 0, -1)]
  }()

  private static func knots(_ rows: [Row], every interval: Double) -> [Double] {
    guard let first = rows.first, let last = rows.last else { return [] }
    return Array(stride(from: first.seconds, to: last.seconds - 0.5 * interval, by: interval))
  }

  private func descend(_ rows: [Row], _ model: Model, _ sigma: Double, from start: Vector3) -> Fit {
    // Position, bias, and a velocity from each knot on.
    let n = 4 + 3 * model.knots.count
    var x = [start.x, start.y, start.z, 0.0] + [Double](repeating: 0, count: n - 4)
    var priors = [0, 0, 0, 1 / (model.biasSigma * model.biasSigma)]
    for _ in model.knots { priors += [1 / 0.64, 1 / 0.64, 1 / 0.04] }
    /// Seconds spent in each knot's interval by a time.
    func spent(_ seconds: Double) -> [Double] {
      model.knots.indices.map { k in
        let end = k + 1 < model.knots.count ? model.knots[k + 1] : .infinity
        return max(min(seconds, end) - model.knots[k], 0)
      }
    }
    let times = rows.map { spent($0.seconds) }
    func residual(_ x: [Double], _ i: Int) -> (value: Double, direction: Vector3) {
      var peer = Vector3(x[0], x[1], x[2])
      for (k, t) in times[i].enumerated() where t > 0 { peer += Vector3(x[4 + 3 * k], x[5 + 3 * k], x[6 + 3 * k]) * t }
      let d = peer - rows[i].place
      let distance = max(d.norm, 1e-6)
      return (rows[i].range - model.scale * distance - x[3], d * (model.scale / distance))
    }
    func squares(_ x: [Double]) -> Double {
      var sum = rows.indices.reduce(0.0) { $0 + min(pow(residual(x, $1).value / sigma, 2), Self.cap) }
      for k in 0..<n { sum += priors[k] * x[k] * x[k] }
      return sum
    }
    var cost = squares(x), damping = 1e-2
    var information = [Double](repeating: 0, count: n * n)
    for _ in 0..<12 {
      var normal = [Double](repeating: 0, count: n * n), right = [Double](repeating: 0, count: n)
      for i in rows.indices {
        let (r, u) = residual(x, i)
        let weight = 1 / (sigma * sigma * max(1, abs(r) / (3 * sigma)))
        var h = [u.x, u.y, u.z, 1]
        for t in times[i] { h += [u.x * t, u.y * t, u.z * t] }
        for a in 0..<n {
          right[a] += weight * h[a] * r
          for b in 0...a { normal[n * a + b] += weight * h[a] * h[b] }
        }
      }
      information = normal
      for k in 0..<n { information[(n + 1) * k] += priors[k] + 1e-6 }
      for k in 0..<n {
        normal[(n + 1) * k] += priors[k] + damping * (normal[(n + 1) * k] + 1e-3)
        right[k] -= priors[k] * x[k]
      }
      guard let step = SmallCholesky.solve(normal, right, size: n) else { break }
      let next = zip(x, step).map { $0 + $1 }
      let value = squares(next)
      if value < cost {
        let gain = cost - value
        (x, cost, damping) = (next, value, damping * 0.3)
        if gain < 1e-3 { break }
      } else {
        damping *= 8
        if damping > 1e6 { break }
      }
    }
    var unit = [Double](repeating: 0, count: n)
    unit[3] = 1
    let variance = SmallCholesky.solve(information, unit, size: n)?[3]
    return Fit(squares: cost, bias: x[3], sigma: variance.map { max($0, 0).squareRoot() } ?? .infinity)
  }
}
