import Foundation
import PrecisionFinding

/// Estimate of a peer at one time. Unknown quantities are nil.
public final class NINearbyObject: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The peer's token: equal to the one in the configuration.
  public let discoveryToken: NIDiscoveryToken
  /// Metres; nil out of reach.
  public let distance: Float?
  /// Unit vector in device axes: looking at the screen x right, y up, -z out of the back. Nil outside the field of
  /// view, unless camera assistance once had the peer inside it.
  public let direction: simd_float3?
  /// Azimuth in the horizontal plane, radians: 0 straight ahead, positive right, (-pi, pi]. Only with camera
  /// assistance.
  public let horizontalAngle: Float?
  /// Level of the peer; only with camera assistance.
  public let verticalDirectionEstimate: VerticalDirectionEstimate
  /// Not Apple's: the update behind this object, with uncertainty, time and reasons; nil without camera assistance and
  /// after an archive.
  public let estimate: NearbyUpdate?

  package init(
    discoveryToken: NIDiscoveryToken, distance: Float? = nil, direction: simd_float3? = nil,
    horizontalAngle: Float? = nil, verticalDirectionEstimate: VerticalDirectionEstimate = .unknown,
    estimate: NearbyUpdate? = nil
  ) {
    self.discoveryToken = discoveryToken
    self.distance = distance
    self.direction = direction
    self.horizontalAngle = horizontalAngle
    self.verticalDirectionEstimate = verticalDirectionEstimate
    self.estimate = estimate
  }

  /// Whether a peer is on the device's level, above or below: meant for floors.
  public enum VerticalDirectionEstimate: Int, Sendable, CaseIterable {
    /// Not known (yet).
    case unknown = 0
    /// About the device's level.
    case same = 1
    /// Higher.
    case above = 2
    /// Lower.
    case below = 3
    /// Not the device's level; the vertical ambiguity is not resolved.
    case aboveOrBelow = 4
  }

  /// Why a peer was removed.
  public enum RemovalReason: Int, Sendable, CaseIterable {
    /// No range for longer than the time-out.
    case timeout = 0
    /// It ended its session.
    case peerEnded = 1
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NINearbyObject else { return false }
    return discoveryToken == other.discoveryToken && distance == other.distance && direction == other.direction
      && horizontalAngle == other.horizontalAngle && verticalDirectionEstimate == other.verticalDirectionEstimate
  }
  public override var hash: Int { discoveryToken.hash }
  /// Itself: an object never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {
    coder.encode(discoveryToken, forKey: "discoveryToken")
    if let distance { coder.encode(NSNumber(value: distance), forKey: "distance") }
    if let direction {
      for k in 0..<3 { coder.encode(NSNumber(value: direction[k]), forKey: "direction\(k)") }
    }
    if let horizontalAngle { coder.encode(NSNumber(value: horizontalAngle), forKey: "horizontalAngle") }
    coder.encode(verticalDirectionEstimate.rawValue, forKey: "verticalDirectionEstimate")
  }

  /// Nil for an archive that holds no object.
  public required convenience init?(coder: NSCoder) {
    // Decoding an absent key fails the whole archive.
    func number(_ key: String) -> Float? {
      coder.containsValue(forKey: key) ? coder.decodeObject(of: NSNumber.self, forKey: key)?.floatValue : nil
    }
    guard let token = coder.decodeObject(of: NIDiscoveryToken.self, forKey: "discoveryToken"),
      let vertical = VerticalDirectionEstimate(rawValue: coder.decodeInteger(forKey: "verticalDirectionEstimate"))
    else { return nil }
    let axes = (0..<3).compactMap { number("direction\($0)") }
    self.init(
      discoveryToken: token, distance: number("distance"),
      direction: axes.count == 3 ? simd_float3(axes[0], axes[1], axes[2]) : nil,
      horizontalAngle: number("horizontalAngle"), verticalDirectionEstimate: vertical)
  }
}

/// Whether the peer moves. Apple does not publish the raw values.
public enum NIMotionActivityState: Int, Sendable, CaseIterable {
  /// Not known.
  case unknown = 0
  /// It is stationary.
  case stationary = 1
  /// It moves.
  case moving = 2
}
