import ARKit
import NearbyInteraction

// Written as for a phone: an accessory that is watched in the background, with the camera where the app is in front.

/// Watches whether the keys stay with their owner.
public final class PocketGuard: NSObject, NISessionDelegate, ARSessionDelegate {
  public private(set) var log: [String] = []
  private let session = NISession()
  private let arSession = ARSession()
  private var configuration: NINearbyAccessoryConfiguration?
  public var link: (Data) -> Void = { _ in }

  public func start(_ data: Data, identifier: UUID) throws {
    let configuration = try NINearbyAccessoryConfiguration(accessoryData: data, bluetoothPeerIdentifier: identifier)
    configuration.isCameraAssistanceEnabled = true
    self.configuration = configuration
    arSession.delegate = self
    arSession.run(ARWorldTrackingConfiguration())
    session.delegate = self
    session.setARSession(arSession)
    session.run(configuration)
  }

  private func note(_ text: String) { if log.last != text { log.append(text) } }

  public func session(
    _ session: NISession, didGenerateShareableConfigurationData data: Data, for object: NINearbyObject
  ) {
    link(Data([0x0B]) + data)
  }
  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) { note("near") }
  public func sessionWasSuspended(_ session: NISession) { note("suspended") }
  public func session(_ session: NISession, didInvalidateWith error: Error) { note("over") }
  public func sessionWasInterrupted(_ session: ARSession) { note("camera off") }
  public func sessionInterruptionEnded(_ session: ARSession) { note("camera on") }
}
