import Foundation
import Geometry

/// Where a range was taken, and how the device was held: what its errors may be bound to.
package struct RangingPose: Equatable, Sendable {
  /// Antenna position, world, metres.
  package var antenna: Vector3
  /// Attitude of the device.
  package var worldFromDevice: Rotation
  /// Id of the antenna, which has a pattern of its own; nil: the only one.
  package var antennaID: String?

  /// A pose from its parts.
  package init(antenna: Vector3, worldFromDevice: Rotation = .identity, antennaID: String? = nil) {
    self.antenna = antenna
    self.worldFromDevice = worldFromDevice
    self.antennaID = antennaID
  }

  /// Unit vector to a place (world, metres) in device axes.
  package func direction(to place: Vector3) -> Vector3 {
    (worldFromDevice.inverse * (place - antenna)).normalized
  }
}

extension RangeErrorModel {
  /// Covariance of the errors of two ranges that are bound to their poses, square metres, for a peer at `peer` (world,
  /// metres).
  package func boundCovariance(_ a: RangingPose, _ b: RangingPose, peer: Vector3) -> Double {
    (field?.covariance(a, b) ?? 0) + (pattern?.covariance(a, b, peer: peer) ?? 0)
  }
}

extension RangeErrorModel.PoseField {
  /// `s^2 exp(-|x - x'|^2 / (2 l^2)) exp(-(1 - cos(R, R')) / a^2)`, square metres.
  fileprivate func covariance(_ a: RangingPose, _ b: RangingPose) -> Double {
    var exponent = -(a.antenna - b.antenna).squaredNorm / (2 * length * length)
    if let angle {
      let half = a.worldFromDevice.w * b.worldFromDevice.w + a.worldFromDevice.v.dot(b.worldFromDevice.v)
      exponent -= 2 * max(1 - half * half, 0) / (angle * angle)
    }
    return deviation * deviation * exp(exponent)
  }
}

extension RangeErrorModel.Pattern {
  /// Square metres; none between two antennas.
  fileprivate func covariance(_ a: RangingPose, _ b: RangingPose, peer: Vector3) -> Double {
    guard a.antennaID == b.antennaID else { return 0 }
    let cosine = min(max(a.direction(to: peer).dot(b.direction(to: peer)), -1), 1)
    // Legendre's polynomials by Bonnet's recursion.
    var (before, value, sum) = (1.0, cosine, cosine)
    for l in stride(from: 1.0, to: Double(degree), by: 1) {
      (before, value) = (value, ((2 * l + 1) * cosine * value - l * before) / (l + 1))
      sum += value
    }
    return deviation * deviation * sum / Double(degree)
  }
}
