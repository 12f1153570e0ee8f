import Foundation
import Geometry
import Ranging

/// One place where a peer may be: hypotheses whose directions are within a cone of each other.
package struct Place: Equatable, Sendable {
  /// Half the angle of the cone, radians.
  static let cone = Double.pi / 9
  /// Places below this share are left out.
  static let smallest = 1e-4

  /// Share of the posterior, 0...1.
  package let share: Double
  /// Gaussians in it.
  package let count: Int
  /// Unit vector to it from the device, world.
  package let direction: Vector3
  /// Metres from the device.
  package let distance: Double
  /// Horizontal angle from straight ahead, positive right, and elevation above the device, radians.
  package let horizontalAngle, elevation: Double
  /// 1-sigma of the direction within the place, sideways and upwards, radians.
  package let sideways, upwards: Double

  /// The places of a posterior, likeliest first: the heaviest Gaussian gathers what lies within the cone about it, then the heaviest
  /// of the rest.
  package static func places(of belief: PosteriorView) -> [Place] {
    let origin = belief.worldFromDevice.translation
    let sorted = belief.places.sorted { $0.weight > $1.weight }
    var rest = sorted.map { (gaussian: $0, direction: ($0.position - origin).normalized) }
    var places: [Place] = []
    while let first = rest.first {
      let members = rest.filter { $0.direction.dot(first.direction) >= cos(cone) }
      rest.removeAll { $0.direction.dot(first.direction) >= cos(cone) }
      let place = Place(members.map(\.gaussian), worldFromDevice: belief.worldFromDevice)
      if place.share >= smallest { places.append(place) }
    }
    return places.sorted { $0.share > $1.share }
  }

  private init(_ members: [PositionGaussian], worldFromDevice: Pose) {
    let origin = worldFromDevice.translation
    let share = members.reduce(0) { $0 + $1.weight }
    self.share = share
    count = members.count
    var sum = Vector3.zero
    var length = 0.0
    for g in members {
      let d = g.position - origin
      sum += g.weight * d.normalized
      length += g.weight * d.norm
    }
    let u = sum.normalized
    direction = u
    distance = length / max(share, 1e-300)
    horizontalAngle = HorizontalAngle.of(u, worldFromDevice: worldFromDevice.rotation)
    elevation = asin(min(max(u.z, -1), 1))
    let (across, up) = Place.axes(u)
    func spread(_ axis: Vector3) -> Double {
      let variance = members.reduce(0.0) { sum, g in
        let d = g.position - origin
        let r = max(d.norm, 1e-3)
        let off = d.dot(axis) / r
        return sum + g.weight * (off * off + max(g.covariance.form(axis, axis), 0) / (r * r))
      }
      return (variance / max(share, 1e-300)).squareRoot()
    }
    (sideways, upwards) = (spread(across), spread(up))
  }

  /// 1-sigma along an axis, of a unit direction.
  func width(along axis: Vector3) -> Double {
    let (across, up) = Place.axes(direction)
    let (a, b) = (sideways * axis.dot(across), upwards * axis.dot(up))
    return (a * a + b * b).squareRoot()
  }

  /// The horizontal and the steep axis across a direction.
  static func axes(_ u: Vector3) -> (across: Vector3, up: Vector3) {
    let level = Vector3(0, 0, 1).cross(u)
    let across = level.norm > 1e-6 ? level.normalized : Vector3(1, 0, 0)
    return (across, u.cross(across))
  }
}
