import Foundation
import Geometry
import SensorData

/// Tests the accelerometer's axes against the gyroscope's: gravity is constant in axes that the gyroscope holds still.
///
/// The means of pieces of a second, carried into common axes by the gyroscope, `m_k = mean(R f)`, are the same vector
/// up to bias and hand, within each block of a few seconds. The null hypothesis has a free bias of the gyroscope, with
/// a prior, for a filter learns it. Alternatives: axes in another order or with other signs; the accelerometer turned
/// by any rotation Q, `m_k = mean(R Q f)` (Gauss-Newton on the rotation group); a scale of the gyroscope. Log
/// likelihoods are compared (`LikelihoodRatio`).
package struct GravityDirection {
  /// What explains the readings best.
  package enum Cause: Equatable {
    /// Signed axes of the accelerometer from those of the gyroscope.
    case axes(Matrix3)
    /// The accelerometer's axes are turned against the gyroscope's.
    case turned(Rotation)
    /// The gyroscope reads so many times the rotation.
    case gyroscopeScale(Double)
  }

  /// 1-sigma of a piece's mean, m/s^2: a hand's change of velocity, 0.8 m/s, over the piece. Square deviates count up
  /// to the cap.
  private static let sigma = 0.8, cap = 200.0
  /// Prior 1-sigma of the gyroscope's bias, rad/s: what a filter learns from a cold start.
  private static let bias = 0.1
  /// Lengths of a piece and of all, seconds; pieces in a block, at most: the bias that is left turns little in it.
  private static let piece = 1.0, longest = 11.0, block = 6
  /// Mean square deviate from which on the alternatives are asked.
  private static let asking = 2.5
  private static let factors = [Double.pi / 180, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 1.7, 2, 180 / Double.pi]

  private typealias Step = (piece: Int, seconds: Double, angle: Vector3, force: Vector3)
  private let steps: [Step]
  private let pieces: Int
  /// Seconds that are tested.
  var seconds: Double { Double(pieces) * Self.piece }
  private var blocks: Int { (pieces + Self.block - 1) / Self.block }
  private func block(of piece: Int) -> Int { piece * blocks / pieces }
  private var degreesOfFreedom: Int { 3 * (pieces - blocks) }

  /// Nil for less than three pieces.
  package init?(_ history: InertialHistory) {
    guard let oldest = history.oldest, let newest = history.newest else { return nil }
    pieces = Int(min(newest.seconds(since: oldest), Self.longest) / Self.piece)
    guard pieces >= 3 else { return nil }
    let begin = newest.advanced(bySeconds: -Double(pieces) * Self.piece)
    // The same samples for every hypothesis, thinned to 50 Hz.
    let nodes = history.samples(after: begin, through: newest)
    guard nodes.count >= 10 * pieces else { return nil }
    steps = Self.thinned(nodes, from: begin, pieces)
    // Pieces never go back: each is there where all steps from one to the next are by one.
    guard let first = steps.first, let last = steps.last, first.piece == 0, last.piece == pieces - 1,
      zip(steps, steps.dropFirst()).allSatisfy({ $1.piece - $0.piece <= 1 })
    else { return nil }
  }

  /// The best alternative with its log likelihood ratio; nil where gyroscope and accelerometer agree, or too little
  /// turned.
  ///
  /// Cost: O(100 * steps) where they do not agree.
  package func test() -> (cause: Cause, ratio: Double)? {
    guard squares() > Self.asking * Double(degreesOfFreedom) else { return nil }
    let null = squaresWithBias()
    guard null.isFinite, null > Self.asking * Double(degreesOfFreedom) else { return nil }
    var explanations = SignedPermutation.all.map { explanation(.axes($0), squares(axes: $0), 0) }
    explanations += Self.factors.map { explanation(.gyroscopeScale(1 / $0), squares(axes: Matrix3.identity * $0), 1) }
    let turned = turned()
    explanations.append(explanation(.turned(turned.rotation), turned.squares, 3))
    guard let best = LikelihoodRatio(count: degreesOfFreedom).best(null: null, explanations.filter(\.squares.isFinite))
    else { return nil }
    return (best.kind, best.ratio)
  }

  private func explanation(_ cause: Cause, _ squares: Double, _ parameters: Int) -> LikelihoodRatio.Explanation<Cause> {
    .init(kind: cause, squares: squares, parameters: parameters)
  }

  /// Sum over the pieces of the capped square deviates from their block's mean; `axes` on the gyroscope's rates, less a
  /// bias, rad/s.
  private func squares(axes: Matrix3 = .identity, bias: Vector3 = .zero) -> Double {
    var rotation = Rotation.identity
    var sums = [Vector3](repeating: .zero, count: pieces), counts = [Double](repeating: 0, count: pieces)
    for step in steps {
      rotation = rotation * .exp(axes * (step.angle - bias * step.seconds))
      sums[step.piece] += rotation * step.force
      counts[step.piece] += 1
    }
    return deviates(zip(sums, counts).map { $0 / $1 }).reduce(0) { $0 + min($1.squaredNorm, Self.cap) }
  }

  /// Deviates of the pieces' means from those of their blocks.
  private func deviates(_ means: [Vector3]) -> [Vector3] {
    var centres = [Vector3](repeating: .zero, count: blocks), counts = [Double](repeating: 0, count: blocks)
    for k in 0..<pieces {
      centres[block(of: k)] += means[k]
      counts[block(of: k)] += 1
    }
    return (0..<pieces).map { (means[$0] - centres[block(of: $0)] / counts[block(of: $0)]) / Self.sigma }
  }

  /// The squares under the likeliest bias of the gyroscope, its prior's included: coordinate search.
  private func squaresWithBias() -> Double {
    func sum(_ bias: Vector3) -> Double { squares(bias: bias) + bias.squaredNorm / (Self.bias * Self.bias) }
    var (bias, best, step) = (Vector3.zero, squares(), 0.16)
    while step > 0.01 {
      var isBetter = false
      for k in 0..<3 {
        for sign in [-1.0, 1] {
          var next = bias
          next[k] += sign * step
          let found = sum(next)
          if found < best { (bias, best, isBetter) = (next, found, true) }
        }
      }
      if !isBetter { step /= 2 }
    }
    return best
  }

  /// The accelerometer's rotation that explains the pieces best.
  private func turned() -> (rotation: Rotation, squares: Double) {
    // mean(R Q f) is linear in Q: sum_j T_j Q e_j with T_j = mean(R f_j).
    var tensors = [[Matrix3]](repeating: [Matrix3](repeating: .zero, count: 3), count: pieces)
    var counts = [Double](repeating: 0, count: pieces), rotation = Rotation.identity
    for step in steps {
      rotation = rotation * .exp(step.angle)
      let matrix = rotation.matrix
      for j in 0..<3 { tensors[step.piece][j] += matrix * step.force[j] }
      counts[step.piece] += 1
    }
    func means(_ q: Matrix3) -> [Vector3] {
      (0..<pieces).map { k in
        let sum: Vector3 = tensors[k][0] * q.c0 + tensors[k][1] * q.c1 + tensors[k][2] * q.c2
        return sum / counts[k]
      }
    }
    var best = (rotation: Rotation.identity, squares: Double.infinity)
    for start in [Matrix3.identity] + SignedPermutation.proper {
      var q = Rotation(matrix: start)
      for _ in 0..<6 {
        let residuals = deviates(means(q.matrix))
        // d(Exp(phi) Q) / dphi_a = [e_a]x Q.
        let columns = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].map { deviates(means($0.skew * q.matrix)) }
        var normal = Matrix3(diagonal: Vector3(1e-3, 1e-3, 1e-3)), right = Vector3.zero
        for k in 0..<pieces {
          let j = Matrix3(columns: columns[0][k], columns[1][k], columns[2][k])
          normal += j.transpose * j
          right -= j.transpose * residuals[k]
        }
        guard let inverse = normal.inverse else { break }
        let step = inverse * right
        guard step.isFinite else { break }
        q = Rotation.exp(step.norm > 0.5 ? step * (0.5 / step.norm) : step) * q
      }
      let squares = deviates(means(q.matrix)).reduce(0) { $0 + min($1.squaredNorm, Self.cap) }
      if squares < best.squares { best = (q, squares) }
    }
    return best
  }

  private static func thinned(_ nodes: ArraySlice<InertialHistory.Node>, from begin: Timestamp, _ pieces: Int) -> [Step]
  {
    var steps: [Step] = []
    var angle = Vector3.zero, force = Vector3.zero, count = 0.0, seconds = 0.0
    var last = (time: Timestamp(nanoseconds: 0), rate: Vector3.zero)
    nodes.withUnsafeBufferPointer { nodes in
      for k in nodes.indices {
        let (time, rate) = (nodes[k].time, nodes[k].angularVelocity)
        if k > 0 {
          let dt = time.seconds(since: last.time)
          angle += (rate + last.rate) * (dt / 2)
          seconds += dt
        }
        last = (time, rate)
        force += nodes[k].specificForce
        count += 1
        guard seconds >= 0.02 else { continue }
        let piece = min(Int(time.seconds(since: begin) / Self.piece), pieces - 1)
        steps.append((piece, seconds, angle, force / count))
        (angle, force, count, seconds) = (.zero, .zero, 0, 0)
      }
    }
    return steps
  }
}

/// Tests the accelerometer's size against gravity, by the inertial unit alone.
///
/// The mean specific force over T seconds, in axes that the gyroscope holds still, is
/// `mean(R f) = -g + mean(R b) + (v(T) - v(0)) / T`. Its size differs from g by a normal deviate of variance
/// `sigma_b^2 + (sigma_v / T)^2`. Its direction: `GravityDirection`.
package struct GravityMagnitude {
  /// What is wrong with the accelerometer.
  package enum Cause: Equatable {
    /// Readings are gravity's size times this.
    case scale(Double)
    /// Nothing of gravity is in the readings.
    case missing
  }

  package struct Outcome {
    package var cause: Cause
    /// Log likelihood ratio, or half the square of the deviate.
    package var ratio: Double
    /// What was measured, m/s^2.
    var mean: Double
    var seconds: Double
  }

  /// Local gravity, m/s^2.
  let gravity: Double
  /// 1-sigma of an accelerometer's bias before anything is known, m/s^2, and of a hand's change of velocity, m/s.
  private static let sigma = (bias: 0.5, velocity: 1.5)
  /// Length of the window, seconds.
  private static let length = 3.0
  /// Deviate beyond which the size is refuted: two-sided risk 2e-9 a window.
  private static let limit = 6.0
  /// Share by which the readings' size must agree with a known factor.
  private static let known = 0.12

  package init(gravity: Double) { self.gravity = gravity }

  /// The test of the size over the newest window; nil where it is as it should be, or unknown.
  package func size(_ history: InertialHistory) -> Outcome? {
    guard let newest = history.newest, let b = history.node(at: newest),
      let a = history.node(at: newest.advanced(bySeconds: -Self.length))
    else { return nil }
    let seconds = b.time.seconds(since: a.time)
    let mean = ((b.velocity - a.velocity) / seconds).norm
    let spread = (Self.sigma.bias * Self.sigma.bias + pow(Self.sigma.velocity / seconds, 2)).squareRoot()
    let deviate = (mean - gravity) / spread
    guard abs(deviate) > Self.limit else { return nil }
    let cause: Cause = mean < 0.35 * gravity / 9.8 && mean < 0.5 ? .missing : .scale(mean / gravity)
    return Outcome(cause: cause, ratio: 0.5 * deviate * deviate, mean: mean, seconds: seconds)
  }

  /// The factor of a known unit that readings of `scale` times gravity are in, with its name; nil where none fits.
  package static func unit(_ scale: Double) -> (name: String, factor: Double)? {
    let units: [(String, Double)] = [
      ("g", 1 / 9.80665), ("mg", 1000 / 9.80665), ("cm/s^2", 100.0), ("mm/s^2", 1000.0), ("ft/s^2", 3.28084),
    ]
    return units.first { abs(log(scale / $0.1)) < Self.known }.map { ($0.0, $0.1) }
  }
}

/// The second with the least motion, and the gravity measured in it.
///
/// Seconds are counted from the first sample and do not overlap; least motion is the smallest standard deviation of the
/// specific force's norm.
package struct StillestSecond {
  /// Statistics of a second.
  package struct Figures {
    /// When it begins.
    package var time: Timestamp
    /// Mean norm of the specific force, m/s^2.
    package var meanForce: Double
    /// Standard deviation of that norm, m/s^2.
    package var forceSpread: Double
    /// Mean norm of the angular rate, rad/s.
    package var meanRate: Double
  }

  /// No samples yet.
  package init() {}

  /// The stillest whole second so far.
  package private(set) var best: Figures?
  private var begin: Timestamp?
  private var count = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var rates = 0.0

  /// Adds the next sample.
  package mutating func add(_ sample: IMUSample) {
    if let begin, sample.timestamp.seconds(since: begin) >= 1 {
      close(begin)
      self.begin = sample.timestamp
    }
    if begin == nil { begin = sample.timestamp }
    let force = sample.specificForce.norm
    count += 1
    sum += force
    squares += force * force
    rates += sample.angularVelocity.norm
  }

  private mutating func close(_ time: Timestamp) {
    defer { (count, sum, squares, rates) = (0, 0, 0, 0) }
    guard count >= 10 else { return }
    let mean = sum / count
    let spread = max(0, squares / count - mean * mean).squareRoot()
    if spread < best?.forceSpread ?? .infinity {
      best = Figures(time: time, meanForce: mean, forceSpread: spread, meanRate: rates / count)
    }
  }
}
