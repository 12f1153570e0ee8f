import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// Each error code by a call, and each by an event in a recording.
@Suite struct ErrorTests {
  static func configuration(
    _ token: NIDiscoveryToken, assisted: Bool = false, extended: Bool = false
  ) -> NINearbyPeerConfiguration {
    let configuration = NINearbyPeerConfiguration(peerToken: token)
    configuration.isCameraAssistanceEnabled = assisted
    configuration.isExtendedDistanceMeasurementEnabled = extended
    return configuration
  }

  /// The error of a run of `configuration` on `device`, if any.
  static func code(_ configuration: NIConfiguration, on device: NearbyDevice, ar: ARSession? = nil) -> NIError.Code? {
    let listener = Listener()
    let session = listener.session(on: device)
    if let ar { session.setARSession(ar) }
    session.run(configuration)
    device.settle()
    #expect((session.state == .invalidated) == (listener.code != nil))
    #expect((session.discoveryToken == nil) == (listener.code != nil))
    return listener.code
  }

  @Test func unsupportedCapabilities() {
    let none = Tape.device(.unsupported)
    #expect(Self.code(Self.configuration(none.token(forPeer: "a")), on: none) == .unsupportedPlatform)
    let watch = Tape.device(.watch)
    let token = watch.token(forPeer: "a", capabilities: [.preciseDistance, .extendedDistance])
    #expect(Self.code(Self.configuration(token), on: watch) == nil)
    #expect(Self.code(Self.configuration(token, assisted: true), on: watch) == .unsupportedPlatform)
    #expect(Self.code(Self.configuration(token, extended: true), on: watch) == .unsupportedPlatform)
  }

  @Test func runWithoutADeviceIsAnError() async throws {
    let listener = Listener()
    let session = listener.session(on: nil)
    #expect(session.discoveryToken == nil)
    session.run(Self.configuration(Tape.device().token(forPeer: "a")))
    for _ in 0..<200 where listener.code == nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(listener.code == .unsupportedPlatform)
  }

  @Test func ownTokenAndInvalidAccessoryData() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    session.run(Self.configuration(try #require(session.discoveryToken)))
    device.settle()
    #expect(listener.code == .invalidConfiguration)
    #expect(throws: NIError(.invalidConfiguration)) { try NINearbyAccessoryConfiguration(data: Data([1, 2, 3])) }
  }

  @Test func limitsOfSessions() {
    let device = Tape.device(.phoneWithExtendedDistance)
    device.policy.activeSessions = 3
    let token = device.token(forPeer: "a", capabilities: [.preciseDistance, .extendedDistance])
    let listeners = (0..<5).map { _ in Listener() }
    let sessions = listeners.map { $0.session(on: device) }
    sessions[0].run(Self.configuration(token, extended: true))
    sessions[1].run(Self.configuration(token, extended: true))
    sessions[2].run(Self.configuration(token))
    sessions[3].run(Self.configuration(token))
    sessions[4].run(Self.configuration(token))
    device.settle()
    #expect(
      listeners.map(\.code) == [
        nil, .activeExtendedDistanceSessionsLimitExceeded, nil, nil, .activeSessionsLimitExceeded,
      ])
    // A paused session does not count.
    sessions[0].pause()
    #expect(Self.code(Self.configuration(token, extended: true), on: device) == nil)
  }

  @Test func peerWithoutExtendedDistance() {
    let device = Tape.device(.phoneWithExtendedDistance)
    let configuration = Self.configuration(device.token(forPeer: "a"), extended: true)
    #expect(Self.code(configuration, on: device) == .incompatiblePeerDevice)
  }

  @Test func userDeniesAccess() {
    let device = Tape.device()
    device.policy.isAllowedByUser = false
    #expect(Self.code(Self.configuration(device.token(forPeer: "a")), on: device) == .userDidNotAllow)
  }

  @Test func arSessionsThatDoNotFit() {
    func code(assisted: Bool = true, _ change: (ARWorldTrackingConfiguration) -> Void = { _ in }) -> NIError.Code? {
      let device = Tape.device()
      let ar = ARSession()
      let configuration = ARWorldTrackingConfiguration()
      change(configuration)
      ar.run(configuration)
      return Self.code(Self.configuration(device.token(forPeer: "a"), assisted: assisted), on: device, ar: ar)
    }
    #expect(code() == nil)
    #expect(code(assisted: false) == .invalidARConfiguration)
    #expect(code { $0.worldAlignment = .gravityAndHeading } == .invalidARConfiguration)
    #expect(code { $0.worldAlignment = .camera } == .invalidARConfiguration)
    #expect(code { $0.isCollaborationEnabled = true } == .invalidARConfiguration)
    #expect(code { $0.userFaceTrackingEnabled = true } == .invalidARConfiguration)
    #expect(code { $0.initialWorldMap = ARWorldMap() } == .invalidARConfiguration)
  }

  @Test func relocalisationDoesNotFit() {
    final class Relocaliser: ARSessionDelegate {
      func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { true }
    }
    let device = Tape.device()
    let (ar, relocaliser) = (ARSession(), Relocaliser())
    ar.delegate = relocaliser
    ar.run(ARWorldTrackingConfiguration())
    let configuration = Self.configuration(device.token(forPeer: "a"), assisted: true)
    #expect(Self.code(configuration, on: device, ar: ar) == .invalidARConfiguration)
  }

  @Test func tooLongActiveAndTooLongSuspended() throws {
    let peers = ["a": Vector3(0, 3, 0)]
    var policy = SessionPolicy()
    policy.activeTime = 3
    policy.suspendedTime = 4
    for (tape, callbacks) in [
      (Tape(seconds: 5, peers: peers), ["started", "invalidated resourceUsageTimeout"]),
      (
        Tape(seconds: 8, peers: peers, deviceEvents: [(1, "suspend", nil), (7, "resume", nil)]),
        ["started", "suspended", "invalidated sessionFailed"]
      ),
    ] {
      let device = Tape.device(policy: policy)
      let listener = Listener()
      let session = listener.session(on: device)
      session.run(Self.configuration(device.token(forPeer: "a")))
      try tape.world(device).playBlocking()
      #expect(listener.callbacks == callbacks && session.discoveryToken == nil)
    }
  }

  /// Every code is the name of an event; with a peer it ends that peer's session only.
  @Test(arguments: NIError.Code.allCases) func eachCodeIsAnEvent(code: NIError.Code) throws {
    let peers = ["a": Vector3(0, 3, 0), "b": Vector3(3, 0, 0)]
    for peer in ["a", nil] {
      let device = Tape.device()
      let listeners = [Listener(), Listener()]
      let sessions = zip(listeners, ["a", "b"]).map { listener, peer in
        let session = listener.session(on: device)
        session.run(Self.configuration(device.token(forPeer: peer)))
        return session
      }
      try Tape(seconds: 2, peers: peers, deviceEvents: [(1, "\(code)", peer)]).world(device).playBlocking()
      #expect(sessions[0].state == .invalidated && listeners[0].code == code)
      #expect(listeners[1].code == (peer == nil ? code : nil))
      if code == .userDidNotAllow { #expect(!device.policy.isAllowedByUser) }
    }
  }

  @Test func codesAndDomainAreApples() {
    #expect(NIError.Code.allCases.map(\.rawValue) == Array(-5889 ... -5880))
    let error: any Error = NIError(.userDidNotAllow)
    #expect((error as NSError).domain == NIErrorDomain && (error as NSError).code == -5884)
    #expect(!error.localizedDescription.isEmpty)
    switch error {
    case NIError.invalidConfiguration: Issue.record("another code")
    case NIError.userDidNotAllow: break
    default: Issue.record("no code")
    }
  }

  /// What is known beside the code; errors of one code are equal.
  @Test func errorsCarryInformation() {
    let plain = NIError(.userDidNotAllow)
    let more = NIError(.userDidNotAllow, userInfo: [NSLocalizedFailureReasonErrorKey: "no", "count": 3])
    #expect(plain == more && plain != NIError(.sessionFailed) && Set([plain, more]).count == 1)
    #expect(more.userInfo["count"] as? Int == 3 && more.failureReason == "no")
    #expect((more as NSError).userInfo["count"] as? Int == 3)
    #expect(more.localizedDescription == plain.localizedDescription && plain.failureReason == nil)
    let own = NIError(.userDidNotAllow, userInfo: [NSLocalizedDescriptionKey: "Ask again."])
    #expect(own.localizedDescription == "Ask again.")
  }

  /// A capability that was written for an earlier system.
  struct EarlierPhone: NIDeviceCapability {
    let supportsPreciseDistanceMeasurement = true
    let supportsDirectionMeasurement = true
    let supportsCameraAssistance = false
  }

  @Test func laterCapabilitiesHaveADefault() {
    let phone: any NIDeviceCapability = EarlierPhone()
    #expect(phone.supportsPreciseDistanceMeasurement && !phone.supportsBluetoothChannelSounding)
    #expect(!phone.supportsExtendedDistanceMeasurement && !phone.supportsDLTDOAMeasurement)
    #expect(NIDLTDOAConfiguration(networkIdentifier: 1, discoveryMethod: .wifi).discoveryMethod == .wiFi)
  }

}
