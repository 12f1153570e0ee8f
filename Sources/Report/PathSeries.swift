import Datasets
import Evaluation
import Geometry
import JSONText
import SensorData

/// The device's path: the estimate, the truth aligned to it, and the normalised errors of its poses.
struct PathSeries {
  /// Largest number of drawn poses.
  static let limit = 1500

  private let input: ReportInput
  private let map: MapFrame
  private let time: TimeAxis

  init(_ input: ReportInput, map: MapFrame, time: TimeAxis) {
    self.input = input
    self.map = map
    self.time = time
  }

  /// Times in seconds, positions in metres, headings in degrees clockwise from up on the page.
  var json: JSONValue {
    let poses = input.run.poses
    let points = poses.map { map.position($0.worldFromBody) }
    let kept = Decimation.kept(
      count: poses.count, limit: Self.limit, channels: [points.map(\.x), points.map(\.y), points.map(\.z)])
    return [
      "t": Columns.numbers(kept.map { time.seconds(poses[$0].timestamp) }, 3),
      "x": Columns.numbers(kept.map { points[$0].x }, 3), "y": Columns.numbers(kept.map { points[$0].y }, 3),
      "z": Columns.numbers(kept.map { points[$0].z }, 3),
      "heading": Columns.numbers(kept.map { map.heading(poses[$0].worldFromBody) }, 1),
      "truth": truth(kept.map { poses[$0].timestamp }),
    ]
  }

  /// The true path at the same times; null where worlds cannot be aligned.
  private func truth(_ moments: [Timestamp]) -> JSONValue {
    guard let alignment = input.errors.trajectory?.alignment else { return .null }
    let points = moments.map { moment -> Vector3? in
      guard let truthFromEstimate = alignment.truthFromEstimate(at: moment),
        let pose = input.truth.worldFromBody(at: moment)
      else { return nil }
      return map.position(truthFromEstimate.inverse * pose)
    }
    return [
      "x": Columns.numbers(points.map { $0?.x }, 3), "y": Columns.numbers(points.map { $0?.y }, 3),
      "z": Columns.numbers(points.map { $0?.z }, 3),
    ]
  }

  /// Normalised errors of position and attitude.
  var normalizedErrors: JSONValue {
    guard let errors = input.errors.trajectory,
      let first = input.run.poses.first(where: { input.truth.worldFromBody(at: $0.timestamp) != nil })
    else { return .null }
    let start = time.seconds(first.timestamp)
    return [
      "position": NormalizedErrorSeries.json(errors.positionNEES, from: start),
      "attitude": NormalizedErrorSeries.json(errors.attitudeNEES, from: start),
    ]
  }
}
