import Foundation
import Geometry
import LeastSquares
import SensorData
import Wording

/// How late ranges without a time of measurement are stamped, from ranges and poses: at each delay a stationary peer
/// and a bias are fitted; the delay counts where the residuals have a clear minimum.
struct RangeDelay {
  /// The outcome.
  struct Outcome {
    /// Seconds by which the stamps are late.
    var delay: Double
    /// Root mean square residual there and without a delay, metres.
    var residual: Double
    var unshifted: Double
  }

  private static let most = 4000
  private var poses: [(time: Int64, position: Vector3)] = []
  private var ranges: [(time: Int64, range: Double)] = []

  /// A position of the antenna; about 30 a second are enough.
  mutating func add(position: Vector3, at time: Int64) {
    if let last = poses.last, time - last.time < 30_000_000 || poses.count >= 10 * Self.most { return }
    poses.append((time, position))
  }

  /// A range, as stamped.
  mutating func add(range: Double, at time: Int64) {
    if ranges.count < Self.most { ranges.append((time, range)) }
  }

  /// The delay, from 0 to 0.4 s; nil where the data do not say.
  func estimate() -> Outcome? {
    guard ranges.count >= 30, poses.count >= 30 else { return nil }
    let delays = (0...40).map { 0.01 * Double($0) }
    var residuals: [Double] = []
    var start: Vector3?
    for delay in delays {
      guard let fit = fit(delay, from: start) else { return nil }
      residuals.append(fit.residual)
      start = fit.peer
    }
    guard let best = residuals.indices.min(by: { residuals[$0] < residuals[$1] }), best > 0, best < delays.count - 1
    else { return nil }
    // A tenth less in the squares than without a delay: the noise of some hundred ranges does not do that.
    let gain = (residuals[0] * residuals[0]) / max(residuals[best] * residuals[best], 1e-12)
    guard gain > 1.1 else { return nil }
    let fraction = parabolaVertex(residuals[best - 1], residuals[best], residuals[best + 1])
    return Outcome(delay: delays[best] + 0.01 * fraction, residual: residuals[best], unshifted: residuals[0])
  }

  private func fit(_ delay: Double, from start: Vector3?) -> (peer: Vector3, residual: Double)? {
    let late = Int64(delay * 1e9)
    var rows: [(place: Vector3, range: Double)] = []
    var k = 0
    for range in ranges {
      let time = range.time - late
      while k + 1 < poses.count, poses[k + 1].time <= time { k += 1 }
      guard k + 1 < poses.count, poses[k].time <= time, poses[k + 1].time - poses[k].time < 500_000_000 else {
        continue
      }
      let fraction = Double(time - poses[k].time) / Double(poses[k + 1].time - poses[k].time)
      rows.append((poses[k].position + (poses[k + 1].position - poses[k].position) * fraction, range.range))
    }
    guard rows.count >= 30 else { return nil }
    let centre = rows.reduce(Vector3.zero) { $0 + $1.place } / Double(rows.count)
    let middle = rows[rows.count / 2].range
    let starts =
      start.map { [$0] }
      ?? (0..<8).map { i in
        centre + middle * Vector3(cos(.pi * Double(i) / 4), sin(.pi * Double(i) / 4), 0.1)
      }
    return starts.map { descend(rows, from: $0) }.min { $0.residual < $1.residual }
  }

  private func descend(_ rows: [(place: Vector3, range: Double)], from start: Vector3) -> (
    peer: Vector3, residual: Double
  ) {
    var here = (peer: start, bias: 0.0)
    func squares(_ peer: Vector3, _ bias: Double) -> Double {
      rows.reduce(0) { $0 + min(pow($1.range - ($1.place - peer).norm - bias, 2), 0.25) }
    }
    var cost = squares(here.peer, here.bias)
    let loss = HuberLoss(threshold: 0.3)
    var descent = LevenbergMarquardt(
      steps: 30, relative: 1e-9, damping: .init(from: 1e-3, ease: 1 / 0.3, least: 0))
    descent.descend(&here, cost: &cost) { here, damping in
      let (peer, bias) = here
      var normal = Matrix3.zero, right = Vector3.zero
      // The bias is eliminated: its mean over the rows.
      let directions = rows.map { (peer - $0.place).normalized }
      let mean = directions.reduce(Vector3.zero, +) / Double(rows.count)
      let errors = rows.map { $0.range - ($0.place - peer).norm - bias }
      let offset = errors.reduce(0, +) / Double(rows.count)
      for (direction, error) in zip(directions, errors) {
        let weight = loss.weight(error)
        normal += weight * Matrix3(outer: direction - mean, direction - mean)
        right += weight * (error - offset) * (direction - mean)
      }
      let diagonal = damping * Vector3(normal.c0.x + 1, normal.c1.y + 1, normal.c2.z + 1)
      guard let inverse = (normal + Matrix3(diagonal: diagonal)).inverse else { return .singular }
      let next = peer + inverse * right
      let nextBias = max(-1, min(1, rows.map { $0.range - ($0.place - next).norm }.median ?? 0))
      return .candidate((next, nextBias), cost: squares(next, nextBias))
    }
    return (here.peer, (cost / Double(rows.count)).squareRoot())
  }
}

/// Ranges against the distance that the truth has, peer by peer.
struct RangeResiduals {
  private let rig: RigCalibration
  private var before: GroundTruthState?
  private var latest: GroundTruthState?
  private var peers: [String: Vector3] = [:]
  private var pending: [RangeMeasurement] = []
  private var samples: [String: Sample] = [:]

  /// Pairs of a peer: every one at first, then ever fewer.
  private struct Sample {
    static let most = 20_000
    var every = 1, seen = 0
    var pairs: [(measured: Double, true: Double)] = []

    mutating func add(_ measured: Double, _ distance: Double) {
      if seen % every == 0 { pairs.append((measured, distance)) }
      seen += 1
      if pairs.count >= Self.most {
        pairs = pairs.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        every *= 2
      }
    }
  }

  init(rig: RigCalibration) { self.rig = rig }

  mutating func add(_ state: GroundTruthState) {
    before = latest
    latest = state
    settle()
  }

  mutating func add(_ peer: GroundTruthPeer) { peers[peer.peer] = peer.position }

  mutating func add(_ range: RangeMeasurement) {
    pending.append(range)
    if pending.count > 1000 { pending.removeFirst() }
  }

  private mutating func settle() {
    guard let a = before, let b = latest else { return }
    let span = b.timestamp.seconds(since: a.timestamp)
    while let range = pending.first, range.timestamp <= b.timestamp {
      pending.removeFirst()
      guard range.timestamp >= a.timestamp, span < 1, let peer = peers[range.peer],
        let antenna = rig.radio?.position(of: range.antenna)
      else { continue }
      let fraction = span > 0 ? range.timestamp.seconds(since: a.timestamp) / span : 0
      let pose = a.worldFromBody.interpolated(to: b.worldFromBody, fraction: fraction)
      samples[range.peer, default: Sample()].add(range.range, (pose * antenna - peer).norm)
    }
  }

  /// Adds figures and findings.
  func judge(_ report: inout ImportReport) {
    for (peer, sample) in samples.sorted(by: { $0.key < $1.key }) where sample.pairs.count >= 20 {
      let errors = sample.pairs.map { $0.measured - $0.true }
      let bias = errors.median ?? 0
      let scatter = errors.robustDeviation(about: bias) ?? 0
      let ratio = sample.pairs.map { $0.measured / max($0.true, 0.01) }.median ?? 1
      report.figures["range bias \(peer) [m]"] = bias
      report.figures["range scatter \(peer) [m]"] = scatter
      let evidence =
        "median error \(Words.fixed(bias, 3)) m, scatter \(Words.fixed(scatter, 3)) m over \(sample.seen) ranges"
      if ratio > 2 || ratio < 0.5 {
        report.find(
          "rangeUnit", .fault, "ranges to \(peer) are \(Words.fixed(ratio, 3)) times the true distance",
          evidence: evidence, remedy: "write ranges in metres, and check which id is which peer")
      } else if scatter > 1 {
        report.find(
          "rangesUnlikeTruth", .fault, "ranges to \(peer) do not follow the true distance", evidence: evidence,
          remedy: "check which id is which peer, the clocks, and the world of the peers' positions")
      } else if abs(bias) > 0.1 {
        report.find(
          "rangeBias", .note,
          "ranges to \(peer) are \(Words.fixed(abs(bias), 2)) m too \(bias > 0 ? "long" : "short")",
          evidence: evidence,
          remedy: "range_bias: {peers: {\(peer): \(Words.fixed(bias, 2))}} in uwb0/sensor.yaml, or calibrate the "
            + "antenna delay; a run learns decimetres")
      }
    }
  }
}
