import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
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

  @Test func rangesOnceConfigured() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 4, peers: peers).world(device)
    try world.playBlocking(until: 1)
    #expect(listener.callbacks == ["started", "shareable"] && listener.objects.isEmpty)
    let answer = try ShareableConfigurationData(try #require(listener.data.first))
    #expect(answer.intervalMilliseconds == 240 && answer.slotsPerRound == 6 && answer.hops == true)
    device.accessory(address: Self.address, received: .configureAndStart(answer))
    try world.playBlocking(until: 3)
    #expect(listener.objects.count == 20)
    #expect(
      listener.objects.allSatisfy { $0.discoveryToken == configuration.accessoryDiscoveryToken && $0.distance == 3 })
    device.accessory(address: Self.address, received: .stop)
    try world.playBlocking()
    #expect(listener.objects.count == 20)
  }

  /// Not configured in time: removed; the next run generates the data again.
  @Test func timesOutWithoutConfiguration() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 9, peers: peers).world(device)
    try world.playBlocking(until: 4.5)
    #expect(listener.callbacks == ["started", "shareable"])
    try world.playBlocking(until: 6)
    #expect(listener.callbacks == ["started", "shareable", "removed timeout 1"])
    session.run(configuration)
    try world.playBlocking(until: 7)
    #expect(listener.callbacks.suffix(2) == ["started", "shareable"] && listener.data.count == 2)
  }

  @Test func mustBeConnected() throws {
    let identity = UUID()
    let (device, listener, session, configuration) = try setUp(identity)
    device.disconnectAccessory(bluetoothIdentifier: identity)
    session.run(configuration)
    device.settle()
    #expect(listener.code == .accessoryPeerDeviceUnavailable)
  }

  /// In the background ranging continues without callbacks; they continue on return.
  @Test func backgroundRangesWithoutCallbacks() throws {
    let (device, listener, session, configuration) = try setUp(UUID())
    session.run(configuration)
    let tape = Tape(seconds: 20, peers: peers, deviceEvents: [(2, "suspend", nil), (16, "resume", nil)])
    let world = tape.world(device)
    try world.playBlocking(until: 0.5)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    try world.playBlocking(until: 2)
    let received = listener.objects.count
    try world.playBlocking(until: 15.9)
    #expect(listener.objects.count == received && session.state == .running)
    try world.playBlocking()
    #expect(listener.callbacks == ["started", "shareable"] && listener.objects.count == received + 40)
  }

  /// With camera assistance: ranges without frames or poses in the background, and the state again on return.
  @Test func stateIsReportedOnReturn() throws {
    let (device, listener, session, configuration) = try setUp(UUID())
    configuration.isCameraAssistanceEnabled = true
    session.run(configuration)
    let tape = Tape(
      seconds: AxesTests.motionSeconds + 8, peers: peers,
      deviceEvents: [(AxesTests.motionSeconds, "suspend", nil), (AxesTests.motionSeconds + 4, "resume", nil)],
      worldFromDevice: AxesTests.pose)
    let world = tape.world(device)
    try world.playBlocking(until: 0.2)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    try world.playBlocking(until: AxesTests.motionSeconds)
    let before = (listener.objects.count, listener.convergence.count)
    let last = try #require(listener.objects.last)
    #expect(last.horizontalAngle != nil && session.worldTransform(for: last) != nil)
    try world.playBlocking(until: AxesTests.motionSeconds + 3.95)
    #expect((listener.objects.count, listener.convergence.count) == before && session.state == .running)
    try world.playBlocking(until: AxesTests.motionSeconds + 4.5)
    let back = listener.objects.dropFirst(before.0)
    let reported = listener.convergence.dropFirst(before.1)
    #expect(!back.isEmpty && back.allSatisfy { abs(($0.distance ?? 0) - 3) < 0.3 })
    #expect(
      reported.contains { $0.1 != nil } && reported.contains { $0.1 == nil },
      "peer's and session's, though nothing changed")
    #expect(listener.callbacks == ["started", "shareable"])
    try world.playBlocking()
    #expect(listener.objects.last?.horizontalAngle != nil, "found again")
  }

  /// Channel sounding: without exchange of data; only on a device that supports it, with a connected accessory.
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
    try world.playBlocking()
    #expect(listener.callbacks == ["started"])
    let last = try #require(listener.objects.last)
    #expect(last.discoveryToken == configuration.accessoryDiscoveryToken && last.horizontalAngle != nil)
  }

  /// A reported motion of the accessory widens the posterior from the next range on; revoking it narrows it again. A
  /// report before the first range takes effect, too.
  @Test(arguments: [0.05, 20]) func motionHintsWidenThePosterior(at moment: Double) throws {
    func deviations(_ states: [NIMotionActivityState]) throws -> Double {
      let (device, listener, session, configuration) = try setUp()
      configuration.isCameraAssistanceEnabled = true
      session.run(configuration)
      let world = Tape(seconds: 24, peers: peers, worldFromDevice: AxesTests.pose).world(device)
      try world.playBlocking(until: 0.01)
      device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
      try world.playBlocking(until: moment)
      for state in states {
        session.updateMotionState(state, forObjectWithToken: configuration.accessoryDiscoveryToken)
      }
      session.updateMotionState(.moving, forObjectWithToken: NIDiscoveryToken(capabilities: []))
      try world.playBlocking()
      let last = try #require(listener.objects.last?.estimate?.object)
      // A lost peer has no angle.
      return last.horizontalAngle?.standardDeviation ?? .infinity
    }
    let stationary = try deviations([])
    #expect(stationary < 0.1)
    let moving = try deviations([.moving])
    #expect(moving > 1.5 * stationary, "\(moving) \(stationary)")
    #expect(try deviations([.stationary]) == stationary)
    #expect(try deviations([.moving, .unknown]) == stationary)
  }

  /// A motion hint applies to the accessory's token only, and is without effect for ranges.
  @Test func motionHintsAreAccepted() throws {
    let (device, listener, session, configuration) = try setUp()
    session.run(configuration)
    let world = Tape(seconds: 2, peers: peers).world(device)
    try world.playBlocking(until: 0.5)
    device.accessory(address: Self.address, received: .configureAndStart(AccessoryCodecTests.newAnswer))
    for state in NIMotionActivityState.allCases {
      session.updateMotionState(state, forObjectWithToken: configuration.accessoryDiscoveryToken)
      session.updateMotionState(state, forObjectWithToken: NIDiscoveryToken(capabilities: []))
    }
    try world.playBlocking()
    #expect(listener.objects.count == 15)
  }
}
