import Foundation
import Geometry
import NearbyInteraction
import SensorData
import Testing

/// Sessions on a device that plays a tape.
@Suite struct SessionTests {
  let tag = ["tag": Vector3(0, 4, 0)]

  static func plain(_ token: NIDiscoveryToken) -> NINearbyPeerConfiguration {
    NINearbyPeerConfiguration(peerToken: token)
  }
  static func assisted(_ token: NIDiscoveryToken) -> NINearbyPeerConfiguration {
    let configuration = plain(token)
    configuration.isCameraAssistanceEnabled = true
    return configuration
  }

  @Test func runStartsAndUpdatesFollow() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let token = device.token(forPeer: "tag")
    #expect(session.state == .idle && session.configuration == nil)
    session.run(Self.plain(token))
    #expect(listener.callbacks.isEmpty, "no callback is made from within a call")
    #expect(session.configuration as? NINearbyPeerConfiguration == Self.plain(token))
    try Tape(seconds: 2, peers: tag).world(device).playBlocking()
    #expect(listener.callbacks == ["started"] && session.state == .running)
    #expect(listener.objects.count == 20)
    for object in listener.objects {
      #expect(object.discoveryToken == token && object.distance == 4 && object.horizontalAngle == nil)
      #expect(object.verticalDirectionEstimate == .unknown && session.worldTransform(for: object) == nil)
    }
    #expect(listener.convergence.isEmpty, "without camera assistance nothing converges")
  }

  /// The configuration is copied: what the app changes afterwards does not reach the session.
  @Test func theConfigurationIsACopy() {
    let device = Tape.device()
    let session = Listener().session(on: device)
    let configuration = Self.plain(device.token(forPeer: "tag"))
    session.run(configuration)
    configuration.isCameraAssistanceEnabled = true
    let kept = session.configuration as? NINearbyPeerConfiguration
    #expect(kept?.isCameraAssistanceEnabled == false)
    kept?.isCameraAssistanceEnabled = true
    #expect((session.configuration as? NINearbyPeerConfiguration)?.isCameraAssistanceEnabled == false)
  }

  /// Values that apps pass between tasks are `Sendable`: the compiler checks it.
  @Test func typesAreSendable() async throws {
    func sendable(_ value: any Sendable) -> Bool { true }
    let device = Tape.device()
    let token = device.token(forPeer: "tag")
    let configurations: [NIConfiguration] = [
      NINearbyPeerConfiguration(peerToken: token), NIDLTDOAConfiguration(networkIdentifier: 1),
      try NINearbyAccessoryConfiguration(data: AccessoryCodecTests.oldConfiguration.data),
    ]
    #expect(sendable(device) && sendable(NISession(device: device)) && sendable(token))
    #expect(sendable(NINearbyObject(discoveryToken: token)) && sendable(NIError(.sessionFailed)))
    #expect(sendable(NIAlgorithmConvergence(status: .unknown)) && sendable(ARSession()))
    for configuration in configurations { #expect(sendable(configuration)) }
    // From many tasks at once: no value is torn, none is lost.
    let shared = NINearbyPeerConfiguration(peerToken: token)
    await withTaskGroup(of: Void.self) { group in
      for k in 0..<100 { group.addTask { shared.isCameraAssistanceEnabled = k >= 0 } }
    }
    #expect(shared.isCameraAssistanceEnabled)
  }

  @Test func pauseAndResumeKeepTheToken() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let own = session.discoveryToken
    session.run(Self.plain(device.token(forPeer: "tag")))
    let world = Tape(seconds: 6, peers: tag).world(device)
    try world.playBlocking(until: 2)
    session.pause()
    let received = listener.objects.count
    try world.playBlocking(until: 4)
    #expect(listener.objects.count == received && session.state == .paused)
    session.run(try #require(session.configuration))
    try world.playBlocking()
    #expect(listener.callbacks == ["started", "started"] && listener.objects.count == 40)
    #expect(session.discoveryToken == own && own != nil)
  }

  /// Suspended by an event, resumable after another, and running only after the next `run`.
  @Test func suspensionDoesNotResumeByItself() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let own = session.discoveryToken
    let tape = Tape(seconds: 8, peers: tag, deviceEvents: [(2, "suspend", nil), (4, "resume", nil)])
    session.run(Self.plain(device.token(forPeer: "tag")))
    let world = tape.world(device)
    try world.playBlocking(until: 3)
    #expect(listener.callbacks == ["started", "suspended"])
    session.run(try #require(session.configuration))
    try world.playBlocking(until: 3.5)
    #expect(listener.callbacks.count == 2 && session.state == .suspended, "a run before the end changes nothing")
    try world.playBlocking(until: 6)
    #expect(listener.callbacks == ["started", "suspended", "suspension ended"] && listener.objects.count == 20)
    session.run(try #require(session.configuration))
    try world.playBlocking()
    #expect(listener.callbacks.last == "started" && listener.objects.count == 40 && session.discoveryToken == own)
  }

  @Test func runInTheBackgroundIsSuspendedAtOnce() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let world = Tape(seconds: 4, peers: tag, deviceEvents: [(1, "suspend", nil), (3, "resume", nil)]).world(device)
    try world.playBlocking(until: 2)
    session.run(Self.plain(device.token(forPeer: "tag")))
    try world.playBlocking()
    #expect(listener.callbacks == ["suspended", "suspension ended"] && listener.objects.isEmpty)
  }

  @Test func missingRangesTimeOutAndRunRestarts() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let tape = Tape(seconds: 20, peers: tag, ranges: { $0 < 2 || $0 > 14 })
    session.run(Self.plain(device.token(forPeer: "tag")))
    let world = tape.world(device)
    try world.playBlocking(until: 11.8)
    #expect(listener.callbacks == ["started"])
    try world.playBlocking(until: 12.2)
    #expect(listener.callbacks == ["started", "removed timeout 1"] && session.state == .inactive)
    session.run(try #require(session.configuration))
    try world.playBlocking()
    #expect(listener.callbacks.last == "started" && listener.objects.count > 70)
  }

  @Test func aRecordedPeerEnds() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    session.run(Self.plain(device.token(forPeer: "tag")))
    try Tape(seconds: 4, peers: tag, deviceEvents: [(2, "peerEnded", "tag")]).world(device).playBlocking()
    #expect(listener.callbacks == ["started", "removed peerEnded 1"] && listener.objects.count == 20)
  }

  @Test func invalidateIsPermanent() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let configuration = Self.plain(device.token(forPeer: "tag"))
    session.run(configuration)
    let world = Tape(seconds: 4, peers: tag).world(device)
    try world.playBlocking(until: 1)
    session.invalidate()
    #expect(session.discoveryToken == nil && session.state == .invalidated)
    try world.playBlocking(until: 2)
    #expect(listener.callbacks == ["started"])
    session.run(configuration)
    session.pause()
    try world.playBlocking()
    #expect(listener.callbacks == ["started", "invalidated sessionFailed"] && listener.objects.count == 10)
  }

  /// Calls from within a callback take effect at once.
  @Test func callbacksMayCallTheSession() throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    listener.answer = { callback, session in
      if callback == "update" { session.pause() }
    }
    session.run(Self.plain(device.token(forPeer: "tag")))
    try Tape(seconds: 3, peers: tag).world(device).playBlocking()
    #expect(listener.objects.count == 1 && session.state == .paused)
  }

  @Test func severalSessionsEachFindTheirPeer() throws {
    let device = Tape.device()
    let peers = ["keys": Vector3(0, 3, 0), "bag": Vector3(5, 0, 0)]
    let listeners = ["keys": Listener(), "bag": Listener()]
    let sessions = listeners.keys.sorted().map { peer in
      let session = listeners[peer]!.session(on: device)
      session.run(Self.plain(device.token(forPeer: peer)))
      return session
    }
    try Tape(seconds: 2, peers: peers).world(device).playBlocking()
    #expect(sessions.allSatisfy { $0.state == .running })
    #expect(listeners["keys"]!.objects.map(\.distance) == Array(repeating: 3, count: 20))
    #expect(listeners["bag"]!.objects.map(\.distance) == Array(repeating: 5, count: 20))
  }

  /// The delegate's callbacks as a stream, which ends with the session.
  @Test func streamMatchesTheDelegate() async throws {
    let device = Tape.device()
    let listener = Listener()
    let session = listener.session(on: device)
    let events = session.events
    session.run(Self.plain(device.token(forPeer: "tag")))
    try await Tape(seconds: 1, peers: tag, deviceEvents: [(0.9, "sessionFailed", nil)]).world(device).play()
    var received: [NISession.Event] = []
    for await event in events { received.append(event) }
    #expect(received.first == .didStartRunning && received.last == .didInvalidate(NIError(.sessionFailed)))
    let objects = received.compactMap { if case .didUpdate(let objects) = $0 { objects } else { nil } }.flatMap(\.self)
    #expect(objects == listener.objects && objects.count == 9)
    for await _ in session.events { Issue.record("an invalidated session emits nothing") }
  }
}
