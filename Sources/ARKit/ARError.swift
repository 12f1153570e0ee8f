import Foundation

/// The domain of ARKit's errors.
public let ARErrorDomain = "com.apple.arkit.error"

/// Why an `ARSession` failed. Sessions here do not fail; tests can make such an error for their app.
public struct ARError: CustomNSError, LocalizedError, @unchecked Sendable {
  /// Error codes; raw values are Apple's.
  public enum Code: Int, CaseIterable, Sendable {
    /// The device does not support the configuration.
    case unsupportedConfiguration = 100
    /// A sensor is missing.
    case sensorUnavailable = 101
    /// A sensor failed.
    case sensorFailed = 102
    /// The user denied the camera.
    case cameraUnauthorized = 103
    /// The user denied the microphone.
    case microphoneUnauthorized = 104
    /// The user denied the location.
    case locationUnauthorized = 105
    /// Tracking failed.
    case worldTrackingFailed = 200
    /// A reference image is not valid.
    case invalidReferenceImage = 300
    /// A reference object is not valid.
    case invalidReferenceObject = 301
    /// A map is not valid.
    case invalidWorldMap = 302
    /// A configuration is not valid.
    case invalidConfiguration = 303
    /// The image shows too little.
    case insufficientFeatures = 400
    /// Objects could not be merged.
    case objectMergeFailed = 401
    /// A file could not be read or written.
    case fileIOFailed = 500
    /// A request failed.
    case requestFailed = 501
  }

  /// The error's code.
  public let code: Code
  /// What else is known, by the keys of `NSError`. Never changes.
  public let userInfo: [String: Any]

  /// An error with a code and what else is known.
  public init(_ code: Code, userInfo: [String: Any] = [:]) { (self.code, self.userInfo) = (code, userInfo) }

  /// `ARErrorDomain`.
  public static var errorDomain: String { ARErrorDomain }
  /// The code's raw value.
  public var errorCode: Int { code.rawValue }
  /// What else is known.
  public var errorUserInfo: [String: Any] { userInfo }
  /// One line.
  public var errorDescription: String? { (userInfo[NSLocalizedDescriptionKey] as? String) ?? "ARKit: \(code)." }
}

extension ARError {
  /// See `Code.unsupportedConfiguration`.
  public static var unsupportedConfiguration: Code { .unsupportedConfiguration }
  /// See `Code.sensorUnavailable`.
  public static var sensorUnavailable: Code { .sensorUnavailable }
  /// See `Code.sensorFailed`.
  public static var sensorFailed: Code { .sensorFailed }
  /// See `Code.cameraUnauthorized`.
  public static var cameraUnauthorized: Code { .cameraUnauthorized }
  /// See `Code.worldTrackingFailed`.
  public static var worldTrackingFailed: Code { .worldTrackingFailed }
  /// See `Code.insufficientFeatures`.
  public static var insufficientFeatures: Code { .insufficientFeatures }
  /// See `Code.invalidConfiguration`.
  public static var invalidConfiguration: Code { .invalidConfiguration }
  /// See `Code.invalidWorldMap`.
  public static var invalidWorldMap: Code { .invalidWorldMap }
}

/// Codes of Apple's errors in patterns: `case ARError.cameraUnauthorized:` in a switch or catch over any error. Here, since
/// an operator of a module that is exported by names does not come with them.
public protocol _ErrorCode: Equatable {
  /// The code of an error of this kind; nil for any other.
  static func _code(of error: any Error) -> Self?
}

extension _ErrorCode {
  /// Whether an error has this code.
  public static func ~= (code: Self, error: any Error) -> Bool { _code(of: error) == code }
}

extension ARError.Code: _ErrorCode {
  /// The code of an `ARError`.
  public static func _code(of error: any Error) -> ARError.Code? { (error as? ARError)?.code }
}
