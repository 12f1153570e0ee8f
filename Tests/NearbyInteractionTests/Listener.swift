import Dispatch
import Foundation
import NearbyInteraction

/// A delegate that writes down what it hears, in words, and can answer.
final class Listener: NSObject, NISessionDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var heardWords: [String] = []
  private var heardObjects: [NINearbyObject] = []
  private var heardConvergence: [(NIAlgorithmConvergenceStatus, NINearbyObject?)] = []
  private var heardData: [Data] = []
  private var heardAnchors: [NIDLTDOAMeasurement] = []
  private var heardError: (any Error)?
  /// Called with each word.
  var answer: ((String, NISession) -> Void)?

  /// Everything but updates and convergence.
  var words: [String] { lock.withLock { heardWords } }
  var objects: [NINearbyObject] { lock.withLock { heardObjects } }
  var convergence: [(NIAlgorithmConvergenceStatus, NINearbyObject?)] { lock.withLock { heardConvergence } }
  var data: [Data] { lock.withLock { heardData } }
  var anchors: [NIDLTDOAMeasurement] { lock.withLock { heardAnchors } }
  var code: NIError.Code? { lock.withLock { (heardError as? NIError)?.code } }

  /// A session on `device` whose delegate this is, on a queue of its own.
  func session(on device: NearbyDevice?) -> NISession {
    let session = NISession(device: device)
    session.delegate = self
    session.delegateQueue = DispatchQueue(label: "listener")
    return session
  }

  private func note(_ word: String, _ session: NISession) {
    lock.withLock { heardWords.append(word) }
    answer?(word, session)
  }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    lock.withLock { heardObjects += nearbyObjects }
    answer?("update", session)
  }
  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    note("removed \(reason) \(nearbyObjects.count)", session)
  }
  func sessionWasSuspended(_ session: NISession) { note("suspended", session) }
  func sessionSuspensionEnded(_ session: NISession) { note("suspension ended", session) }
  func session(_ session: NISession, didInvalidateWith error: any Error) {
    lock.withLock { heardError = error }
    note("invalidated \((error as? NIError).map { "\($0.code)" } ?? "?")", session)
  }
  func session(
    _ session: NISession, didGenerateShareableConfigurationData data: Data, for object: NINearbyObject
  ) {
    lock.withLock { heardData.append(data) }
    note("shareable", session)
  }
  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    lock.withLock { heardConvergence.append((convergence.status, object)) }
  }
  func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement]) {
    lock.withLock { heardAnchors += measurements }
  }
  func sessionDidStartRunning(_ session: NISession) { note("started", session) }
}
