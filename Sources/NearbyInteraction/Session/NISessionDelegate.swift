import Foundation

/// Who is told what a session finds. Every method has a default that does nothing; all are called on the session's
/// `delegateQueue`, in order.
public protocol NISessionDelegate: AnyObject {
  /// Peers have new values.
  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject])
  /// Peers are gone; the session is inactive until the next `run`.
  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason)
  /// The system took the resources away. Nothing resumes by itself.
  func sessionWasSuspended(_ session: NISession)
  /// The resources are back; `run` resumes.
  func sessionSuspensionEnded(_ session: NISession)
  /// The session is over, its token dead.
  func session(_ session: NISession, didInvalidateWith error: any Error)
  /// What the accessory needs to range with us; send it soon.
  func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject)
  /// Camera assistance knows more or less than before; a nil object means the session itself.
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?)
  /// Messages of fixed anchors came; only with `NIDLTDOAConfiguration`.
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
