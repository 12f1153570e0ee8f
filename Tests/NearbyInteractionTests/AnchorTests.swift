import Foundation
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// Sessions that listen to fixed anchors.
@Suite struct AnchorTests {
  static let speedOfLight = 299_792_458.0
  /// Positions of the anchors, metres; the phone is at the origin and its clock is ahead.
  static let anchors = [simd_double3(4, 0, 2.5), simd_double3(-3, 5, 2.5), simd_double3(0, -6, 0.5)]

  static func measurement(_ index: Int, at time: Double) -> NIDLTDOAMeasurement {
    let position = anchors[index]
    return NIDLTDOAMeasurement(
      address: 100 + index, clusterInitiatorAddress: 100, measurementType: index == 0 ? .poll : .response,
      transmitTime: time, receiveTime: time + 3 + (position * position).sum().squareRoot() / speedOfLight,
      signalStrength: -70,
      carrierFrequencyOffset: 2e-6, responderClockFrequencyOffset: index == 0 ? nil : -1e-6,
      coordinatesType: .relative, coordinates: position,
      floorElevation: index == 2 ? .init(floorNumber: -1, height: 2.5) : nil)
  }

  @Test func measurementsReachTheirNetworksSession() throws {
    let device = Tape.device(.phoneWithAnchors)
    device.policy.activeSessions = 3
    let listeners = [Listener(), Listener(), Listener()]
    let configurations: [NIConfiguration] = [
      NIDLTDOAConfiguration(networkIdentifier: 7), NIDLTDOAConfiguration(networkIdentifier: 8),
      NINearbyPeerConfiguration(peerToken: device.token(forPeer: "tag")),
    ]
    let sessions = zip(listeners, configurations).map { listener, configuration in
      let session = listener.session(on: device)
      session.run(configuration)
      return session
    }
    let sent = (0..<3).map { Self.measurement($0, at: 1) }
    device.receive(sent, ofNetwork: 7, at: Tape.time(1))
    device.receive([], ofNetwork: 8, at: Tape.time(1.1))
    #expect(listeners.map(\.anchors) == [sent, [], []])
    // Time differences times the speed of light are differences of distances.
    let received = listeners[0].anchors
    let delays = received.map { ($0.receiveTime - $0.transmitTime) * Self.speedOfLight }
    for k in 1..<3 {
      let difference = Self.anchors[k].length - Self.anchors[0].length
      #expect(abs(delays[k] - delays[0] - difference) < 1e-6)
    }
    // A session with anchors does not time out; the peer's session does.
    device.advance(to: Tape.time(60))
    #expect(listeners.map(\.callbacks) == [["started"], ["started"], ["started", "removed timeout 1"]])
    sessions[0].pause()
    device.receive(sent, ofNetwork: 7, at: Tape.time(61))
    #expect(listeners[0].anchors.count == 3)
  }

  @Test func streamReceivesMeasurements() async {
    let device = Tape.device(.phoneWithAnchors)
    let session = NISession(device: device)
    let events = session.events
    session.run(NIDLTDOAConfiguration(networkIdentifier: 1))
    let sent = [Self.measurement(0, at: 1)]
    device.receive(sent, ofNetwork: 1, at: Tape.time(1))
    session.invalidate()
    var received: [NISession.Event] = []
    for await event in events { received.append(event) }
    #expect(received == [.didStartRunning, .didUpdateDLTDOA(sent)])
  }

  @Test func deviceWithoutAnchorsIsUnsupported() {
    let configuration = NIDLTDOAConfiguration(networkIdentifier: 1)
    for profile in [DeviceProfile.phone, .watch, .phoneWithExtendedDistance] {
      #expect(ErrorTests.code(configuration, on: Tape.device(profile)) == .unsupportedPlatform)
      #expect(!profile.capabilities.supportsDLTDOAMeasurement)
    }
    #expect(ErrorTests.code(configuration, on: Tape.device(.phoneWithAnchors)) == nil)
    #expect(DeviceProfile.phoneWithAnchors.capabilities.supportsDLTDOAMeasurement)
    // Camera assistance does not apply to anchors.
    let device = Tape.device(.phoneWithAnchors)
    #expect(ErrorTests.code(configuration, on: device, ar: ARSession()) == .invalidARConfiguration)
  }

  @Test func valuesAreApplesAndSurviveArchives() throws {
    #expect(NIDLTDOAMeasurementType.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(NIDLTDOACoordinatesType.allCases.map(\.rawValue) == [0, 1])
    #expect(NIDLTDOAConfiguration.DiscoveryMethod.allCases.map(\.rawValue) == [0, 1])
    let configuration = NIDLTDOAConfiguration(networkIdentifier: 5)
    #expect(configuration.discoveryMethod == .bluetoothLowEnergy)
    configuration.discoveryMethod = .wiFi
    #expect(try ArchiveTests.roundTrip(configuration) == configuration)
    #expect(configuration.copy() as? NIDLTDOAConfiguration == configuration)
    #expect(configuration != NIDLTDOAConfiguration(networkIdentifier: 5))
    for k in 0..<3 {
      let measurement = Self.measurement(k, at: 2)
      #expect(try ArchiveTests.roundTrip(measurement) == measurement)
      #expect(measurement != Self.measurement(k, at: 2.5))
    }
    // 15.65 ps: a second has 128 * 499.2 million.
    #expect(Self.measurement(0, at: 1).rawTransmitTime == 63_897_600_000)
    #expect(Self.measurement(0, at: -1).rawTransmitTime == 0 && Self.measurement(0, at: .nan).rawTransmitTime == 0)
  }
}

extension simd_double3 {
  fileprivate var length: Double { (self * self).sum().squareRoot() }
}
