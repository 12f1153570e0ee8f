import Foundation
import Geometry

/// The angle of arrival measured by an antenna array: `azimuth = atan2(u.x, -u.z)`, `elevation = asin(u.y)` with the
/// unit vector u to the peer in device axes, each with white noise.
///
/// An array in one plane, that of the screen, measures only `u.x` and `u.y` by their phases. A peer behind it yields
/// the angles of its reflection in front of it, and the noise of the angle grows with `1 / |u.z|` towards the plane.
/// Source: Dotlic, Connell, Ma, Clancy, McLaughlin, "Angle of arrival estimation using Decawave DW1000 integrated
/// circuits", WPNC 2017, doi:10.1109/WPNC.2017.8250079.
struct AngleSimulator {
  /// One measurement, radians.
  struct Reading {
    let azimuth: Double
    let elevation: Double
    let standardDeviation: Double
  }

  private let settings: Scenario.Angles?
  private var random: SeededRandom
  /// AoA bias of all azimuths and of all elevations of the device, radians.
  private let offset: (azimuth: Double, elevation: Double)

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    self.settings = settings.angles
    random = SeededRandom(seed: seed, stream: RandomStream.angles(peer: index))
    var array = RandomStream.array.generator(seed: seed)
    let deviation = settings.angles?.offset ?? 0
    offset = (deviation * array.gaussian(), deviation * array.gaussian())
  }

  /// The angles to a peer at `deviceToPeer` in device axes; nil outside the angular field, or where the radio measures
  /// none.
  mutating func measure(_ deviceToPeer: Vector3) -> Reading? {
    guard let settings else { return nil }
    var u = deviceToPeer.normalized
    var noise = settings.noise
    if settings.isPlanar {
      u.z = -abs(u.z)
      noise /= max(-u.z, 0.1)
    }
    let errors = (random.gaussian() * noise, random.gaussian() * noise)
    let azimuth = atan2(u.x, -u.z)
    let elevation = asin(min(max(u.y, -1), 1))
    guard abs(azimuth) < settings.reach, abs(elevation) < settings.reach else { return nil }
    // The angular field is that of the true array; only the reported azimuth has the mount's error.
    let reported = Angle.wrapped(
      (settings.isReflected ? -1 : 1) * (azimuth + errors.0) + offset.azimuth - settings.yawOffset)
    return Reading(azimuth: reported, elevation: elevation + errors.1 + offset.elevation, standardDeviation: noise)
  }
}
