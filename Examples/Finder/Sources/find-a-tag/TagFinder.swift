import Foundation
import NearbyInteraction

final class TagFinder: NSObject, NISessionDelegate {
  private let session = NISession()
  private var isFound = false

  func start(_ token: NIDiscoveryToken) {
    session.delegate = self
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = NISession.deviceCapabilities.supportsCameraAssistance
    session.run(configuration)
  }

  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?
  ) {
    switch convergence.status {
    case .notConverged(let reasons):
      if let sentence = reasons.first?.localizedDescription { print(sentence) }
    case .converged where object != nil: print("Everything is known.")
    case .converged, .unknown: break
    @unknown default: break
    }
  }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let object = nearbyObjects.first, let distance = object.distance else { return }
    if let angle = object.horizontalAngle, !isFound {
      print(String(format: "%.1f m, %.0f degrees to the right", distance, angle * 180 / .pi))
    }
    if let place = session.worldTransform(for: object)?.columns.3, !isFound {
      isFound = true
      print(String(format: "Found: the marker goes to (%.1f, %.1f, %.1f).", place.x, place.y, place.z))
    }
  }

  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    if reason == .timeout, let configuration = session.configuration { session.run(configuration) }
  }

  func sessionSuspensionEnded(_ session: NISession) {
    if let configuration = session.configuration { session.run(configuration) }
  }

  func session(_ session: NISession, didInvalidateWith error: any Error) {
    print("It is over: \(error.localizedDescription)")
  }
}

func follow(_ session: NISession) async {
  for await event in session.events {
    switch event {
    case .didUpdate(let objects): print(objects.compactMap(\.distance))
    case .didRemove(_, let reason): print("gone: \(reason)")
    case .didInvalidate(let error): print(error.localizedDescription)
    default: break
    }
  }
}
