import Foundation
import NearbyInteraction
import SensorData

/// Prints a session's updates on stdout, one line per second of the recording, and other events.
final class MeetingReporter: NSObject, NISessionDelegate {
  private let peer: String
  private var begin: Timestamp?
  private var nextLine = 0.0
  private var convergence = "unknown"
  private var advice: String?
  /// The last distance, metres.
  private(set) var distance: Float?

  init(peer: String) { self.peer = peer }

  func sessionDidStartRunning(_ session: NISession) { print("session started") }

  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    for object in nearbyObjects {
      distance = object.distance ?? distance
      guard let time = object.estimate?.timestamp else { continue }
      begin = begin ?? time
      let seconds = time.seconds(since: begin!)
      guard seconds >= nextLine else { continue }
      nextLine = seconds.rounded(.down) + 1
      let metres = object.distance.map { String(format: "%6.2f m", $0) } ?? "       -"
      let angle = object.horizontalAngle.map { String(format: "%5.0f°", $0 * 180 / .pi) } ?? "     -"
      print(String(format: "%6.1f s", seconds), peer, metres, angle, "", convergence)
    }
  }

  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    guard object != nil else { return }
    switch convergence.status {
    case .unknown: self.convergence = "unknown"
    case .converged: self.convergence = "converged"
    case .notConverged(let reasons):
      self.convergence = reasons.map(\.rawValue).joined(separator: " ")
      // What an app would show, when it changes.
      if let advice = reasons.first?.localizedDescription, advice != self.advice {
        self.advice = advice
        print("         \(advice)")
      }
    }
  }

  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    print("\(peer) removed: \(reason)")
  }

  func session(_ session: NISession, didInvalidateWith error: any Error) {
    print("session over: \(error.localizedDescription)")
  }
}
