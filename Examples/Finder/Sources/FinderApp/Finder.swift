import Foundation
import NearbyInteraction

/// Finds one peer and guides the user: the part of an app without views.
///
/// The code is the same as on a phone.
public final class Finder: NSObject, NISessionDelegate {
  /// State of the search.
  public enum Step: Equatable, Sendable {
    /// No ranges to the peer yet.
    case searching
    /// An instruction how to hold or move the phone.
    case coaching(String)
    /// An arrow towards the peer.
    case arrow
    /// The peer's position is known: an app would put a marker there.
    case found
    /// The search has ended.
    case ended(String)
  }

  private var session: NISession?
  private let configuration: NINearbyPeerConfiguration
  private let show: (Step, NINearbyObject?) -> Void
  private var step = Step.searching
  private var convergence = NIAlgorithmConvergenceStatus.unknown
  private var sessionConvergence = NIAlgorithmConvergenceStatus.unknown

  /// A finder for the peer with this token, received over the app's network.
  ///
  /// - Parameter show: called when the step changes.
  public init(peerToken: NIDiscoveryToken, show: @escaping (Step, NINearbyObject?) -> Void) {
    configuration = NINearbyPeerConfiguration(peerToken: peerToken)
    self.show = show
    super.init()
  }

  /// Starts the session.
  public func start() {
    guard NISession.deviceCapabilities.supportsCameraAssistance else {
      return change(to: .ended("This device cannot find precisely."), nil)
    }
    configuration.isCameraAssistanceEnabled = true
    let session = NISession()
    session.delegate = self
    self.session = session
    session.run(configuration)
  }

  private func change(to next: Step, _ object: NINearbyObject?) {
    guard next != step else { return }
    step = next
    show(next, object)
  }

  // MARK: - NISessionDelegate

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let object = nearbyObjects.first(where: { $0.discoveryToken == configuration.peerDiscoveryToken }) else {
      return
    }
    change(to: nextStep(object), object)
  }

  /// In view means near and about ahead; the farther, the wider.
  private func isInView(_ object: NINearbyObject) -> Bool {
    guard let distance = object.distance, let angle = object.horizontalAngle, distance <= 10 else { return false }
    return abs(angle) <= .pi / (4 + (1 - distance / 10))
  }

  private func nextStep(_ object: NINearbyObject) -> Step {
    guard object.distance != nil else { return .searching }
    if isInView(object), convergence == .converged, session?.worldTransform(for: object) != nil { return .found }
    if case .notConverged(let reasons) = sessionConvergence, let instruction = reasons.first?.localizedDescription {
      return .coaching(instruction)
    }
    if object.horizontalAngle == nil {
      guard case .notConverged(let reasons) = convergence, let instruction = reasons.first?.localizedDescription else {
        return .coaching("Move your phone from side to side.")
      }
      return .coaching(instruction)
    }
    // The angle is usable before everything has converged.
    return isInView(object) ? .coaching("Move your phone up and down.") : .arrow
  }

  public func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence,
    for object: NINearbyObject?
  ) {
    if object == nil { sessionConvergence = convergence.status } else { self.convergence = convergence.status }
  }

  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {
    switch reason {
    case .peerEnded: change(to: .ended("The other side has ended."), nil)
    case .timeout:
      change(to: .searching, nil)
      session.run(configuration)
    @unknown default: break
    }
  }

  public func sessionSuspensionEnded(_ session: NISession) { session.run(configuration) }

  public func session(_ session: NISession, didInvalidateWith error: any Error) {
    switch (error as? NIError)?.code {
    case .userDidNotAllow: change(to: .ended("Allow access to nearby devices in the settings."), nil)
    case .invalidARConfiguration, .incompatiblePeerDevice, .activeSessionsLimitExceeded,
      .activeExtendedDistanceSessionsLimitExceeded, .unsupportedPlatform, .invalidConfiguration:
      change(to: .ended(error.localizedDescription), nil)
    default: start()
    }
  }
}
