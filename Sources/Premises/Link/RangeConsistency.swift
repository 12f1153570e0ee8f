import Foundation
import Geometry
import LeastSquares
import SensorData

/// Tests a radio link against the device's path: unit, bias, scale, a wrong clock or time offset.
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
    /// The radio reports what a filter leaves of its ranges.
    case smoothing(RangeFilter)

    /// The premise that it breaks: ranges that are older than their stamps are stamped late or smoothed, and which of the two a link tells last.
    package var premise: String {
      if case .smoothing = self { Cause.clock(late: 0).code } else { code }
    }

    /// The code of its diagnosis.
    package var code: String {
      switch self {
      case .scale: "rangeUnit"
      case .bias: "rangeBias"
      case .sign: "rangeSign"
      case .clock: "radioClock"
      case .smoothing: "rangeFilter"
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
  /// Steps of the delays that are proposed, seconds, and the largest.
  private static let delayStep = 0.05, longestDelay = 5.0
  /// Kinds that are proposed: a clock, a mean, an exponential mean.
  private static let proposable = 3
  /// Factors of the proposed delay, in turn.
  private static let searched = [1, 1.4, 1, 0.7]

  /// Alternatives, the likelier a priori first.
  private static let common: [Cause] =
    [0.5, -0.5].map { .clock(late: $0) } + [2, 0.5, 3.28084].map { .scale($0) } + [.bias(distance: nil)]
    + [1, -1].map { .clock(late: $0) } + [100, 0.01, 1.5, 1 / 1.5, 1000].map { .scale($0) }
    + [1.5, -1.5, 2, -2].map { .clock(late: $0) } + [0.3048, 0.001].map { .scale($0) } + [.sign]
  /// Those that are asked one at a test: an antenna delay at its default, a radio and a path that were started apart.
  private static let rare: [Cause] =
    [4, 1.5, 10].map { .bias(distance: $0) }
    + [2.5, 3, 3.5, 4, 5, 6, 7, 8.5, 10].flatMap { [.clock(late: $0), .clock(late: -$0)] }

  private let law: ResidualLaw
  /// Those of `common` that the law does not allow anyway.
  private let common: [Cause]
  private var samples = LinkSamples()
  private var newest: [Double] = []
  private var lastRange: Double?
  /// Modes of the null hypothesis and of each alternative: starts of the next fits.
  private var nullModes: [Vector3] = []
  private var modes: [Cause: [Vector3]] = [:]
  private var likeliest: Cause?
  /// What the delay of the likeliest fit proposes.
  private var proposed: [Cause] = []
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
    samples.append(range: range, lever: lever, at: time)
  }

  /// The path restarts: nothing before counts.
  mutating func restart() {
    samples.removeAll()
    modes.removeAll()
    (nullModes, likeliest, proposed) = ([], nil, [])
  }

  /// Ranges that no radio measures, median of the newest, metres; nil where they are possible.
  package var impossible: Double? {
    guard newest.count >= 3, let median = newest.median else { return nil }
    return median > Self.farthest ? median : nil
  }

  /// Tests the link; nil while there is too little of it, or nothing explains it better than the null hypothesis.
  ///
  /// - Parameter suspected: what another link of the same radio shows, asked too.
  package mutating func test(_ path: PathHistory, suspected: Cause? = nil) -> Outcome? {
    turn += 1
    guard let near = samples.rows(path, margin: Self.delays[0]), near.rows.count >= Self.fewest else { return nil }
    let centre = near.rows.reduce(Vector3.zero) { $0 + $1.place } / Double(near.rows.count)
    guard (near.rows.map { ($0.place - centre).norm }.max() ?? 0) > Self.leastReach else { return nil }
    let null = LinkFit.null(near.rows, law: law, starts: nullModes, directions: directions(nullModes.isEmpty))
    nullModes = null.modes
    var best: Candidate?
    // Null hypotheses of fewer samples, where the path does not hold those of a delay or of a filter.
    var fewer: [Range<Int>: (rows: [LinkFit.Row], null: LinkFit)] = [near.samples: (near.rows, null)]
    for cause in choice(near.rows.count, suspected) {
      if case .bias(let distance?) = cause, Self.median(near.rows) - distance < freeBias { continue }
      guard let changed = changed(cause, path), changed.rows.count >= Self.fewest else { continue }
      if fewer[changed.samples] == nil {
        guard let rows = samples.rows(changed.samples, path) else { continue }
        fewer[changed.samples] = (
          rows, LinkFit.null(rows, law: law, starts: nullModes, directions: directions(false))
        )
      }
      let (stated, null) = fewer[changed.samples]!
      let known = modes[cause] ?? []
      let fit = LinkFit(
        changed.rows, model(cause, changed.rows), law: law, starts: known, directions: directions(known.isEmpty),
        above: null.logLikelihood + (best?.ratio ?? 0))
      modes[cause] = fit.modes
      let ratio = fit.logLikelihood - null.logLikelihood
      if ratio > best?.ratio ?? 0 {
        best = Candidate(cause: cause, fit: fit, null: null, ratio: ratio, stated: stated, changed: changed)
      }
    }
    proposed = proposals(best, null, near, path)
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
    let costs = log(Double(common.count + Self.rare.count + Self.proposable)) + 0.5 * log(n)
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
    guard let (kept, changed) = changed(cause, path), changed.count >= Self.fewest,
      let stated = samples.rows(kept, path)
    else { return nil }
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
    /// The same ranges with the places that are stated, and with those of the alternative.
    var stated: [LinkFit.Row]
    var changed: LinkSamples.Rows
  }

  /// The rows of an alternative, nil where the path does not hold their places.
  private func changed(_ cause: Cause, _ path: PathHistory) -> LinkSamples.Rows? {
    let near = Self.delays[0]
    switch cause {
    case .smoothing(let filter): return samples.rows(path, margin: near, filter)
    case .clock(let late): return samples.rows(path, margin: Self.delays.first { $0 >= abs(late) } ?? near, late: late)
    case .scale, .bias, .sign: return samples.rows(path, margin: near)
    }
  }

  /// Clocks and filters with the delay that the likeliest fit shows.
  private func proposals(_ best: Candidate?, _ null: LinkFit, _ near: LinkSamples.Rows, _ path: PathHistory) -> [Cause]
  {
    guard let interval = samples.interval else { return [] }
    var base = 0.0, fit = null, rows = near.rows, step = RangeDelay.step
    let earlier: [LinkFit.Row]?
    switch best?.cause {
    case .clock(let late)?:
      (base, fit, rows) = (late, best!.fit, best!.changed.rows)
      // Towards the middle of the path, which holds those places.
      step = late > 0 ? -step : step
      earlier = samples.rows(best!.changed.samples, path, late: late + step)
    case .smoothing(let filter)?:
      (base, fit, rows) = (filter.delay(interval: interval), best!.fit, best!.changed.rows)
      let found = samples.rows(path, margin: Self.delays[0], filter, late: step)
      earlier = found?.samples == best!.changed.samples ? found!.rows : nil
    default: earlier = samples.rows(near.samples, path, late: step)
    }
    guard let earlier, let delay = RangeDelay.estimate(rows, fit, earlier: earlier, step: step) else { return [] }
    // The step is exact where the delay is short; of a filter's memory the length, too, is searched.
    let factor = Self.searched[turn / 2 % Self.searched.count]
    let total = ((base + delay) * factor / Self.delayStep).rounded() * Self.delayStep
    guard abs(total) >= Self.delayStep, abs(total) <= Self.longestDelay else { return [] }
    guard total > 0 else { return [.clock(late: total)] }
    let count = Int((2 * total / interval).rounded()) + 1
    let weight = (100 * interval / (interval + total)).rounded() / 100
    var found = [Cause.clock(late: total)]
    if count > 1, Double(count) * interval < LinkSamples.memory { found.append(.smoothing(.mean(count: count))) }
    if weight > 0.02, 3 * interval / weight < LinkSamples.memory {
      found.append(.smoothing(.exponential(weight: weight)))
    }
    return found
  }

  private func directions(_ all: Bool) -> [Vector3] {
    all ? LinkFit.directions : Array(turn / 2 % 2 == 0 ? LinkFit.directions.prefix(6) : LinkFit.directions.suffix(6))
  }

  /// The likeliest alternative so far, and what its delay proposes and the next ones by turns.
  private mutating func choice(_ count: Int, _ suspected: Cause?) -> [Cause] {
    var chosen = likeliest.map { [$0] } ?? []
    func add(_ cause: Cause) { if !chosen.contains(cause) { chosen.append(cause) } }
    if let suspected { add(suspected) }
    if turn.isMultiple(of: 2), !proposed.isEmpty {
      proposed.forEach(add)
      return chosen
    }
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
    case .clock, .smoothing: LinkFit.Model()
    }
  }
}
