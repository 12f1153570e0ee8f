import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import RunResults

/// Everything that the page draws, computed and rounded: the script only draws it.
package enum ReportModel {
  /// Largest number of drawn updates of all peers together: it keeps a page under a megabyte.
  private static let updateBudget = 4800

  /// The verdict on every peer with updates, by name.
  package static func verdicts(_ input: ReportInput) -> [PeerVerdict] {
    let updates = Dictionary(grouping: input.run.updates.filter { $0.peer != nil }, by: { $0.peer! })
    return updates.sorted { $0.key < $1.key }.map { verdict(on: $0.key, $0.value, input) }
  }

  private static func verdict(on peer: String, _ updates: [UpdateRecord], _ input: ReportInput) -> PeerVerdict {
    PeerVerdict(
      on: peer, status: updates[updates.count - 1].status,
      hasConverged: updates.contains { $0.status == "converged" }, errors: input.errors.peers[peer],
      run: input.verdict)
  }

  /// The model of a run.
  ///
  /// - Parameter runs: how many share the page, and its budget of drawn updates.
  package static func json(_ input: ReportInput, runs: Int = 1) -> JSONValue {
    let time = TimeAxis(input.run)
    let map = MapFrame(first: input.run.poses.first?.worldFromBody, bodyFromDevice: input.bodyFromDevice)
    let path = PathSeries(input, map: map, time: time)
    let updates = Dictionary(grouping: input.run.updates.filter { $0.peer != nil }, by: { $0.peer! })
    let limit = max(20, updateBudget / max(1, updates.count * runs))
    return [
      "name": .string(input.name), "title": .string(input.run.result?["title"]?.text),
      "version": .string(input.version),
      "span": Columns.numbers([time.span.lowerBound, time.span.upperBound], 3),
      "notes": .texts(notes(input, updates, limit)),
      "headingIsKnown": .bool(input.bodyFromDevice != nil),
      "neesBand": Columns.significant([NormalizedErrors.band.lowerBound, NormalizedErrors.band.upperBound]),
      "path": path.json, "nees": path.normalizedErrors, "camera": CameraSeries.json(input, time: time),
      "verdict": input.verdict?.json ?? .null, "line": .string(input.verdict?.line),
      "peers": .array(
        worstFirst(updates, input).map { peer, updates, verdict in
          let series = PeerSeries(peer, updates, input, map: map, time: time, limit: limit)
          let errors = input.errors.peers[peer]
          let converged = updates.first { $0.status == "converged" }
          return [
            "id": .string(peer), "finding": .string(verdict.finding.rawValue),
            "honesty": .string(verdict.honesty.answer.rawValue), "setUp": .string(verdict.state.rawValue),
            "words": .string(verdict.words), "causes": .texts(verdict.causes),
            "headline": .string(
              Headline.of(
                last: updates[updates.count - 1], convergedAt: converged.map { time.seconds($0.timestamp) },
                errors: errors, setUp: verdict.setUp)),
            "facts": Facts.json(input.errors.trajectory, errors, last: updates[updates.count - 1]),
            "series": series.json,
          ]
        }),
      "configuration": FoldOut.rows(input.run.result?["configuration"]),
      "inputs": FoldOut.rows(merged(input.run.result?["inputs"], input.run.result?["groundTruth"])),
      "counts": FoldOut.rows(input.run.result?["counts"]),
    ]
  }

  /// The peers with their updates, in the order of the page: the one that needs attention most opens first.
  private static func worstFirst(
    _ updates: [String: [UpdateRecord]], _ input: ReportInput
  ) -> [(peer: String, updates: [UpdateRecord], verdict: PeerVerdict)] {
    updates.map { ($0, $1, verdict(on: $0, $1, input)) }.sorted { a, b in
      a.2.rank == b.2.rank ? a.0 < b.0 : a.2.rank < b.2.rank
    }
  }

  /// Notes for the reader of the page.
  private static func notes(_ input: ReportInput, _ updates: [String: [UpdateRecord]], _ limit: Int) -> [String] {
    var notes: [String] = []
    if updates.isEmpty { notes.append("No ranges were received.") }
    if input.verdict == nil {
      notes.append("The run gave no verdict (an older version of fuse): whether its set-up holds is not known.")
    }
    if input.run.poses.isEmpty { notes.append("There is no trajectory: nothing can be drawn on the plan.") }
    if input.bodyFromDevice == nil {
      notes.append("The recording is not available: headings and ground truth are not known.")
    } else if input.truth.isEmpty {
      notes.append("The recording has no ground truth: there is nothing to compare with.")
    }
    if input.run.isThinned {
      notes.append("A very long recording: of every few updates one is drawn; figures are of all.")
    } else if updates.values.contains(where: { $0.count > limit }) {
      notes.append("A long recording: not every update is drawn, but every extreme is.")
    }
    return notes
  }

  private static func merged(_ a: JSONValue?, _ b: JSONValue?) -> JSONValue? {
    guard case .object(let first)? = a else { return b }
    guard case .object(let second)? = b else { return a }
    return .object(first + second)
  }
}

/// The input of a report: a run, and the known data of its recording.
package struct ReportInput: Sendable {
  /// The run.
  package var run: RunFolder
  /// The name of the run on the page.
  package var name: String
  /// The program's version.
  package var version: String
  /// Device axes in the body; nil without the recording: then no heading is drawn.
  package var bodyFromDevice: Pose?
  /// The true trajectory; empty where there is none.
  package var truth: TruthTrajectory
  /// The true positions of the peers; empty where there are none.
  package var truePeers: TruthPeers
  /// Errors of the run. Without ground truth they still contain the spans of convergence.
  package var errors: Judge.Errors
  /// The run's verdict; nil for a run of a version that had none.
  package var verdict: RunVerdict?
  /// Where each peer may be, over time; empty where the recording was not replayed.
  package var posterior: [String: [PosteriorMoment]] = [:]
  /// What the camera saw; nil where the recording was not replayed, or has no camera.
  package var camera: CameraView?

  /// An input from its parts.
  package init(
    run: RunFolder, name: String, version: String, bodyFromDevice: Pose?, truth: TruthTrajectory,
    truePeers: TruthPeers, errors: Judge.Errors, verdict: RunVerdict? = nil,
    posterior: [String: [PosteriorMoment]] = [:],
    camera: CameraView? = nil
  ) {
    self.run = run
    self.name = name
    self.version = version
    self.bodyFromDevice = bodyFromDevice
    self.truth = truth
    self.truePeers = truePeers
    self.errors = errors
    self.verdict = verdict ?? run.verdict
    self.posterior = posterior
    self.camera = camera
  }
}

/// The plan of a report: x right, y up on the page, z up, metres, origin at the device's first position.
///
/// Up on the page is the device's first heading, or the y axis of the estimate's world without known device axes.
struct MapFrame {
  /// Transform from the estimate's world to the plan.
  let mapFromWorld: Pose
  private let bodyFromDevice: Pose?

  /// The plan of a trajectory with the first pose `first`.
  init(first: Pose?, bodyFromDevice: Pose?) {
    self.bodyFromDevice = bodyFromDevice
    guard let first else {
      mapFromWorld = .identity
      return
    }
    let start = first * (bodyFromDevice ?? .identity)
    var rotation = Rotation.identity
    if bodyFromDevice != nil {
      rotation = .yaw(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: start.rotation))
    }
    mapFromWorld = Pose(rotation: rotation, translation: -(rotation * start.translation))
  }

  /// Position of the device on the plan, metres.
  func position(_ worldFromBody: Pose) -> Vector3 {
    mapFromWorld * (worldFromBody * (bodyFromDevice ?? .identity)).translation
  }

  /// Heading of the device, degrees clockwise from up on the page; nil without known device axes.
  func heading(_ worldFromBody: Pose) -> Double? {
    guard let bodyFromDevice else { return nil }
    let mapFromDevice = mapFromWorld.rotation * worldFromBody.rotation * bodyFromDevice.rotation
    return Angle.inDegrees(Angle.wrapped(.pi / 2 - HorizontalAngle.aheadAzimuth(worldFromDevice: mapFromDevice)))
  }

  /// A covariance of the estimate's world, on the plan.
  func covariance(_ world: Matrix3) -> Matrix3 {
    let rotation = mapFromWorld.rotation.matrix
    return rotation * world * rotation.transpose
  }
}
