import Foundation
import Geometry
import SensorData

extension DeviceProfile {
  /// A range as this device's radio measures it: always the distance, the angles of arrival only within Apple's
  /// guidance.
  ///
  /// Angles are removed on a device that has none, outside its cone, beyond `directionReach`, at a reported NLOS
  /// probability above 0.5, and while either phone is held in landscape. The finder, too, processes the result.
  ///
  /// - Parameters:
  ///   - own: how this device is held; nil for not known, which removes nothing.
  ///   - other: how the peer is held.
  package func measured(_ range: RangeMeasurement, own: Holding?, other: Holding?) -> RangeMeasurement {
    guard !measuresDirection(of: range, own: own, other: other) else { return range }
    var range = range
    (range.azimuth, range.elevation, range.angleStandardDeviation) = (nil, nil, nil)
    return range
  }

  private func measuresDirection(of range: RangeMeasurement, own: Holding?, other: Holding?) -> Bool {
    guard capabilities.contains(.direction), range.range <= directionReach, range.nonLineOfSight ?? 0 <= 0.5,
      own != .landscape, other != .landscape, let azimuth = range.azimuth
    else { return false }
    return cos(azimuth) * cos(range.elevation ?? 0) >= cos(directionConeHalfAngle)
  }
}
