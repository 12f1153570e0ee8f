import Foundation
import Geometry
import NearbyInteraction
import PhoneApps
import RecordedDevices
import SensorData
import TestSupport
import Testing
import simd

// One line for a subclass whose base class leaves callbacks out; see `SubclassedSessionDelegate`.
extension RangingScreen: SubclassedSessionDelegate {}

/// Eight apps of the usual shapes, played from a task: they compile as they are, and find what they look for.
@Suite struct PhoneAppTests {
  let tag = ["tag": Vector3(0, 4, 0)]

  static func recording(_ name: String, profile: DeviceProfile = .phone) throws -> RecordedDevice {
    try RecordedDevice(folder: Repository.root.appendingPathComponent("datasets/\(name)"), profile: profile)
  }

  static func world(_ phone: RecordedDevice) -> World {
    let world = World()
    world.add(phone.device, playing: phone.source)
    return world
  }

  /// A peer, its own queue, and hops to the main queue from there.
  @Test func peerWithHopsToTheMainQueue() async throws {
    let phone = try Self.recording("demo")
    let screen = PeerScreen()
    NearbyDevice.with(phone.device) { screen.open(phone.device.token(forPeer: "tag")) }
    try await Self.world(phone).play(until: 5)
    let (shown, between) = await MainActor.run { (screen.shown, screen.shownBetweenCallbacks) }
    #expect(shown.count > 40 && between == shown.count, "each is shown before the next comes")
    #expect(shown.first == "5.7 m")
  }

  /// An accessory that is lost twice, and tried three times.
  @Test func accessoryWithRetries() async throws {
    let device = Tape.device(.phoneWithoutDirection)
    device.addAccessory(address: AccessorySessionTests.address, peer: "tag")
    let app = NearbyDevice.with(device) { TagAccessory() }
    nonisolated(unsafe) var answers = 0
    app.send = { data in
      answers += 1
      // The first answer never arrives.
      guard answers > 1, let message = try? AccessoryMessage(data) else { return }
      device.accessory(address: AccessorySessionTests.address, received: message)
    }
    app.tagSent(Data([0x01, 9, 9]))
    #expect(app.state == .failed("The session's configuration is not valid."))
    app.tagSent(Data([0x01]) + AccessoryCodecTests.newConfiguration.data)
    let world = Tape(seconds: 40, peers: tag, ranges: { $0 < 12 }).world(device)
    try await world.play(until: 4)
    #expect(app.state == .waiting)
    try await world.play(until: 10)
    #expect(app.state == .ranging(4) && app.attempts == 2)
    try await world.play()
    #expect(app.state == .lost(attempts: 3), "twice removed after a time-out, three times started")
  }

  /// The camera runs first; the session comes later and shares it.
  @Test func assistedSessionAfterItsARSession() async throws {
    let phone = try Self.recording("demo")
    let view = NearbyDevice.with(phone.device) { AssistedView() }
    view.viewWillAppear()
    let world = Self.world(phone)
    try await world.play(until: 4)
    #expect(view.framesBeforeNI > 30 && view.trackingTexts == ["starting", "tracking"])
    #expect(view.niSession == nil)
    NearbyDevice.with(phone.device) { view.find(phone.device.token(forPeer: "tag")) }
    try await world.play()
    let place = try #require(view.place)
    #expect(view.anchors.map(\.name) == ["found"])
    #expect(simd_make_float3(try #require(view.anchors.first).transform.columns.3) == place)
    #expect(!view.advice.isEmpty && view.advice.allSatisfy { $0.hasSuffix(".") })
    // At the end of this recording the phone looks at the tag.
    #expect(try #require(view.arrow) < 0.4)
    #expect(view.camera?.trackingState == .normal)
  }

  /// In the dark tracking is limited, and normal again afterwards.
  @Test func trackingIsLimitedInTheDark() async throws {
    let phone = try Self.recording("dark")
    let view = NearbyDevice.with(phone.device) { AssistedView() }
    view.viewWillAppear()
    try await Self.world(phone).play()
    #expect(view.trackingTexts == ["starting", "tracking", "too little to see", "tracking"])
  }

  /// A watch measures distances only; the state is an actor's.
  @MainActor @Test func watchWithAnActor() async throws {
    let device = Tape.device(.watch)
    let finder = WatchFinder()
    let link = WatchLink(finder)
    #expect(NearbyDevice.with(device) { link.start(device.token(forPeer: "tag")) })
    let tape = Tape(
      seconds: 12, peers: tag, deviceEvents: [(11, "peerEnded", "tag")],
      worldFromDevice: { Pose(rotation: Tape.upright, translation: Vector3(0, 0.25 * $0, 0)) })
    try await tape.world(device).play()
    // What tasks still do is not the world's.
    for _ in 0..<200 where await !finder.isOver { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await finder.distances.count > 80)
    #expect(try #require(await finder.nearest) < 1.5)
    #expect(await finder.isOver)
  }

  /// Anchors of a hall; the app computes its position.
  @Test func positionFromAnchors() async throws {
    let device = Tape.device(.phoneWithAnchors)
    let app = HallNavigator()
    NearbyDevice.with(device) { app.enter(network: 7) }
    let position = simd_double2(2, -1)
    let anchors = [simd_double2(10, 0), simd_double2(-8, 7), simd_double2(0, -9), simd_double2(-6, -8)]
    let measurements = anchors.enumerated().map { index, anchor in
      NIDLTDOAMeasurement(
        address: index, clusterInitiatorAddress: 0, measurementType: index == 0 ? .poll : .response, transmitTime: 5,
        receiveTime: 5.25 + distance(anchor, position) / 299_792_458, signalStrength: -70, carrierFrequencyOffset: 0,
        coordinatesType: .relative, coordinates: simd_double3(anchor.x, anchor.y, 3))
    }
    let played = Task.detached { device.receive(measurements, ofNetwork: 7, at: Tape.time(1)) }
    await played.value
    let found = try #require(app.position)
    #expect(distance(found, position) < 0.01 && app.problem == nil)
  }

  /// A subclass of the class that conforms: what it overrides, and what its base class leaves out.
  @Test func subclassedDelegate() async throws {
    let device = Tape.device()
    let screen = NearbyDevice.with(device) { RangingScreen() }
    screen.range(device.token(forPeer: "tag"))
    let tape = Tape(
      seconds: 10, peers: tag,
      deviceEvents: [(2, "suspend", nil), (4, "resume", nil), (8, "peerEnded", "tag")])
    try await tape.world(device).play()
    #expect(screen.log == ["update", "suspended", "resumed", "update", "peer ended"])
    #expect(screen.updates > 50)
  }

  /// Two sessions at once, without assistance: directions are the radio's. A third is refused.
  @Test func twoSessionsAtOnce() async throws {
    let device = Tape.device()
    let keyring = KeyringModel()
    NearbyDevice.with(device) {
      for name in ["keys", "bag", "umbrella"] { keyring.watch(device.token(forPeer: name), named: name) }
    }
    var events = Tape(seconds: 3, peers: ["keys": Vector3(1, 3, 0), "bag": Vector3(0, 2, 0)]).events
    for index in events.indices {
      guard case .range(var range) = events[index].event else { continue }
      (range.azimuth, range.elevation) = (range.peer == "keys" ? 0.32 : 0, 0)
      events[index] = TimedEvent(.range(range))
    }
    let world = World()
    world.add(device, playing: EventList(events))
    try await world.play()
    #expect(keyring.nearestFirst == ["bag", "keys"])
    #expect(keyring.refused == [.activeSessionsLimitExceeded])
    #expect(try #require(keyring.direction(of: "keys")).x > 0.3)
    #expect(try #require(keyring.direction(of: "bag")).z == -1)
  }

  /// In the background the accessory still ranges; camera and callbacks stop.
  @Test func backgroundWithAnAccessory() async throws {
    let device = Tape.device(.phoneWithoutDirection)
    let identifier = UUID()
    device.addAccessory(address: AccessorySessionTests.address, peer: "tag", bluetoothIdentifier: identifier)
    let app = NearbyDevice.with(device) { PocketGuard() }
    app.link = { data in
      guard let message = try? AccessoryMessage(data) else { return }
      device.accessory(address: AccessorySessionTests.address, received: message)
    }
    try app.start(AccessoryCodecTests.newConfiguration.data, identifier: identifier)
    let tape = Tape(seconds: 8, peers: tag, deviceEvents: [(3, "suspend", nil), (5, "resume", nil)])
    try await tape.world(device).play()
    #expect(app.log == ["near", "camera off", "camera on", "near"])
  }

  /// The recording with angles of arrival: an app without assistance has a direction, while the tag is in their reach.
  @Test func directionsOfARecording() async throws {
    let phone = try Self.recording("arc-aoa")
    let keyring = KeyringModel()
    NearbyDevice.with(phone.device) { keyring.watch(phone.device.token(forPeer: "tag"), named: "tag") }
    let world = Self.world(phone)
    var directions: [SIMD3<Float>?] = []
    for tenth in 1...120 {
      try await world.play(until: Double(tenth) / 10)
      directions.append(keyring.direction(of: "tag"))
    }
    // The tag is 1 m to the right at 3.5 m ahead.
    let first = try #require(directions[5])
    #expect(abs(atan2(first.x, -first.z) - 0.28) < 0.3)
    // The arm swings the tag near the border of the cone, and some ranges are lost.
    #expect(directions[20..<80].count { $0 != nil } > 45)
    #expect(directions[102..<106].allSatisfy { $0 == nil }, "the phone has turned away by 110 degrees")
  }
}
