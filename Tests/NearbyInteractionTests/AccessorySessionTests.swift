import Foundation
import Geometry
import NearbyInteraction
import SensorData
import Testing

/// Sessions with an accessory.
@Suite struct AccessorySessionTests {
  static let address: [UInt8] = [0x12, 0x34]
  let peers = ["tag": Vector3(0, 3, 0)]

  func setUp(_ bluetooth: UUID? = nil) throws -> (NearbyDevice, Listener, NISession, NINearbyAccessoryConfiguration) {
    let device = Tape.device()
    device.addAccessory(address: Self.address, peer: "tag", bluetoothIdentifier: bluetooth)
    let listener = Listener()
    let data = AccessoryCodecTests.newConfiguration.data
    let configuration =
      try bluetooth.map { try NINearbyAccessoryConfiguration(accessoryData: data, bluetoothPeerIdentifier: $0) }
      ?? NINearbyAccessoryConfiguration(data: data)
    return (device, listener, listener.session(on: device), configuration)
  }

  @Test func itRangesOnceItWasConfigured() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 4, peers: peers).world(device)
    try world.play(until: 1)
    #expect(listener.words == ["started", "shareable"] && listener.objects.isEmpty)
    let answer = try ShareableConfigurationData(try #require(listener.data.first))
    #expect(answer.intervalMilliseconds == 240 && answer.slotsPerRound == 6 && answer.hops == true)
    device.accessory(address: Self.address, received: .configureAndStart(answer))
    try world.play(until: 3)
    #expect(listener.objects.count == 20)
    #expect(
      listener.objects.allSatisfy { $0.discoveryToken == configuration.accessoryDiscoveryToken && $0.distance == 3 })
    device.accessory(address: Self.address, received: .stop)
    try world.play()
    #expect(listener.objects.count == 20)
  }

  /// Not configured in time: removed; the next run generates the data anew.
  @Test func itsWindowCloses() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 9, peers: peers).world(device)
    try world.play(until: 4.5)
    #expect(listener.words == ["started", "shareable"])
    try world.play(until: 6)
    #expect(listener.words == ["started", "shareable", "removed timeout 1"])
    session.run(configuration)
    try world.play(until: 7)
    #expect(listener.words.suffix(2) == ["started", "shareable"] && listener.data.count == 2)
  }

  @Test func itMustBeConnected() throws {
    let identity = UUID()
    let (device, listener, session, configuration) = try setUp(identity)
    device.disconnectAccessory(bluetoothIdentifier: identity)
    session.run(configuration)
    device.settle()
    #expect(listener.code == .accessoryPeerDeviceUnavailable)
  }

  /// In the background ranging goes on and nobody is called; on return the state is there.
  @Test func theBackgroundIsSilentAndGoesOn() throws {
    let (device, listener, session, configuration) = try setUp(UUID())
    session.run(configuration)
    let tape = Tape(seconds: 20, peers: peers, happenings: [(2, "suspend", nil), (16, "resume", nil)])
    let world = tape.world(device)
    try world.play(until: 0.5)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    try world.play(until: 2)
    let heard = listener.objects.count
    try world.play(until: 15.9)
    #expect(listener.objects.count == heard && session.state == .running)
    try world.play()
    #expect(listener.words == ["started", "shareable"] && listener.objects.count == heard + 40)
  }

  /// With camera assistance: ranges without frames or poses while the app is away, and the state anew on return.
  @Test func theStateIsToldOnReturn() throws {
    let (device, listener, session, configuration) = try setUp(UUID())
    configuration.isCameraAssistanceEnabled = true
    session.run(configuration)
    let tape = Tape(
      seconds: AxesTests.lively + 8, peers: peers,
      happenings: [(AxesTests.lively, "suspend", nil), (AxesTests.lively + 4, "resume", nil)],
      worldFromDevice: AxesTests.pose)
    let world = tape.world(device)
    try world.play(until: 0.2)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    try world.play(until: AxesTests.lively)
    let before = (listener.objects.count, listener.convergence.count)
    let seen = try #require(listener.objects.last)
    #expect(seen.horizontalAngle != nil && session.worldTransform(for: seen) != nil)
    try world.play(until: AxesTests.lively + 3.95)
    #expect((listener.objects.count, listener.convergence.count) == before && session.state == .running)
    try world.play(until: AxesTests.lively + 4.5)
    let back = listener.objects.dropFirst(before.0)
    let told = listener.convergence.dropFirst(before.1)
    #expect(!back.isEmpty && back.allSatisfy { abs(($0.distance ?? 0) - 3) < 0.3 })
    #expect(
      told.contains { $0.1 != nil } && told.contains { $0.1 == nil }, "peer's and session's, though nothing changed")
    #expect(listener.words == ["started", "shareable"])
    try world.play()
    #expect(listener.objects.last?.horizontalAngle != nil, "found again")
  }

  /// Channel sounding: nothing to exchange; only on a device that can, with an accessory that is there.
  @Test func channelSoundingRangesAtOnce() throws {
    let identity = UUID()
    let configuration = NINearbyAccessoryConfiguration(
      bluetoothChannelSoundingIdentifier: identity, previousBluetoothIdentifier: nil)
    #expect(try ArchiveTests.roundTrip(configuration) == configuration)
    let device = Tape.device(.channelSounding)
    #expect(ErrorTests.code(configuration, on: device) == .accessoryPeerDeviceUnavailable)
    #expect(ErrorTests.code(configuration, on: Tape.device(.phone)) == .unsupportedPlatform)
    device.addAccessory(channelSoundingIdentifier: identity, peer: "tag")
    let listener = Listener()
    let session = listener.session(on: device)
    configuration.isCameraAssistanceEnabled = true
    session.run(configuration)
    let world = Tape(seconds: 16, peers: peers, worldFromDevice: AxesTests.pose).world(device)
    try world.play()
    #expect(listener.words == ["started"])
    let last = try #require(listener.objects.last)
    #expect(last.discoveryToken == configuration.accessoryDiscoveryToken && last.horizontalAngle != nil)
  }

  /// Somebody carries the accessory off: the word of it widens what is believed from the next range on, and taken back it
  /// narrows again. Said before the first range it counts as well.
  @Test(arguments: [0.05, 20]) func motionHintsCount(at moment: Double) throws {
    func deviations(_ states: [NIMotionActivityState]) throws -> Double {
      let (device, listener, session, configuration) = try setUp()
      configuration.isCameraAssistanceEnabled = true
      session.run(configuration)
      let world = Tape(seconds: 24, peers: peers, worldFromDevice: AxesTests.pose).world(device)
      try world.play(until: 0.01)
      device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
      try world.play(until: moment)
      for state in states {
        session.updateMotionState(state, forObjectWithToken: configuration.accessoryDiscoveryToken)
      }
      session.updateMotionState(.moving, forObjectWithToken: NIDiscoveryToken(capabilities: []))
      try world.play()
      let last = try #require(listener.objects.last?.estimate?.object)
      // One that is lost is known to nothing.
      return last.horizontalAngle?.standardDeviation ?? .infinity
    }
    let still = try deviations([])
    #expect(still < 0.1)
    let moving = try deviations([.moving])
    #expect(moving > 1.5 * still, "\(moving) \(still)")
    #expect(try deviations([.stationary]) == still)
    #expect(try deviations([.moving, .unknown]) == still)
  }

  /// A hint about motion is for the accessory's token only, and harms nothing.
  @Test func motionHintsAreTaken() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 2, peers: peers).world(device)
    try world.play(until: 0.5)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    for state in NIMotionActivityState.allCases {
      session.updateMotionState(state, forObjectWithToken: configuration.accessoryDiscoveryToken)
      session.updateMotionState(state, forObjectWithToken: NIDiscoveryToken(capabilities: []))
    }
    try world.play()
    #expect(listener.objects.count == 15)
  }
}
