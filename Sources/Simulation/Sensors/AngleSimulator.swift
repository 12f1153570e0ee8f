import Foundation
import Geometry

/// The angle of arrival that a radio with several patches measures: `azimuth = atan2(u.x, -u.z)`, `elevation = asin(u.y)`
/// with the unit vector u to the peer in device axes, each with white noise.
struct AngleSimulator {
  /// Half the width of the field in which angles are measured, radians; outside there are none.
  static let reach = Angle.degrees(60)

  private let noise: Double?
  private var random: SeededRandom

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    noise = settings.angleNoise
    random = SeededRandom(seed: seed, stream: RandomStream.angles(peer: index))
  }

  /// The angles (radians) to a peer that is at `deviceToPeer` in device axes; nil outside of the field, or where the
  /// radio measures none.
  mutating func measure(_ deviceToPeer: Vector3) -> (azimuth: Double, elevation: Double)? {
    guard let noise else { return nil }
    let errors = (random.gaussian() * noise, random.gaussian() * noise)
    let u = deviceToPeer.normalized
    let azimuth = atan2(u.x, -u.z)
    let elevation = asin(min(max(u.y, -1), 1))
    guard abs(azimuth) < Self.reach, abs(elevation) < Self.reach else { return nil }
    return (azimuth + errors.0, elevation + errors.1)
  }
}
