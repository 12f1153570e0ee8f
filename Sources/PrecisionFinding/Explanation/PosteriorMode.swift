import Foundation
import Geometry
import Ranging

/// One mode of the posterior: hypotheses whose directions are within a cone of each other.
package struct PosteriorMode: Equatable, Sendable {
  /// Half the angle of the cone, radians.
  static let cone = Double.pi / 9
  /// Modes below this probability are left out.
  static let smallest = 1e-4

  /// Probability of the mode, 0...1.
  package let probability: Double
  /// Gaussians in it.
  package let count: Int
  /// Unit vector to it from the device, world.
  package let direction: Vector3
  /// Metres from the device.
  package let distance: Double
  /// Horizontal angle from straight ahead, positive right, and elevation above the device, radians.
  package let horizontalAngle, elevation: Double
  /// 1-sigma of the direction within the mode, sideways and upwards, radians.
  package let sideways, upwards: Double

  /// The modes of a posterior, likeliest first: the heaviest Gaussian collects those within the cone about it, then the
  /// heaviest of the rest.
  package static func modes(of view: PosteriorView) -> [PosteriorMode] {
    let origin = view.worldFromDevice.translation
    let sorted = view.gaussiansWithImages.sorted { $0.weight > $1.weight }
    var rest = sorted.map { (gaussian: $0, direction: ($0.position - origin).normalized) }
    var modes: [PosteriorMode] = []
    while let first = rest.first {
      let members = rest.filter { $0.direction.dot(first.direction) >= cos(cone) }
      rest.removeAll { $0.direction.dot(first.direction) >= cos(cone) }
      let mode = PosteriorMode(members.map(\.gaussian), worldFromDevice: view.worldFromDevice)
      if mode.probability >= smallest { modes.append(mode) }
    }
    return modes.sorted { $0.probability > $1.probability }
  }

  private init(_ members: [PositionGaussian], worldFromDevice: Pose) {
    let origin = worldFromDevice.translation
    let probability = members.reduce(0) { $0 + $1.weight }
    self.probability = probability
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
    distance = length / max(probability, 1e-300)
    horizontalAngle = HorizontalAngle.of(u, worldFromDevice: worldFromDevice.rotation)
    elevation = asin(min(max(u.z, -1), 1))
    let (across, up) = PosteriorMode.axes(u)
    func spread(_ axis: Vector3) -> Double {
      let variance = members.reduce(0.0) { sum, g in
        let d = g.position - origin
        let r = max(d.norm, 1e-3)
        let off = d.dot(axis) / r
        return sum + g.weight * (off * off + max(g.covariance.form(axis, axis), 0) / (r * r))
      }
      return (variance / max(probability, 1e-300)).squareRoot()
    }
    (sideways, upwards) = (spread(across), spread(up))
  }

  /// 1-sigma along an axis, of a unit direction.
  func width(along axis: Vector3) -> Double {
    let (across, up) = PosteriorMode.axes(direction)
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
