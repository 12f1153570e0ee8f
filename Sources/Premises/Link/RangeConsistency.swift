import Foundation
import Geometry
import LeastSquares
import SensorData

/// Tests a radio link against the device's path: unit, bias, clock and scale.
///
/// Ranges `z_i = s |x - p(t_i - tau)| + b + e_i` of a stationary peer x, antenna places p. The null hypothesis has s =
/// 1, tau = 0 and a bias within its prior (`ResidualLaw`); each alternative changes one of them, or is
/// `z_i = c - |x - p|` with any c. All explain the same ranges: those that lie inside the path for every delay. Log
/// likelihoods (`LinkFit`) are compared; an alternative pays `log K` for being one of K, half the logarithm of n for
/// its parameter, and what a peer that walks (`LinkMotion`) or multipath (`LinkField`) explains as well. A few alternatives are asked at each test, in turn, and the likeliest so far every time.
package struct RangeConsistency {
  /// What may be wrong with a link.
  package enum Cause: Hashable, Sendable {
    /// Ranges are so many times what the path says.
    case scale(Double)
    /// Every range is longer by more than radios err; where that is most of a range, the peer is about so many metres away.
    case bias(distance: Double?)
    /// Ranges shorten where the distance grows.
    case sign
    /// Ranges are stamped late by so many seconds.
    case clock(late: Double)

    /// The code of its diagnosis.
    package var code: String {
      switch self {
      case .scale: "rangeUnit"
      case .bias: "rangeBias"
      case .sign: "rangeSign"
      case .clock: "radioClock"
      }
    }
  }

  /// The likeliest alternative of a test.
  package struct Outcome {
    package var cause: Cause
    /// Log likelihood ratio to the null hypothesis, all costs paid.
    package var ratio: Double
    /// Bias in metres that the alternative finds.
    package var bias: Double
    /// Number of samples.
    package var count: Int
    /// The ratio's parts, a second each.
    package var parts: [Double]

    /// How evenly the evidence is spread: `sum r_k / sqrt(sum r_k^2)` over the parts r_k, at most the square root of
    /// their number.
    ///
    /// Were the parts independent and symmetric about zero, it would exceed x with probability at most `exp(-x^2 / 2)`
    /// whatever their size (Efron, JASA 64, 1969, doi:10.1080/01621459.1969.10501068): errors that no noise model has,
    /// near one place or for a few seconds, make a large ratio, but not an even one.
    package var support: Double { Self.support(of: parts) }

    /// What it says to the verdict.
    package var evidence: PremiseEvidence { .logRatio(ratio, support: support) }

    /// The same of any parts.
    package static func support(of parts: [Double]) -> Double {
      let norm = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return norm > 0 ? parts.reduce(0, +) / norm : 0
    }
  }

  /// Length of a sample, seconds; samples are kept so long.
  private static let length = ResidualLaw.sampleLength, span = 30.0
  /// Fewest samples, and the least extent of the path, metres.
  private static let fewest = 9, leastReach = 0.25
  /// Beyond this no radio of this kind ranges, metres.
  private static let farthest = 1000.0
  /// Largest delays of the sets of clocks, seconds: ranges near the path's ends are left out for as much.
  private static let delays = [0.75, 2, 5, 10]
  /// Prior 1-sigma of a freed bias at least, metres.
  private static let freeBias = 1.0
  /// Sigmas of a prior within which bias and scale are as stated.
  private static let stated = 3.0
  /// Samples times alternatives asked in a test, besides the likeliest: many alternatives while there are few samples.
  private static let work = 200
  /// Motion and multipath are asked from this ratio on.
  private static let promising = 1.0

  /// Alternatives, the likelier a priori first.
  private static let common: [Cause] =
    [0.5, -0.5, 0.75, -0.75].map { .clock(late: $0) } + [2, 0.5, 3.28084].map { .scale($0) } + [.bias(distance: nil)]
    + [0.25, -0.25, 1, -1].map { .clock(late: $0) } + [100, 0.01, 1.5, 1 / 1.5, 1000].map { .scale($0) }
    + [1.5, -1.5, 2, -2].map { .clock(late: $0) } + [0.3048, 0.001].map { .scale($0) } + [.sign]
  /// Those that are asked one at a test: an antenna delay at its default, a radio and a path that were started apart.
  private static let rare: [Cause] =
    [4, 1.5, 10].map { .bias(distance: $0) }
    + [2.5, 3, 3.5, 4, 5, 6, 7, 8.5, 10].flatMap { [.clock(late: $0), .clock(late: -$0)] }

  /// Means over a quarter of a second: of several antennas the mean range is that to their mean place, but for
  /// `lever^2 / (2 range)`, millimetres.
  private struct Sample {
    var time: Timestamp
    var range: Double
    var lever: Vector3
  }

  /// The ranges of the sample that is not complete.
  private struct Bin {
    var first: Timestamp
    var seconds = 0.0
    var range = 0.0
    var lever = Vector3.zero
    var count = 0.0
    var sample: Sample {
      Sample(time: first.advanced(bySeconds: seconds / count), range: range / count, lever: lever / count)
    }
  }

  private let law: ResidualLaw
  /// Those of `common` that the law does not allow anyway.
  private let common: [Cause]
  private var samples: [Sample] = []
  private var bin: Bin?
  private var newest: [Double] = []
  private var lastRange: Double?
  /// Modes of the null hypothesis and of each alternative: starts of the next fits.
  private var nullModes: [Vector3] = []
  private var modes: [Cause: [Vector3]] = [:]
  private var likeliest: Cause?
  private var turn = 0
  /// The alternatives that are asked next.
  private var next = (common: 0, rare: 0)

  /// A link whose ranges err by this law.
  package init(_ law: ResidualLaw = ResidualLaw()) {
    self.law = law
    common = Self.common.filter {
      if case .scale(let factor) = $0 { abs(log(factor)) > Self.stated * law.scaleSigma } else { true }
    }
  }

  /// The least bias that is called wrong, and the prior 1-sigma of a freed one, metres.
  private var leastBias: Double { Self.stated * law.biasSigma }
  private var freeBias: Double { max(Self.freeBias, leastBias) }

  /// Takes a range in, metres.
  ///
  /// - Parameter lever: the antenna in the body frame, metres.
  package mutating func append(range: Double, lever: Vector3 = .zero, at time: Timestamp) {
    // A radio that repeats its last range adds no information.
    guard range != lastRange else { return }
    lastRange = range
    newest.append(range)
    if newest.count > 9 { newest.removeFirst() }
    if let full = bin, time.seconds(since: full.first) >= Self.length - 1e-6 {
      samples.append(full.sample)
      samples.removeAll { time.seconds(since: $0.time) > Self.span }
      bin = nil
    }
    var open = bin ?? Bin(first: time)
    open.seconds += time.seconds(since: open.first)
    open.range += range
    open.lever += lever
    open.count += 1
    bin = open
  }

  /// The path restarts: nothing before counts.
  mutating func restart() {
    samples.removeAll()
    bin = nil
    modes.removeAll()
    (nullModes, likeliest) = ([], nil)
  }

  /// Ranges that no radio measures, median of the newest, metres; nil where they are possible.
  package var impossible: Double? {
    guard newest.count >= 3, let median = newest.median else { return nil }
    return median > Self.farthest ? median : nil
  }

  /// Samples that lie inside the path for all delays up to `delay`.
  private func core(_ path: PathHistory, delay: Double) -> [Sample] {
    guard let first = path.first, let last = path.last else { return [] }
    let (begin, end) = (first.advanced(bySeconds: delay), last.advanced(bySeconds: -delay))
    return samples.filter { $0.time >= begin && $0.time <= end }
  }

  /// Nil where the path does not hold the antenna's place at one of them.
  private func rows(_ samples: [Sample], _ path: PathHistory, late: Double = 0) -> [LinkFit.Row]? {
    var rows: [LinkFit.Row] = []
    rows.reserveCapacity(samples.count)
    var pose = 0
    for s in samples {
      guard let place = path.place(of: s.lever, at: s.time.advanced(bySeconds: -late), &pose) else { return nil }
      rows.append(LinkFit.Row(seconds: s.time.seconds(since: samples[0].time), range: s.range, place: place))
    }
    return rows
  }

  /// Tests the link; nil while there is too little of it, or nothing explains it better than the null hypothesis.
  package mutating func test(_ path: PathHistory) -> Outcome? {
    turn += 1
    let near = core(path, delay: Self.delays[0])
    guard near.count >= Self.fewest, let nearRows = rows(near, path) else { return nil }
    let centre = nearRows.reduce(Vector3.zero) { $0 + $1.place } / Double(nearRows.count)
    guard (nearRows.map { ($0.place - centre).norm }.max() ?? 0) > Self.leastReach else { return nil }
    let null = LinkFit.null(nearRows, law: law, starts: nullModes, directions: directions(nullModes.isEmpty))
    nullModes = null.modes
    var best: Candidate?
    // Ranges that lie inside the path for a longer delay, and the null hypothesis of these.
    var inner: [Double: (samples: [Sample], rows: [LinkFit.Row], null: LinkFit)] = [:]
    for cause in choice(near.count) {
      var (samples, stated, null, late) = (near, nearRows, null, 0.0)
      if case .clock(let delay) = cause { late = delay }
      if case .bias(let distance?) = cause, Self.median(nearRows) - distance < freeBias { continue }
      if abs(late) > Self.delays[0], let delay = Self.delays.first(where: { $0 >= abs(late) }) {
        if inner[delay] == nil {
          let fewer = core(path, delay: delay)
          guard fewer.count >= Self.fewest, let rows = rows(fewer, path) else { continue }
          let null = LinkFit.null(rows, law: law, starts: nullModes, directions: directions(false))
          inner[delay] = (fewer, rows, null)
        }
        (samples, stated, null) = inner[delay]!
      }
      guard let rows = late == 0 ? stated : rows(samples, path, late: late) else { continue }
      let known = modes[cause] ?? []
      let fit = LinkFit(
        rows, model(cause, rows), law: law, starts: known, directions: directions(known.isEmpty),
        above: null.logLikelihood + (best?.ratio ?? 0))
      modes[cause] = fit.modes
      let ratio = fit.logLikelihood - null.logLikelihood
      if ratio > best?.ratio ?? 0 { best = Candidate(cause: cause, fit: fit, null: null, ratio: ratio, stated: stated) }
    }
    guard let best else {
      likeliest = nil
      return nil
    }
    likeliest = best.cause
    return outcome(best)
  }

  /// The likeliest alternative with all costs paid: where it is promising the null hypothesis is fitted again, from its
  /// modes too, and a peer that wanders.
  private func outcome(_ best: Candidate) -> Outcome? {
    let stated = best.stated, n = Double(stated.count)
    let costs = log(Double(common.count + Self.rare.count)) + 0.5 * log(n)
    var ratio = best.ratio - costs
    if case .bias = best.cause, abs(best.fit.bias) < leastBias { return nil }
    var null = best.null
    if ratio > Self.promising {
      null = LinkFit.null(stated, law: law, starts: nullModes + best.fit.modes)
      ratio = best.fit.logLikelihood - null.logLikelihood - costs
      ratio -= max(explained(stated, null), 0)
    }
    guard ratio > 0 else { return nil }
    return Outcome(
      cause: best.cause, ratio: ratio, bias: best.fit.bias, count: stated.count,
      parts: Self.parts(stated, best.fit, null))
  }

  /// What this link says of an alternative that another link of the same radio found, no costs paid; nil while there is
  /// too little of it.
  package func evidence(for cause: Cause, _ path: PathHistory) -> Outcome? {
    let late = if case .clock(let delay) = cause { delay } else { 0.0 }
    let samples = core(path, delay: max(abs(late), Self.delays[0]))
    guard samples.count >= Self.fewest, let stated = rows(samples, path), let changed = rows(samples, path, late: late)
    else {
      return nil
    }
    let starts = nullModes + (modes[cause] ?? [])
    let null = LinkFit.null(stated, law: law, starts: starts, directions: directions(starts.isEmpty))
    let fit = LinkFit(
      changed, model(cause, changed), law: law, starts: starts, directions: directions(starts.isEmpty))
    return Outcome(
      cause: cause, ratio: fit.logLikelihood - null.logLikelihood - max(explained(stated, null), 0), bias: fit.bias,
      count: stated.count,
      parts: Self.parts(stated, fit, null))
  }

  /// By how much a peer that walks, relative to the path, or errors that change with the place explain more than the
  /// null hypothesis.
  private func explained(_ rows: [LinkFit.Row], _ null: LinkFit) -> Double {
    guard let mode = null.modes.first else { return 0 }
    let field = LinkField.logLikelihood(rows, null, law: law) ?? -.infinity
    // Where a peer was before it set off a fit of all ranges does not say.
    let before = LinkFit(Array(rows.prefix(max(rows.count / 3, 6))), law: law, starts: null.modes)
    let motion = LinkMotion.logLikelihood(rows, from: [mode] + before.modes.prefix(1), bias: null.bias, law: law)
    return max(field, motion) - null.logLikelihood
  }

  private static func parts(_ rows: [LinkFit.Row], _ fit: LinkFit, _ null: LinkFit) -> [Double] {
    var parts = [Double](repeating: 0, count: Int(rows[rows.count - 1].seconds) + 1)
    for (row, (a, b)) in zip(rows, zip(fit.terms, null.terms)) { parts[Int(row.seconds)] += a - b }
    return parts
  }

  private struct Candidate {
    var cause: Cause
    var fit: LinkFit
    var null: LinkFit
    var ratio: Double
    /// The same ranges with the places that are stated.
    var stated: [LinkFit.Row]
  }

  private func directions(_ all: Bool) -> [Vector3] {
    all ? LinkFit.directions : Array(turn % 2 == 0 ? LinkFit.directions.prefix(6) : LinkFit.directions.suffix(6))
  }

  /// The likeliest alternative so far and the next ones in turn.
  private mutating func choice(_ count: Int) -> [Cause] {
    var chosen = likeliest.map { [$0] } ?? []
    func add(_ cause: Cause) { if !chosen.contains(cause) { chosen.append(cause) } }
    for _ in 0..<min(max(Self.work / count, 2), common.count) {
      add(common[next.common])
      next.common = (next.common + 1) % common.count
    }
    add(Self.rare[next.rare])
    next.rare = (next.rare + 1) % Self.rare.count
    return chosen
  }

  private static func median(_ rows: [LinkFit.Row]) -> Double { rows.map(\.range).median ?? 0 }

  private func model(_ cause: Cause, _ rows: [LinkFit.Row]) -> LinkFit.Model {
    switch cause {
    case .scale(let factor): LinkFit.Model(scale: factor)
    case .bias(nil): LinkFit.Model(biasSigma: freeBias)
    case .bias(let distance?): LinkFit.Model(biasMean: Self.median(rows) - distance, biasSigma: distance)
    case .sign:
      // `z = c - |x - p|` with any c: the peer may be as far as the median range, more or less.
      { median in LinkFit.Model(biasMean: 2 * median, biasSigma: max(2 * median, freeBias), scale: -1) }(
        Self.median(rows))
    case .clock: LinkFit.Model()
    }
  }
}

/// Tells ranges of two devices under one id: they jump to and fro between two distances.
///
/// A range alternates where it is far from the one before, and near the one before that:
/// `|z_k - z_(k-1)| > a` and `|z_k - z_(k-2)| < |z_k - z_(k-1)| / 4`. Of ranges with white noise alone, however large, 0.14 do
/// (`RangeJumpsTests`), of spells of NLOS fewer; of two devices in turn all.
package struct RangeJumps {
  /// Ranges of so many seconds count, and so many are the fewest.
  private static let span = 4.0, fewest = 24
  /// A hand and a walking peer change a distance by so much a second, metres; a range by chance by so much.
  private static let speed = 3.0, least = 0.3
  /// Share of alternating ranges that no one device has: of 24 by chance with a probability under 1e-6.
  private static let limit = 0.6

  private var ranges: [(time: Timestamp, range: Double)] = []
  private var alternating: [(time: Timestamp, isSo: Bool)] = []

  package init() {}

  /// Takes a range in, metres.
  package mutating func append(_ range: Double, at time: Timestamp) {
    if let last = ranges.last, last.range == range { return }
    ranges.append((time, range))
    guard ranges.count > 2 else { return }
    if ranges.count > 3 { ranges.removeFirst() }
    let n = ranges.count
    let step = abs(range - ranges[n - 2].range), back = abs(range - ranges[n - 3].range)
    let allowed = Self.least + Self.speed * time.seconds(since: ranges[n - 2].time)
    alternating.append((time, step > allowed && 4 * back < step))
    alternating.removeAll { time.seconds(since: $0.time) > Self.span }
  }

  /// The two distances, metres, and how many ranges of how many alternate, where they are two devices'.
  package var twins: (near: Double, far: Double, alternating: Int, count: Int)? {
    let found = alternating.count(where: \.isSo)
    guard alternating.count >= Self.fewest, Double(found) >= Self.limit * Double(alternating.count) else { return nil }
    let last = ranges.suffix(2).map(\.range)
    return (last.min()!, last.max()!, found, alternating.count)
  }
}
