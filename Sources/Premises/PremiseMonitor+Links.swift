import Foundation
import SensorData

/// The tests of radio links.
extension PremiseMonitor {
  /// Tests one link after the other, one at each test.
  func testLinks() {
    let peers = links.keys.sorted()
    testCount += 1
    guard !peers.isEmpty else { return }
    let slots = peers.count
    for (k, peer) in peers.enumerated() {
      if testCount % slots == k % slots { testLink(peer) } else { verdict.keep(peer) }
    }
  }

  func testLink(_ peer: String) {
    guard let link = links[peer] else { return }
    if let impossible = link.impossible {
      let unit = impossible > 300_000 ? "micrometres" : "millimetres"
      return verdict.add(
        .symptom(isRefuting: true), against: "rangeUnit", of: peer,
        Diagnosis(
          code: "rangeUnit", family: .radio, sentence: "ranges to \(peer) look to be in \(unit)",
          evidence: "median of the newest \(Format.number(impossible)) m: no such radio reaches that far",
          remedy: "write ranges in metres", peer: peer))
    }
    if let twins = (jumps[peer] ?? [:]).sorted(by: { $0.key < $1.key }).compactMap(\.value.twins).first {
      return verdict.add(
        .symptom(isRefuting: true), against: "rangesInconsistent", of: peer,
        Diagnosis(
          code: "rangesInconsistent", family: .radio,
          sentence:
            "ranges to \(peer) jump between two distances, \(Format.number(twins.near)) and \(Format.number(twins.far)) m: as of two devices under one id",
          evidence:
            "\(twins.alternating) of the newest \(twins.count) ranges are far from the one before and near the one before that",
          remedy: "give every device an id of its own", peer: peer))
    }
    guard var found = links[peer]!.test(path) else { return }
    let rule = PremiseVerdict.rule(of: found.cause.code)
    guard rule.isOpened(by: found.evidence) else { return }
    if isShared(found.cause) { pool(&found, from: peer) }
    verdict.add(found.evidence, against: found.cause.code, of: peer, diagnosis(found, peer))
  }

  private func diagnosis(_ found: RangeConsistency.Outcome, _ peer: String) -> Diagnosis {
    let evidence = "\(Format.ratio(found.ratio)) over \(found.count) ranges along the path"
    func diagnosis(_ code: String, _ family: Diagnosis.Family, _ sentence: String, _ remedy: String) -> Diagnosis {
      Diagnosis(code: code, family: family, sentence: sentence, evidence: evidence, remedy: remedy, peer: peer)
    }
    switch found.cause {
    case .scale(let factor): return scaleDiagnosis(factor, peer, evidence)
    case .sign:
      return diagnosis(
        "rangeSign", .radio, "ranges to \(peer) look to shorten where the distance grows",
        "write distances in metres: a signal strength grows towards the peer")
    case .bias:
      return diagnosis(
        "rangeBias", .radio,
        "every range to \(peer) looks \(Format.number(abs(found.bias))) m too \(found.bias > 0 ? "long" : "short")",
        "calibrate the antenna delay, or range_bias: \(Format.number(found.bias)) in uwb0/sensor.yaml")
    case .clock(let late):
      return diagnosis(
        "radioClock", .radio,
        "ranges to \(peer) look stamped \(Format.number(abs(late))) s \(late > 0 ? "late" : "early")"
          + (usesOdometry ? ", or the tracker's path so much \(late > 0 ? "early" : "late")" : ""),
        "put radio and motion on one clock: shift uwb0's stamps by \(Format.number(-late)) s")
    }
  }

  /// Whether all links share what is wrong: a radio's clock, a path's scale. A unit or an antenna's delay may be one
  /// peer's.
  private func isShared(_ cause: RangeConsistency.Cause) -> Bool {
    switch cause {
    case .clock: true
    case .scale(let factor): usesOdometry && factor <= Self.leastUnit
    case .bias, .sign: false
    }
  }

  /// Adds what the other links say of the same cause: `sum_j log L_j(cause) - log L_j(null)`.
  private func pool(_ found: inout RangeConsistency.Outcome, from peer: String) {
    for other in links.keys.sorted() where other != peer {
      guard let evidence = links[other]!.evidence(for: found.cause, path) else { continue }
      found.ratio += evidence.ratio
      found.parts += evidence.parts
      found.count += evidence.count
    }
  }

  /// Ranges and a path that differ by a factor: which of the two is wrong only the factor can tell.
  func scaleDiagnosis(_ factor: Double, _ peer: String, _ evidence: String) -> Diagnosis {
    if usesOdometry, factor <= Self.leastUnit {
      return Diagnosis(
        code: "odometryScale", family: .odometry,
        sentence:
          "the tracker's path looks about \(Format.number(1 / factor)) times as long as the ranges to \(peer) say",
        evidence: evidence,
        remedy: "multiply odometry0's positions by about \(Format.number(factor)), or check the ranges' unit",
        peer: nil)
    }
    return Diagnosis(
      code: "rangeUnit", family: .radio,
      sentence: "ranges to \(peer) look about \(Format.number(factor)) times as long as the path says",
      evidence: evidence, remedy: "multiply ranges by about \(Format.number(1 / factor))", peer: peer)
  }
}
