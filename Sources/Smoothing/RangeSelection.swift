import Geometry
import Ranging
import SensorData

/// The ranges of a recording by peer and antenna, in time order, with the positions of the antennas.
package struct RangeSelection {
  /// Ranges of one antenna to one peer.
  package struct Series {
    /// The antenna in the IMU's axes, metres.
    package var antenna: Vector3
    /// In time order, timestamps unique.
    package var ranges: [RangeMeasurement]
  }

  /// By peer, sorted by its id; then by antenna.
  package let links: [[Series]]

  /// Excludes ranges of unknown antennas, ranges that are not finite and positive, and duplicates.
  package init(_ ranges: [RangeMeasurement], radio: RadioCalibration?, imu: IMUCalibration) {
    let imuFromBody = imu.bodyFromIMU.inverse
    let peers = Dictionary(grouping: ranges.filter { $0.range.isFinite && $0.range > 0 }, by: \.peer)
    links = peers.sorted { $0.key < $1.key }.map { _, own in
      Dictionary(grouping: own) { $0.antenna ?? "" }.sorted { $0.key < $1.key }.compactMap { name, ranges in
        let known = radio?.position(of: name.isEmpty ? nil : name) ?? (name.isEmpty ? .zero : nil)
        guard let position = known else { return nil }
        var ordered: [RangeMeasurement] = []
        for range in ranges.sorted(by: { $0.timestamp < $1.timestamp })
        where ordered.last.map({ $0.timestamp < range.timestamp }) ?? true { ordered.append(range) }
        var detector = DuplicateRangeDetector()
        let unique = ordered.filter { !detector.isDuplicate($0, antenna: nil) }
        return Series(antenna: imuFromBody * position, ranges: unique)
      }
    }
  }
}
