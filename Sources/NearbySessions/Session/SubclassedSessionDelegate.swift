import Foundation

/// Not Apple's: a delegate whose class inherits from the one that conforms to `NISessionDelegate`.
///
/// On a phone a subclass may implement an optional callback that its base class leaves out. Swift without Objective-C
/// binds callbacks where the conformance is written: it calls the default, and the subclass waits in vain.
/// (What a subclass *overrides* is called in any case.) One line, beside the tests of the app, binds them anew:
///
/// ```swift
/// extension RangingScreen: SubclassedSessionDelegate {}
/// ```
public protocol SubclassedSessionDelegate: AnyObject {
  /// See `NISessionDelegate`.
  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject])
  /// See `NISessionDelegate`.
  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason)
  /// See `NISessionDelegate`.
  func sessionWasSuspended(_ session: NISession)
  /// See `NISessionDelegate`.
  func sessionSuspensionEnded(_ session: NISession)
  /// See `NISessionDelegate`.
  func session(_ session: NISession, didInvalidateWith error: any Error)
  /// See `NISessionDelegate`.
  func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject)
  /// See `NISessionDelegate`.
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?)
  /// See `NISessionDelegate`.
  func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement])
  /// See `NISessionDelegate`.
  func sessionDidStartRunning(_ session: NISession)
}
