import ARKit
import Foundation
import NearbyInteraction
import simd

// Written as for a phone, with the usual parts of such apps: archives for tokens, both configurations, a shared
// ARSession, pattern matches over states and errors, matrices. `AppTests` runs it; that it compiles is half of the
// test.

/// What a screen would show.
@available(iOS 16.0, watchOS 9.0, *)
struct Card {
  var headline = "Not started"
  var distance: Float?
  var azimuth: Float?
  var elevation: Float?
  var heading: Float?
  var level = NINearbyObject.VerticalDirectionEstimate.unknown
  var marker: simd_float4x4?
}

/// One screen's model.
class NearbyModel: NSObject {
  var session: NISession?
  var arSession = ARSession()
  var peerToken: NIDiscoveryToken?
  var accessoryConfiguration: NINearbyAccessoryConfiguration?
  var card = Card()
  var log: [String] = []
  /// What the app's own network or Bluetooth would carry.
  var send: (Data) -> Void = { _ in }

  func start() {
    guard NISession.deviceCapabilities.supportsPreciseDistanceMeasurement else {
      card.headline = "This phone cannot range."
      return
    }
    session = NISession()
    session?.delegate = self
    session?.delegateQueue = .main
    if let token = session?.discoveryToken,
      let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    {
      send(data)
    }
  }

  func received(_ data: Data) {
    guard let token = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NIDiscoveryToken.self, from: data) else {
      fatalError("A peer sent something that is no token.")
    }
    peerToken = token
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    #if !os(watchOS)
      if NISession.deviceCapabilities.supportsCameraAssistance {
        configuration.isCameraAssistanceEnabled = true
        let tracking = ARWorldTrackingConfiguration()
        tracking.worldAlignment = .gravity
        tracking.isCollaborationEnabled = false
        tracking.userFaceTrackingEnabled = false
        tracking.initialWorldMap = nil
        arSession.delegate = self
        arSession.run(tracking, options: [.resetTracking, .removeExistingAnchors])
        session?.setARSession(arSession)
      }
    #endif
    if #available(iOS 17.0, watchOS 10.0, *) {
      configuration.isExtendedDistanceMeasurementEnabled =
        NISession.deviceCapabilities.supportsExtendedDistanceMeasurement
        && token.deviceCapabilities.supportsExtendedDistanceMeasurement
    }
    session?.run(configuration)
  }

  func accessorySent(_ data: Data) {
    do {
      accessoryConfiguration = try NINearbyAccessoryConfiguration(data: data)
    } catch {
      card.headline = "No accessory: \(error.localizedDescription)"
      return
    }
    session?.run(accessoryConfiguration!)
  }

  private func azimuth(from direction: simd_float3) -> Float { asin(direction.x) }
  private func elevation(from direction: simd_float3) -> Float { atan2(direction.z, direction.y) + .pi / 2 }
}

// MARK: - `NISessionDelegate`

extension NearbyModel: NISessionDelegate {
  func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    let peer = nearbyObjects.first { (object) -> Bool in
      return object.discoveryToken == peerToken
        || object.discoveryToken == accessoryConfiguration?.accessoryDiscoveryToken
    }
    guard let object = peer else { return }
    card.distance = object.distance
    card.heading = object.horizontalAngle
    card.level = object.verticalDirectionEstimate
    card.azimuth = object.direction.map(azimuth(from:))
    card.elevation = object.direction.map(elevation(from:))
    card.marker = session.worldTransform(for: object)
    if let angle = object.horizontalAngle { card.headline = abs(angle) < .pi / 12 ? "Ahead" : "Turn" }
    switch object.verticalDirectionEstimate {
    case .unknown, .same: break
    case .above: log.append("upstairs")
    case .below: log.append("downstairs")
    case .aboveOrBelow: log.append("on another floor")
    @unknown default: break
    }
  }

  func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    switch convergence.status {
    case .converged: log.append("converged")
    case .notConverged([NIAlgorithmConvergenceStatus.Reason.insufficientLighting]): log.append("dark")
    case .notConverged(let reasons) where reasons.contains(.insufficientVerticalSweep): log.append("up and down")
    case .notConverged(let reasons):
      log.append(contentsOf: reasons.compactMap(\.localizedDescription))
    case .unknown: break
    @unknown default: break
    }
  }

  func session(_ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason) {
    switch reason {
    case .peerEnded:
      peerToken = nil
      session.invalidate()
      start()
    case .timeout:
      if let configuration = session.configuration { session.run(configuration) }
    @unknown default: fatalError("A reason that nobody knows: \(reason)")
    }
    log.append("gone")
  }

  func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject
  ) {
    guard object.discoveryToken == accessoryConfiguration?.accessoryDiscoveryToken else { return }
    var message = Data([0x0B])
    message.append(shareableConfigurationData)
    send(message)
  }

  func sessionWasSuspended(_ session: NISession) { card.headline = "Suspended" }

  func sessionSuspensionEnded(_ session: NISession) {
    if let configuration = self.session?.configuration { session.run(configuration) } else { start() }
  }

  func session(_ session: NISession, didInvalidateWith error: Error) {
    card.headline = "Ended"
    if case NIError.userDidNotAllow = error {
      card.headline = "Allow Nearby Interaction in the settings."
    } else if let error = error as? NIError, error.code == .activeSessionsLimitExceeded {
      card.headline = "Too many at once."
    } else if (error as NSError).domain == NIErrorDomain,
      (error as NSError).code == NIError.Code.resourceUsageTimeout.rawValue
    {
      card.headline = "It took too long."
    }
    self.session = nil
  }

  func sessionDidStartRunning(_ session: NISession) { log.append("started") }
}

// MARK: - `ARSessionDelegate`

extension NearbyModel: ARSessionDelegate {
  func session(_ session: ARSession, didUpdate frame: ARFrame) {
    guard let marker = card.marker else { return }
    let toMarker = simd_mul(frame.camera.transform.inverse, marker.columns.3)
    let ahead = normalize(simd_float3(toMarker.x, toMarker.y, toMarker.z))
    let eye = simd_make_float3(frame.camera.transform.columns.3)
    let position = simd_make_float3(marker.columns.3)
    if dot(ahead, simd_float3(0, 0, -1)) > 0.9, simd_distance(eye, position) < 6 { log.append("marker in the image") }
  }

  func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
}
