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
  private static let leastShare = 0.01

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

/// Where a peer may be at one time: the modes of its posterior.
package struct PosteriorMoment: Equatable, Sendable {
  /// One place where it may be.
  package struct Place: Equatable, Sendable {
    /// Its probability, 0...1.
    package var share: Double
    /// Unit vector to it from the device, estimate's world.
    package var direction: Vector3
    /// Metres from the device.
    package var distance: Double
    /// 1-sigma of the direction, sideways and upwards, radians.
    package var sideways: Double
    package var upwards: Double

    /// A place from its parts.
    package init(share: Double, direction: Vector3, distance: Double, sideways: Double, upwards: Double) {
      self.share = share
      self.direction = direction
      self.distance = distance
      self.sideways = sideways
      self.upwards = upwards
    }
  }

  /// When.
  package var timestamp: Timestamp
  /// The likeliest first.
  package var places: [Place]

  /// A moment from its parts.
  package init(timestamp: Timestamp, places: [Place]) {
    self.timestamp = timestamp
    self.places = places
  }
}

/// The 90 % confidence region of a Gaussian point in a plane.
package struct Ellipse: Equatable, Sendable {
  /// Squared half axes are the variances times this: the 90 % quantile of chi-square with two degrees of freedom, -2 ln
  /// 0.1.
  static let scale = -2 * log(0.1)

  /// The longer half axis, metres.
  package var major: Double
  /// The shorter half axis, metres.
  package var minor: Double
  /// Direction of the longer one, radians, counter-clockwise from the plane's first axis, (-pi/2, pi/2].
  package var direction: Double

  /// The ellipse of the covariance `[[xx, xy], [xy, yy]]`, m^2; nil unless it is finite and has no negative variance.
  package init?(xx: Double, xy: Double, yy: Double) {
    let middle = (xx + yy) / 2
    let radius = hypot((xx - yy) / 2, xy)
    guard middle.isFinite, radius.isFinite, xx >= 0, yy >= 0 else { return nil }
    major = (Self.scale * (middle + radius)).squareRoot()
    minor = (Self.scale * max(0, middle - radius)).squareRoot()
    direction = radius == 0 ? 0 : atan2(2 * xy, xx - yy) / 2
  }
}
