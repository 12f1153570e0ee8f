import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// Two devices in one world.
@Suite struct WorldTests {
  /// Position and yaw of the second phone, in the first one's initial frame.
  static let secondPosition = Vector3(1, 4, 0)
  static let secondYaw = 2.6

  /// First one phone moves and the other is stationary, then vice versa: peers are taken to be stationary.
  static let motionSeconds = 14.0
  static func swing(_ time: Double) -> Pose {
    guard time > 0, time < motionSeconds else { return Pose(rotation: Tape.upright) }
    let phase = 2 * Double.pi * time / motionSeconds
    return Pose(
      rotation: .yaw(0.4 * sin(3 * phase)) * Tape.upright,
      translation: Vector3(0.7 * sin(5 * phase), 0.5 * sin(3 * phase), 0.5 * sin(7 * phase)))
  }

  /// Poses of the first and the second phone in the world frame.
  static func first(_ time: Double) -> Pose { swing(time) }
  static func second(_ time: Double) -> Pose {
    Pose(rotation: .yaw(secondYaw), translation: secondPosition) * swing(time - motionSeconds)
  }

  /// Odometry of one phone in a world of its own, and its ranges to the other.
  static func events(_ own: (Double) -> Pose, to other: (Double) -> Pose, named peer: String) -> [TimedEvent] {
    let ownWorld = Pose(rotation: .yaw(own(0).rotation.v.z > 0.1 ? -1 : 0.5), translation: Vector3(5, 6, 7))
    var events: [SensorEvent] = (0...Int(2 * motionSeconds * 25)).map {
      let time = Double($0) / 25
      return .odometry(OdometryPose(timestamp: Tape.time(time), worldFromSensor: ownWorld * own(time)))
    }
    for k in 0..<Int(2 * motionSeconds * 10) {
      let time = 0.1 * Double(k) + 0.013
      let distance = (other(time).translation - own(time).translation).norm
      events.append(.range(RangeMeasurement(timestamp: Tape.time(time), peer: peer, range: distance)))
    }
    return events.sorted { ($0.timestamp, $0.rank) < ($1.timestamp, $1.rank) }.map { TimedEvent($0) }
  }

  /// Both find each other: distances are equal, and the directions are opposite.
  @Test func bothSidesFindEachOther() throws {
    let (anna, ben) = (Tape.device(), Tape.device())
    let world = World()
    world.add(anna, playing: EventList(Self.events(Self.first, to: Self.second, named: "ben")))
    world.add(ben, playing: EventList(Self.events(Self.second, to: Self.first, named: "anna")), at: 0.02)
    world.pair(anna, named: "anna", with: ben, named: "ben")
    let (annas, bens) = (Listener(), Listener())
    let (annaSession, benSession) = (annas.session(on: anna), bens.session(on: ben))
    annaSession.run(SessionTests.assisted(try #require(benSession.discoveryToken)))
    try world.playBlocking(until: 1)
    #expect(annas.callbacks == ["started"] && annas.objects.isEmpty, "both have to run")
    benSession.run(SessionTests.assisted(try #require(annaSession.discoveryToken)))
    try world.playBlocking(until: Self.motionSeconds)
    let fromAnnaFirst = try #require(annas.objects.last)
    try world.playBlocking()
    let fromBenLast = try #require(bens.objects.last)
    let fromAnnaLast = try #require(annas.objects.last)
    let separation = Self.secondPosition.norm
    for object in [fromAnnaFirst, fromBenLast, fromAnnaLast] {
      let distance = try #require(object.distance)
      #expect(abs(Double(distance) - separation) < 0.3)
    }
    // In the world frame each direction is the other's, reversed.
    let fromAnna = Self.first(Self.motionSeconds).rotation * Vector3(try #require(fromAnnaFirst.direction))
    let fromBen = Self.second(2 * Self.motionSeconds).rotation * Vector3(try #require(fromBenLast.direction))
    #expect(fromAnna.dot(Self.secondPosition.normalized) > cos(Angle.degrees(8)))
    #expect(-fromBen.dot(fromAnna) > cos(Angle.degrees(12)))
  }

  /// One recording serves both ends: a tag without sensors receives the same distances.
  @Test func sharedRangesReachTheOtherSide() throws {
    let (phone, tag) = (Tape.device(), Tape.device(.watch))
    let world = World()
    let tape = Tape(seconds: 3, peers: ["tag": Vector3(0, 2, 0)])
    world.add(phone, playing: EventList(tape.events))
    world.add(tag)
    world.pair(phone, named: "phone", with: tag, named: "tag", sharesRanges: true)
    let (phones, tags) = (Listener(), Listener())
    let (phoneSession, tagSession) = (phones.session(on: phone), tags.session(on: tag))
    phoneSession.run(SessionTests.plain(try #require(tagSession.discoveryToken)))
    tagSession.run(SessionTests.plain(try #require(phoneSession.discoveryToken)))
    try world.playBlocking()
    #expect(phones.objects.count == 30 && phones.objects.map(\.distance) == tags.objects.map(\.distance))
    #expect(tags.objects.allSatisfy { $0.discoveryToken == phoneSession.discoveryToken })
  }

  /// Regression: with several neighbours, the first one's name went into the second one's ranges.
  @Test func eachNeighbourReceivesItsOwnRanges() throws {
    let phone = Tape.device()
    let world = World()
    world.add(
      phone, playing: EventList(Tape(seconds: 2, peers: ["a": Vector3(0, 2, 0), "b": Vector3(0, 5, 0)]).events))
    var kept: [(NISession, NISession, Listener)] = []
    // Each tag uses the other tag's name for the phone: only the pairing resolves the names.
    for (name, nameOfPhone) in [("a", "b"), ("b", "a")] {
      let (tag, listener) = (Tape.device(.watch), Listener())
      world.add(tag)
      world.pair(phone, named: nameOfPhone, with: tag, named: name, sharesRanges: true)
      let (tagSession, phoneSession) = (listener.session(on: tag), Listener().session(on: phone))
      tagSession.run(SessionTests.plain(try #require(phoneSession.discoveryToken)))
      phoneSession.run(SessionTests.plain(try #require(tagSession.discoveryToken)))
      kept.append((tagSession, phoneSession, listener))
    }
    try world.playBlocking()
    #expect(
      kept.map { $0.2.objects.map(\.distance) } == [Array(repeating: 2, count: 20), Array(repeating: 5, count: 20)])
  }

  /// The peer is removed as ended when it invalidates, and times out when it pauses, is suspended or has an ended
  /// token.
  @Test(arguments: ["invalidate", "pause", "suspend", "expire", "dropped"]) func stateOfTheOtherSideIsNoticed(
    action: String
  )
    throws
  {
    let (phone, tag) = (Tape.device(), Tape.device(.watch))
    let world = World()
    world.add(phone, playing: EventList(Tape(seconds: 20, peers: ["tag": Vector3(0, 2, 0)]).events))
    let isSuspended = action == "suspend" || action == "expire"
    let deviceEvents: [(at: Double, name: String, peer: String?)] = isSuspended ? [(2.5, "suspend", nil)] : []
    // Too long in the background ends the session, which cannot notify its peer.
    if action == "expire" { tag.policy.suspendedTime = 1 }
    world.add(tag, playing: EventList(Tape(seconds: 20, deviceEvents: deviceEvents).events))
    world.pair(phone, named: "phone", with: tag, named: "tag", sharesRanges: true)
    let (phones, tags) = (Listener(), Listener())
    let phoneSession = phones.session(on: phone)
    var tagSession: NISession? = tags.session(on: tag)
    let tagToken = try #require(tagSession?.discoveryToken)
    phoneSession.run(SessionTests.plain(tagToken))
    tagSession?.run(SessionTests.plain(try #require(phoneSession.discoveryToken)))
    try world.playBlocking(until: 2)
    #expect(phones.callbacks == ["started"] && tags.callbacks == ["started"])
    switch action {
    case "invalidate": tagSession?.invalidate()
    case "pause": tagSession?.pause()
    case "dropped": tagSession = nil
    default: break
    }
    let received = phones.objects.count
    try world.playBlocking(until: 6)
    let isEnd = action == "invalidate" || action == "dropped"
    #expect(phones.callbacks == (isEnd ? ["started", "removed peerEnded 1"] : ["started"]))
    #expect(phones.objects.count <= received + (isSuspended ? 6 : 0))
    if action == "expire" { #expect(tags.callbacks == ["started", "suspended", "invalidated sessionFailed"]) }
    if isEnd {
      // The token is invalid: a new run receives nothing and times out.
      phoneSession.run(SessionTests.plain(tagToken))
    }
    try world.playBlocking()
    #expect(phones.callbacks.last == "removed timeout 1" && phones.objects.count <= received + 6)
  }

  /// At full speed, step by step and in pieces: the same callbacks and objects.
  @Test func callbacksDoNotDependOnSpeed() throws {
    func received(_ play: (World) throws -> Void) throws -> ([String], [NINearbyObject]) {
      let device = Tape.device()
      let listener = Listener()
      let session = listener.session(on: device)
      let token = try #require(try? JSONDecoder().decode(NIDiscoveryToken.self, from: Self.token))
      device.bind(token, toPeer: "a")
      session.run(SessionTests.assisted(token))
      try play(Tape(seconds: 3, peers: ["a": Vector3(0, 2, 0)], worldFromDevice: AxesTests.pose).world(device))
      return (listener.callbacks, listener.objects)
    }
    let fast = try received { try $0.playBlocking() }
    let stepped = try received { while try $0.stepBlocking() {} }
    let pieces = try received { world in
      for k in 0..<20 { try world.playBlocking(until: 0.17 * Double(k)) }
      try world.playBlocking()
    }
    let paced = try received { try $0.playBlocking(pace: { RealTimePace(speed: 1000)($0) }) }
    for other in [stepped, pieces, paced] {
      #expect(other.0 == fast.0 && other.1 == fast.1 && fast.1.count > 50)
      #expect(zip(other.1, fast.1).allSatisfy { $0.estimate == $1.estimate })
    }
  }
  private static let token = Data("\"\((Data([1, 1]) + Data(repeating: 7, count: 16)).base64EncodedString())\"".utf8)

  /// A simulated scenario, and a folder that is not there.
  @Test func scenariosAndFoldersPlay() throws {
    let recorded = try RecordedDevice(scenario: "two-peers", seed: 3, profile: .watch)
    #expect(recorded.peers == ["bag", "keys"])
    let listener = Listener()
    let session = listener.session(on: recorded.device)
    session.run(SessionTests.plain(recorded.device.token(forPeer: "keys")))
    let world = World()
    world.add(recorded.device, playing: recorded.source)
    try world.playBlocking(until: 2)
    #expect(listener.callbacks == ["started"] && listener.objects.count > 10)
    #expect(throws: RecordingError.self) { try RecordedDevice(folder: URL(fileURLWithPath: "/nowhere")) }
    #expect(throws: RecordingError.self) { try RecordedDevice(scenario: "nowhere") }
  }

  /// `NISession()` runs on the device of the surrounding scope, and has its capabilities.
  @Test func theCurrentDeviceIsTheScopes() {
    NearbyDevice.with(Tape.device(.watch)) {
      #expect(NISession.deviceCapabilities.supportsPreciseDistanceMeasurement && NISession.isSupported)
      #expect(!NISession.deviceCapabilities.supportsCameraAssistance)
      #expect(NISession().discoveryToken?.deviceCapabilities.supportsPreciseDistanceMeasurement == true)
    }
    NearbyDevice.with(nil) { #expect(!NISession.isSupported) }
  }
}
