import Foundation
import Geometry
import PrecisionFinding
import SensorData

/// Converts estimates to `NINearbyObject`s: which reason withholds which output, and whether a device of this profile
/// publishes a direction.
package struct ObjectPresenter: Sendable {
  private let profile: DeviceProfile
  /// Whether the peer was once inside the cone. From then on camera assistance publishes directions outside it, too.
  private var wasInCone = false

  /// A presenter for one peer on a device of this kind.
  package init(profile: DeviceProfile) { self.profile = profile }

  /// An estimate as an object, with camera assistance.
  package mutating func object(_ update: NearbyUpdate, token: NIDiscoveryToken) -> NINearbyObject {
    let object = update.object
    let withholds = update.convergence.reasons.contains(where: Self.withholdsAngle)
    if let direction = object.direction, isInCone(direction) { wasInCone = true }
    let publishesDirection = wasInCone && profile.capabilities.contains(.direction)
    return NINearbyObject(
      discoveryToken: token, distance: object.distance.map { Float($0) },
      direction: publishesDirection ? object.direction.map { simd_float3($0) } : nil,
      horizontalAngle: withholds ? nil : object.horizontalAngle.map { Float($0.value) },
      verticalDirectionEstimate: withholds ? .unknown : Self.apple(object.verticalDirectionEstimate),
      estimate: update)
  }

  /// An estimate as an object for an app whose own `ARSession` does not run: the distance only.
  package func distance(_ update: NearbyUpdate, token: NIDiscoveryToken) -> NINearbyObject {
    NINearbyObject(discoveryToken: token, distance: update.object.distance.map { Float($0) })
  }

  /// The peer's position in the estimator's world; nil while a reason withholds it. An unknown height withholds the
  /// position, but not the horizontal angle.
  package func worldPosition(_ update: NearbyUpdate) -> Vector3? {
    let reasons = update.convergence.reasons
    guard !reasons.contains(where: { Self.withholdsAngle($0) || $0 == .insufficientVerticalSweep }) else { return nil }
    return update.object.worldPosition?.position
  }

  /// A range as an object, without camera assistance: what the radio measured, after `DeviceProfile.measured`.
  package func object(_ range: RangeMeasurement, token: NIDiscoveryToken) -> NINearbyObject {
    var direction: Vector3?
    if let azimuth = range.azimuth, let elevation = range.elevation {
      direction = Vector3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
    }
    return NINearbyObject(
      discoveryToken: token, distance: Float(range.range), direction: direction.map { simd_float3($0) })
  }

  private func isInCone(_ direction: Vector3) -> Bool { -direction.z >= cos(profile.directionConeHalfAngle) }

  private static func withholdsAngle(_ reason: Convergence.Reason) -> Bool {
    switch reason {
    case .insufficientMovement, .insufficientHorizontalSweep, .insufficientLighting: true
    case .insufficientVerticalSweep, .insufficientSignalStrength: false
    }
  }

  private static func apple(_ estimate: PrecisionFinding.VerticalDirectionEstimate)
    -> NINearbyObject.VerticalDirectionEstimate
  {
    NINearbyObject.VerticalDirectionEstimate(rawValue: estimate.rawValue) ?? .unknown
  }
}
