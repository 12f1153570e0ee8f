import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import SensorData

/// The places where a peer may be, over time, on the plan.
enum PosteriorSeries {
  /// Largest number of drawn moments.
  static let limit = 300
  /// Places with a smaller share are not drawn.
  static let leastShare = 0.01

  /// Times in seconds; for each the places: share in percent, x, y and z in metres, half the width of the 90 % interval
  /// sideways and upwards in degrees. Null without any.
  static func json(_ moments: [PosteriorMoment], _ input: ReportInput, map: MapFrame, time: TimeAxis) -> JSONValue {
    guard !moments.isEmpty else { return .null }
    let kept = Decimation.kept(count: moments.count, limit: limit, channels: [moments.map { Double($0.places.count) }])
    let poses = input.run.poses
    var (pose, times): (Int, [Double]) = (0, [])
    var places: [JSONValue] = []
    for index in kept {
      let moment = moments[index]
      while pose < poses.count, poses[pose].timestamp <= moment.timestamp { pose += 1 }
      guard pose > 0 else { continue }
      let device = map.position(poses[pose - 1].worldFromBody)
      times.append(time.seconds(moment.timestamp))
      places.append(.array(moment.places.filter { $0.share >= leastShare }.map { json($0, from: device, map: map) }))
    }
    return times.isEmpty ? .null : ["t": Columns.numbers(times, 3), "places": .array(places)]
  }

  private static func json(_ place: PosteriorMoment.Place, from device: Vector3, map: MapFrame) -> JSONValue {
    let point = device + map.mapFromWorld.rotation * place.direction * place.distance
    func half(_ sigma: Double) -> Double { min(180, Angle.inDegrees(NinetyPercent.halfWidth(sigma))) }
    return .array([
      Columns.number(100 * place.share, 0), Columns.number(point.x, 2), Columns.number(point.y, 2),
      Columns.number(point.z, 2), Columns.number(half(place.sideways), 1), Columns.number(half(place.upwards), 1),
    ])
  }
}
