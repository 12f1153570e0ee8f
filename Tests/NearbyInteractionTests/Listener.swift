import Dispatch
import Foundation
import NearbyInteraction
import RecordedDevices

/// A delegate that records its callbacks as text, and can react to them.
final class Listener: NSObject, NISessionDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var receivedCallbacks: [String] = []
  private var receivedObjects: [NINearbyObject] = []
  private var receivedConvergence: [(NIAlgorithmConvergenceStatus, NINearbyObject?)] = []
  private var receivedData: [Data] = []
  private var receivedMeasurements: [NIDLTDOAMeasurement] = []
  private var receivedError: (any Error)?
  /// Called with each callback.
  var answer: ((String, NISession) -> Void)?

  /// Everything but updates and convergence.
  var callbacks: [String] { lock.withLock { receivedCallbacks } }
  var objects: [NINearbyObject] { lock.withLock { receivedObjects } }
  var convergence: [(NIAlgorithmConvergenceStatus, NINearbyObject?)] { lock.withLock { receivedConvergence } }
  var data: [Data] { lock.withLock { receivedData } }
  var anchors: [NIDLTDOAMeasurement] { lock.withLock { receivedMeasurements } }
  var code: NIError.Code? { lock.withLock { (receivedError as? NIError)?.code } }

  /// A session on `device` whose delegate this is, on a queue of its own.
  func session(on device: NearbyDevice?) -> NISession {
    let session = NISession(device: device)
    session.delegate = self
    session.delegateQueue = DispatchQueue(label: "listener")
    return session
  }

  private func record(_ callback: String, _ session: NISession) {
    lock.withLock { receivedCallbacks.append(callback) }
    answer?(callback, session)
  }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    lock.withLock { receivedObjects += nearbyObjects }
    answer?("update", session)
  }
  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    record("removed \(reason) \(nearbyObjects.count)", session)
  }
  func sessionWasSuspended(_ session: NISession) { record("suspended", session) }
  func sessionSuspensionEnded(_ session: NISession) { record("suspension ended", session) }
  func session(_ session: NISession, didInvalidateWith error: any Error) {
    lock.withLock { receivedError = error }
    record("invalidated \((error as? NIError).map { "\($0.code)" } ?? "?")", session)
  }
  func session(
    _ session: NISession, didGenerateShareableConfigurationData data: Data, for object: NINearbyObject
  ) {
    lock.withLock { receivedData.append(data) }
    record("shareable", session)
  }
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    lock.withLock { receivedConvergence.append((convergence.status, object)) }
  }
  func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement]) {
    lock.withLock { receivedMeasurements += measurements }
  }
  func sessionDidStartRunning(_ session: NISession) { record("started", session) }
}
