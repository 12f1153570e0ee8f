import Foundation

#if !ONE_MODULE
  import ARKit
#endif

/// The domain of Nearby Interaction's errors.
public let NIErrorDomain = "com.apple.NearbyInteraction"

/// Why a session was invalidated. Two errors of the same code are equal.
public struct NIError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
  /// Error codes; raw values are Apple's.
  public enum Code: Int, CaseIterable, Sendable {
    /// No radio, or a feature that this device lacks.
    case unsupportedPlatform = -5889
    /// A bad peer token or accessory configuration.
    case invalidConfiguration = -5888
    /// Permanent failure; also `run` after invalidation.
    case sessionFailed = -5887
    /// The session was active for too long.
    case resourceUsageTimeout = -5886
    /// Too many sessions at once.
    case activeSessionsLimitExceeded = -5885
    /// The user denied access.
    case userDidNotAllow = -5884
    /// The shared `ARSession` does not fit camera assistance.
    case invalidARConfiguration = -5883
    /// The accessory is not connected.
    case accessoryPeerDeviceUnavailable = -5882
    /// The peer's device lacks what the configuration asks for.
    case incompatiblePeerDevice = -5881
    /// A second session of extended distance.
    case activeExtendedDistanceSessionsLimitExceeded = -5880
  }

  /// The error's code.
  public let code: Code

  /// What else is known, by the keys of `NSError`; the explanation is always there. Never changes.
  public let userInfo: [String: Any]

  /// An error with a code and what else is known.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    self.userInfo = [NSLocalizedDescriptionKey: code.explanation].merging(userInfo) { $1 }
  }

  /// An error whose cause this system can name.
  init(_ code: Code, because reason: String) { self.init(code, userInfo: [NSLocalizedFailureReasonErrorKey: reason]) }

  /// Errors are equal by their codes.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
  /// By the code alone, as equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// `NIErrorDomain`.
  public static var errorDomain: String { NIErrorDomain }
  /// The code's raw value.
  public var errorCode: Int { code.rawValue }
  /// The explanation, under its usual key, and what else is known.
  public var errorUserInfo: [String: Any] { userInfo }
  /// One sentence for the user.
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
  /// The cause, where it is known.
  public var failureReason: String? { userInfo[NSLocalizedFailureReasonErrorKey] as? String }

  /// See `Code.unsupportedPlatform`.
  public static var unsupportedPlatform: Code { .unsupportedPlatform }
  /// See `Code.invalidConfiguration`.
  public static var invalidConfiguration: Code { .invalidConfiguration }
  /// See `Code.sessionFailed`.
  public static var sessionFailed: Code { .sessionFailed }
  /// See `Code.resourceUsageTimeout`.
  public static var resourceUsageTimeout: Code { .resourceUsageTimeout }
  /// See `Code.activeSessionsLimitExceeded`.
  public static var activeSessionsLimitExceeded: Code { .activeSessionsLimitExceeded }
  /// See `Code.userDidNotAllow`.
  public static var userDidNotAllow: Code { .userDidNotAllow }
  /// See `Code.invalidARConfiguration`.
  public static var invalidARConfiguration: Code { .invalidARConfiguration }
  /// See `Code.accessoryPeerDeviceUnavailable`.
  public static var accessoryPeerDeviceUnavailable: Code { .accessoryPeerDeviceUnavailable }
  /// See `Code.incompatiblePeerDevice`.
  public static var incompatiblePeerDevice: Code { .incompatiblePeerDevice }
  /// See `Code.activeExtendedDistanceSessionsLimitExceeded`.
  public static var activeExtendedDistanceSessionsLimitExceeded: Code { .activeExtendedDistanceSessionsLimitExceeded }
}

extension NIError.Code: _ErrorCode {
  /// The code of an `NIError`.
  public static func _code(of error: any Error) -> NIError.Code? { (error as? NIError)?.code }

  /// The code with this name, as a recording's event spells it; nil for no such code.
  init?(name: String) {
    guard let code = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = code
  }

  var explanation: String {
    switch self {
    case .unsupportedPlatform: "This device does not support the session's configuration."
    case .invalidConfiguration: "The session's configuration is not valid."
    case .sessionFailed: "The session failed and cannot be started again."
    case .resourceUsageTimeout: "The session was active for too long; start a new one."
    case .activeSessionsLimitExceeded: "Too many sessions are active at once."
    case .userDidNotAllow: "The user did not allow access to nearby devices."
    case .invalidARConfiguration: "The shared AR session does not fit camera assistance."
    case .accessoryPeerDeviceUnavailable: "The accessory is not available."
    case .incompatiblePeerDevice: "The peer's device cannot do what the configuration asks for."
    case .activeExtendedDistanceSessionsLimitExceeded: "Too many sessions of extended distance are active at once."
    }
  }
}
