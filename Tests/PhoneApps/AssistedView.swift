import ARKit
import NearbyInteraction
import simd

// Written as for a phone: the AR session runs and is watched before anything is looked for; then it is shared.

/// A view of the camera with an arrow in it.
public class AssistedView: NSObject, ARSessionDelegate {
  public let arSession = ARSession()
  public private(set) var niSession: NISession?
  public private(set) var token: NIDiscoveryToken?
  public private(set) var trackingTexts: [String] = []
  public private(set) var framesBeforeNI = 0
  public private(set) var camera: ARCamera?
  public private(set) var anchors: [ARAnchor] = []
  public private(set) var advice: [String] = []
  public private(set) var arrow: Float?
  public private(set) var place: simd_float3?

  public func viewWillAppear() {
    let configuration = ARWorldTrackingConfiguration()
    configuration.worldAlignment = .gravity
    configuration.isCollaborationEnabled = false
    configuration.userFaceTrackingEnabled = false
    configuration.initialWorldMap = nil
    configuration.environmentTexturing = .automatic
    configuration.planeDetection = [.horizontal, .vertical]
    if ARWorldTrackingConfiguration.supportsFrameSemantics(.personSegmentationWithDepth) {
      configuration.frameSemantics.insert(.personSegmentationWithDepth)
    }
    arSession.delegate = self
    arSession.run(configuration, options: [.resetTracking, .removeExistingAnchors])
  }

  public func find(_ token: NIDiscoveryToken) {
    self.token = token
    let session = NISession()
    session.delegate = self
    session.setARSession(arSession)
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = NISession.deviceCapabilities.supportsCameraAssistance
    session.run(configuration)
    niSession = session
  }

  public func session(_ session: ARSession, didUpdate frame: ARFrame) {
    if niSession == nil { framesBeforeNI += 1 }
    camera = frame.camera
    guard let place else { return }
    let relative = simd_mul(frame.camera.transform.inverse, simd_float4(place, 1))
    let turn = simd_quatf(from: simd_float3(0, 0, -1), to: simd_normalize(simd_make_float3(relative)))
    arrow = simd_clamp(turn.angle, 0, .pi)
  }

  public func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {
    switch camera.trackingState {
    case .notAvailable: trackingTexts.append("no camera")
    case .limited(.initializing): trackingTexts.append("starting")
    case .limited(.insufficientFeatures): trackingTexts.append("too little to see")
    case .limited(.excessiveMotion), .limited(.relocalizing): trackingTexts.append("hold still")
    case .limited: trackingTexts.append("limited")
    case .normal: trackingTexts.append("tracking")
    }
  }

  public func session(_ session: ARSession, didAdd anchors: [ARAnchor]) { self.anchors += anchors }

  public func session(_ session: ARSession, didFailWithError error: Error) {
    guard let error = error as? ARError else { return }
    if error.code == .cameraUnauthorized { advice.append("Allow the camera.") }
  }

  public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
}

extension AssistedView: NISessionDelegate {
  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    guard let object = nearbyObjects.first(where: { $0.discoveryToken == token }) else { return }
    guard place == nil, let transform = session.worldTransform(for: object) else { return }
    place = simd_make_float3(transform.columns.3)
    arSession.add(anchor: ARAnchor(name: "found", transform: transform))
  }

  public func session(
    _ session: NISession, didUpdateAlgorithmConvergence convergence: NIAlgorithmConvergence, for object: NINearbyObject?
  ) {
    guard object != nil, case .notConverged(let reasons) = convergence.status else { return }
    advice += reasons.compactMap { $0.localizedDescription }
  }
}
