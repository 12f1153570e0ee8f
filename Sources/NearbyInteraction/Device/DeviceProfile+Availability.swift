import Foundation
import Geometry
import SensorData

extension DeviceProfile {
  /// What this device's radio knows of a range: the distance always, the angles only where Apple's guidance lets one hope for
  /// them.
  ///
  /// Angles are withheld on a device that has none, outside its cone, beyond `directionReach`, with something in between (the
  /// radio's own guess), and while either phone is held in landscape. Whoever uses the range, the finder too, sees what is
  /// left.
  ///
  /// - Parameters:
  ///   - own: how this device is held; nil for not known, which withholds nothing.
  ///   - other: how the peer is held.
  package func measured(_ range: RangeMeasurement, own: Holding?, other: Holding?) -> RangeMeasurement {
    guard !tellsDirection(of: range, own: own, other: other) else { return range }
    var range = range
    (range.azimuth, range.elevation, range.angleStandardDeviation) = (nil, nil, nil)
    return range
  }

  private func tellsDirection(of range: RangeMeasurement, own: Holding?, other: Holding?) -> Bool {
    guard capabilities.contains(.direction), range.range <= directionReach, range.nonLineOfSight ?? 0 <= 0.5,
      own != .landscape, other != .landscape, let azimuth = range.azimuth
    else { return false }
    return cos(azimuth) * cos(range.elevation ?? 0) >= cos(directionConeHalfAngle)
  }
}
