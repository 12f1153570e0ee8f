import Foundation

/// Receives a session's callbacks. Every method has a default that does nothing; all are called on the session's
/// `delegateQueue`, in order.
public protocol NISessionDelegate: AnyObject {
  /// Peers have new values.
  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject])
  /// Peers were removed; the session is inactive until the next `run`.
  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason)
  /// The system withdrew the resources. The session does not resume by itself.
  func sessionWasSuspended(_ session: NISession)
  /// The resources are back; `run` resumes.
  func sessionSuspensionEnded(_ session: NISession)
  /// The session has ended; its token is invalid.
  func session(_ session: NISession, didInvalidateWith error: any Error)
  /// Data that the accessory needs to range with this device; send it soon.
  func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject)
  /// Convergence of camera assistance changed; a nil object means the session itself.
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?)
  /// Messages of fixed anchors were received; only with `NIDLTDOAConfiguration`.
  func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement])
  /// The session started or resumed.
  func sessionDidStartRunning(_ session: NISession)
}

extension NISessionDelegate {
  /// Does nothing.
  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {}
  /// Does nothing.
  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {}
  /// Does nothing.
  public func sessionWasSuspended(_ session: NISession) {}
  /// Does nothing.
  public func sessionSuspensionEnded(_ session: NISession) {}
  /// Does nothing.
  public func session(_ session: NISession, didInvalidateWith error: any Error) {}
  /// Does nothing.
  public func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject
  ) {}
  /// Does nothing.
  public func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?
  ) {}
  /// Does nothing.
  public func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement]) {}
  /// Does nothing.
  public func sessionDidStartRunning(_ session: NISession) {}
}

/// Not Apple's: a delegate whose class inherits from the one that conforms to `NISessionDelegate`.
///
/// On a phone a subclass may implement an optional callback that its base class leaves out. Swift without Objective-C
/// binds callbacks where the conformance is written: it calls the default, and the subclass waits in vain.
/// (What a subclass *overrides* is called in any case.) One line, beside the tests of the app, binds them again:
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
