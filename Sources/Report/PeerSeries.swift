import Datasets
import Evaluation
import Geometry
import JSONText
import RunResults
import SensorData

/// The updates of one peer over time, with the truth where there is one.
struct PeerSeries {
  /// One update and the truth at its time.
  private struct Moment {
    var seconds: Double
    var update: UpdateRecord
    var view: TrueView?
    /// The peer's position on the plan, with its covariance.
    var position: Vector3?
    var covariance: Matrix3?
    /// The angle's error, radians.
    var angleError: Double?
  }

  private let peer: String
  private let input: ReportInput
  private let map: MapFrame
  private let time: TimeAxis
  private let moments: [Moment]
  /// Codes of what breaks the set-up, of the device or of this peer's link.
  private let broken: Set<String>
  private let limit: Int

  /// - Parameter limit: largest number of drawn updates; the page notes when there were more.
  init(_ peer: String, _ updates: [UpdateRecord], _ input: ReportInput, map: MapFrame, time: TimeAxis, limit: Int) {
    self.peer = peer
    self.input = input
    self.map = map
    self.time = time
    self.limit = limit
    let findings = input.verdict?.on(peer).findings ?? []
    broken = Set(findings.filter { $0.state == .broken }.map(\.code))
    moments = updates.map { update in
      let view = input.bodyFromDevice.flatMap { bodyFromDevice -> TrueView? in
        guard let worldFromBody = input.truth.worldFromBody(at: update.timestamp),
          let truePosition = input.truePeers.position(of: peer, at: update.timestamp)
        else { return nil }
        return TrueView(worldFromDevice: worldFromBody * bodyFromDevice, peer: truePosition)
      }
      var angleError: Double?
      if let angle = update.horizontalAngle, let view { angleError = Angle.wrapped(angle.value - view.horizontalAngle) }
      return Moment(
        seconds: time.seconds(update.timestamp), update: update, view: view,
        position: update.worldPosition.map { map.mapFromWorld * $0 },
        covariance: update.positionCovariance.map(map.covariance), angleError: angleError)
    }
  }

  /// Metres, degrees, seconds.
  var json: JSONValue {
    let (start, few) = (moments.first?.seconds ?? 0, min(limit, 500))
    let spans = SpanSeries.statuses(moments.map { ($0.seconds, $0.update) }, refuted: refuted, limit: few)
    return [
      "spans": spans,
      "camera": SpanSeries.words(moments.map { ($0.seconds, $0.update.details["camera"]?.text) }, limit: few),
      "updates": updates, "ranges": ranges, "truth": truePositions,
      "posterior": PosteriorSeries.json(input.posterior[peer] ?? [], input, map: map, time: time),
      "nees": input.errors.peers[peer].map {
        NormalizedErrorSeries.json($0.positionNEES, from: start, limit: few)
      } ?? .null,
    ]
  }

  /// The code of a premise that the verdict calls refuted and an update names; nil for none.
  private func refuted(_ update: UpdateRecord) -> String? {
    guard case .object(let found)? = update.details["findings"] else { return nil }
    return found.first { broken.contains($0.key) }?.key
  }

  private var updates: JSONValue {
    let angles = moments.map { $0.update.horizontalAngle?.value }
    let widths = moments.map { moment in moment.update.horizontalAngle.map { $0.high - $0.low } }
    let kept = Decimation.kept(
      count: moments.count, limit: limit,
      channels: [
        angles, moments.map(\.angleError), widths, moments.map(\.update.distance), angles.map { $0 == nil ? 0 : 1 },
        moments.map { $0.position == nil ? 0 : 1 },
      ]
    ).map { moments[$0] }
    func numbers(_ decimals: Int, _ value: (Moment) -> Double?) -> JSONValue {
      Columns.numbers(kept.map(value), decimals)
    }
    func degrees(_ value: (Moment) -> Double?) -> JSONValue { numbers(2) { value($0).map(Angle.inDegrees) } }
    return [
      "t": numbers(3) { $0.seconds },
      "distance": numbers(3) { $0.update.distance }, "distanceStd": numbers(3) { $0.update.distanceStandardDeviation },
      "trueDistance": numbers(3) { $0.view?.distance },
      "angle": degrees { $0.update.horizontalAngle?.value }, "angleError": degrees { $0.angleError },
      // The interval's ends from the angle: how far to the left and to the right of it.
      "low": degrees { $0.update.horizontalAngle?.reach.lowerBound },
      "high": degrees { $0.update.horizontalAngle?.reach.upperBound },
      "trueAngle": degrees { $0.view?.horizontalAngle },
      "level": Columns.words(kept.map(\.update.verticalDirectionEstimate)),
      "trueLevel": Columns.words(kept.map { $0.view?.level.rawValue }),
      "quality": Columns.words(kept.map(\.update.quality)), "status": Columns.words(kept.map(\.update.status)),
      "guidance": Columns.words(kept.map(\.update.guidance)),
      "refuted": Columns.words(kept.map { refuted($0.update) }),
      "x": numbers(3) { $0.position?.x }, "y": numbers(3) { $0.position?.y }, "z": numbers(3) { $0.position?.z },
      "top": ellipses(kept.map { $0.covariance.flatMap { Ellipse(xx: $0[0, 0], xy: $0[0, 1], yy: $0[1, 1]) } }),
      "ahead": ellipses(kept.map { $0.covariance.flatMap { Ellipse(xx: $0[1, 1], xy: $0[1, 2], yy: $0[2, 2]) } }),
      "right": ellipses(kept.map { $0.covariance.flatMap { Ellipse(xx: $0[0, 0], xy: $0[0, 2], yy: $0[2, 2]) } }),
    ]
  }

  /// Half axes in metres, direction of the longer one in degrees from the first axis of the plane.
  private func ellipses(_ ellipses: [Ellipse?]) -> JSONValue {
    [
      "a": Columns.numbers(ellipses.map { $0?.major }, 3), "b": Columns.numbers(ellipses.map { $0?.minor }, 3),
      "rotation": Columns.numbers(ellipses.map { $0.map { Angle.inDegrees($0.direction) } }, 1),
    ]
  }

  /// Every range: its value, use, normalised innovation, and the position of the device.
  private var ranges: JSONValue {
    var rows: [(seconds: Double, range: Double, use: String, innovation: Double?, position: Vector3?)] = []
    var pose = 0
    let poses = input.run.poses
    for moment in moments {
      guard let range = moment.update.details["range"]?.double else { continue }
      while pose < poses.count, poses[pose].timestamp <= moment.update.timestamp { pose += 1 }
      var innovation: Double?
      if let value = moment.update.details["innovation"]?.double,
        let sigma = moment.update.details["innovationStd"]?.double, sigma > 0
      {
        innovation = value / sigma
      }
      rows.append(
        (
          moment.seconds, range, moment.update.details["rangeUse"]?.text ?? "used", innovation,
          pose > 0 ? map.position(poses[pose - 1].worldFromBody) : nil
        ))
    }
    let kept = Decimation.sampled(
      count: rows.count, limit: limit,
      channels: [rows.map(\.range), rows.map(\.innovation), rows.map { $0.use == "rejected" ? 1 : 0 }])
    // Only rejected ranges are marked along the path.
    func coordinate(_ axis: (Vector3) -> Double) -> JSONValue {
      Columns.numbers(kept.map { rows[$0].use == "rejected" ? rows[$0].position.map(axis) : nil }, 3)
    }
    return [
      "t": Columns.numbers(kept.map { rows[$0].seconds }, 3), "range": Columns.numbers(kept.map { rows[$0].range }, 3),
      "use": Columns.words(kept.map { rows[$0].use }),
      "innovation": Columns.numbers(kept.map { rows[$0].innovation }, 2),
      "x": coordinate(\.x), "y": coordinate(\.y), "z": coordinate(\.z),
    ]
  }

  /// True positions of the peer on the plan: one, or several of a moving peer; null where unknown.
  private var truePositions: JSONValue {
    guard let alignment = input.errors.trajectory?.truthFromEstimate else { return .null }
    let mapFromTruth = map.mapFromWorld * alignment.inverse
    var positions: [Vector3] = []
    for moment in moments {
      guard let position = input.truePeers.position(of: peer, at: moment.update.timestamp) else { continue }
      if positions.last != position { positions.append(position) }
    }
    let kept = Decimation.kept(count: positions.count, limit: 200, channels: [positions.map(\.x), positions.map(\.y)])
      .map { mapFromTruth * positions[$0] }
    guard !kept.isEmpty else { return .null }
    return [
      "x": Columns.numbers(kept.map(\.x), 3), "y": Columns.numbers(kept.map(\.y), 3),
      "z": Columns.numbers(kept.map(\.z), 3),
    ]
  }
}

extension UpdateRecord.AngleEstimate {
  /// The ends of the interval relative to the value, radians; the interval may cross pi.
  var reach: ClosedRange<Double> {
    let half = max(0, (high - low) / 2)
    let middle = Angle.wrapped(low + half - value)
    return (middle - half)...(middle + half)
  }
}

/// What a run came to for one peer, in a few words: whether its set-up holds, whether it was found, and whether its
/// uncertainty was honest.
package struct PeerVerdict: Equatable, Sendable {
  /// How the search ended.
  package enum Finding: String, Sendable {
    /// Converged at the end.
    case found
    /// Converged before, not at the end.
    case lost
    /// Never converged.
    case notYet = "not yet"
  }

  /// The run's verdict, of the device and of this peer.
  package var setUp: RunVerdict
  /// How the search ended.
  package var finding: Finding
  /// What ground truth says about the stated uncertainty.
  package var honesty: Honesty
  /// Share of 90 % intervals that hold the truth, the lesser of angle and distance; nil without ground truth.
  private var coverage: Double?

  /// The verdict on a peer.
  ///
  /// - Parameters:
  ///   - peer: its name.
  ///   - status: of its last update.
  ///   - hasConverged: whether any update was `converged`.
  ///   - errors: its errors against ground truth.
  ///   - run: the run's verdict; nil where none is known.
  package init(on peer: String, status: String, hasConverged: Bool, errors: PeerErrors?, run: RunVerdict?) {
    finding = status == "converged" ? .found : hasConverged ? .lost : .notYet
    honesty = Honesty(errors)
    coverage = [errors?.coverage90, errors?.distanceCoverage90].compactMap(\.self).min()
    setUp = run?.on(peer) ?? RunVerdict([])
  }

  /// The state of the badge: what the set-up makes of it, beyond what ground truth says.
  package var state: RunVerdict.State { setUp.state }

  /// `set-up broken`; `found, over-confident`; `found, honest`.
  package var words: String {
    if state == .broken { return setUp.words }
    let doubt = state == .doubtful && honesty.answer != .overConfident ? setUp.words : nil
    let own = honesty.answer == .unknown ? nil : honesty.answer.rawValue
    return ([finding.rawValue] + [doubt ?? own].compactMap(\.self)).joined(separator: ", ")
  }

  /// What stands behind these words, a line each.
  package var causes: [String] {
    setUp.findings.filter { $0.code != "overConfident" }.map(\.words) + honesty.faults
  }

  /// Worst first: a broken set-up, then what is wrong, doubtful, lost, not found; the same by how seldom its intervals hold
  /// the truth.
  package var rank: (Int, Double) { (kind, coverage ?? 1) }

  private var kind: Int {
    if state == .broken { return 0 }
    if honesty.answer == .overConfident { return 1 }
    if state == .doubtful { return 2 }
    return switch finding {
    case .lost: 3
    case .notYet: 4
    case .found: 5
    }
  }

  /// The rank of a run in which no peer was heard.
  static func rankWithoutPeers(_ run: RunVerdict?) -> (Int, Double) { (run?.state == .broken ? 0 : 2, 1) }
}
