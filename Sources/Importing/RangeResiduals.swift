import Geometry
import LeastSquares
import SensorData

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
        "median error \(Figures.fixed(bias, 3)) m, scatter \(Figures.fixed(scatter, 3)) m over \(sample.seen) ranges"
      if ratio > 2 || ratio < 0.5 {
        report.find(
          "rangeUnit", .fault, "ranges to \(peer) are \(Figures.fixed(ratio, 3)) times the true distance",
          evidence: evidence, remedy: "write ranges in metres, and check which id is which peer")
      } else if scatter > 1 {
        report.find(
          "rangesUnlikeTruth", .fault, "ranges to \(peer) do not follow the true distance", evidence: evidence,
          remedy: "check which id is which peer, the clocks, and the world of the peers' positions")
      } else if abs(bias) > 0.1 {
        report.find(
          "rangeBias", .note,
          "ranges to \(peer) are \(Figures.fixed(abs(bias), 2)) m too \(bias > 0 ? "long" : "short")",
          evidence: evidence,
          remedy: "range_bias: {peers: {\(peer): \(Figures.fixed(bias, 2))}} in uwb0/sensor.yaml, or calibrate the "
            + "antenna delay; a run learns decimetres")
      }
    }
  }
}
