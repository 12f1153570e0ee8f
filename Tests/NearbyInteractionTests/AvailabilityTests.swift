import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Simulation
import Testing

/// When the radio measures angles: by device, cone, distance, NLOS and how both phones are held.
@Suite struct AvailabilityTests {
  static func range(
    _ metres: Double = 2, azimuth: Double? = 0.1, elevation: Double? = 0, nlosProbability: Double? = nil,
    at time: Double = 0
  ) -> RangeMeasurement {
    RangeMeasurement(
      timestamp: Tape.time(time), peer: "tag", range: metres, azimuth: azimuth, elevation: elevation,
      angleStandardDeviation: 0.05, nonLineOfSight: nlosProbability)
  }

  /// Whether the range keeps its angles. The distance never changes; the angles are removed together.
  static func keepsAngles(
    _ range: RangeMeasurement, _ profile: DeviceProfile = .phone, own: Holding? = nil, other: Holding? = nil
  ) -> Bool {
    let measured = profile.measured(range, own: own, other: other)
    var bare = range
    (bare.azimuth, bare.elevation, bare.angleStandardDeviation) = (nil, nil, nil)
    #expect(measured == range || measured == bare)
    return measured == range
  }

  @Test func anglesAreRemoved() {
    #expect(Self.keepsAngles(Self.range()))
    for profile in [
      DeviceProfile.phoneWithoutDirection, .phoneWithExtendedDistance, .watch, .channelSounding, .phoneWithAnchors,
    ] {
      #expect(!Self.keepsAngles(Self.range(), profile))
    }
    // Beyond 9 m; under NLOS; an unreported NLOS probability removes nothing.
    for (metres, nlosProbability, keeps) in [(9.0, nil, true), (9.1, nil, false), (2, 0.9, false), (2, 0.1, true)] {
      #expect(Self.keepsAngles(Self.range(metres, nlosProbability: nlosProbability)) == keeps)
    }
    // The cone limits directions, not azimuths: 50 degrees to the side and 50 up are 65 off the axis.
    let fifty = Angle.degrees(50)
    #expect(Self.keepsAngles(Self.range(azimuth: fifty)) && Self.keepsAngles(Self.range(azimuth: 0, elevation: fifty)))
    #expect(!Self.keepsAngles(Self.range(azimuth: fifty, elevation: fifty)))
    let beside = Self.range(azimuth: Angle.degrees(80))
    #expect(!Self.keepsAngles(beside) && Self.keepsAngles(beside, .androidWithAngleOfArrival))
    #expect(!Self.keepsAngles(Self.range(azimuth: .pi), .androidWithAngleOfArrival))
  }

  /// `NISession.deviceCapabilities` and tokens match the profile, and a missing capability is refused.
  @Test func capabilitiesFollowTheProfile() throws {
    for (profile, word) in [
      (DeviceProfile.phone, "distance direction camera"), (.phoneWithoutDirection, "distance camera"),
      (.phoneWithExtendedDistance, "distance camera far"), (.phoneWithAnchors, "distance camera far anchors"),
      (.watch, "distance"), (.watchWithExtendedDistance, "distance far"),
      (.androidWithAngleOfArrival, "distance direction camera"), (.channelSounding, "distance camera bluetooth"),
      (.unsupported, ""),
    ] {
      let device = Tape.device(profile)
      NearbyDevice.with(device) {
        let token = NISession().discoveryToken?.deviceCapabilities
        for can in [NISession.deviceCapabilities, token ?? DeviceCapabilities()] {
          let words = [
            (can.supportsPreciseDistanceMeasurement, "distance"), (can.supportsDirectionMeasurement, "direction"),
            (can.supportsCameraAssistance, "camera"), (can.supportsExtendedDistanceMeasurement, "far"),
            (can.supportsDLTDOAMeasurement, "anchors"), (can.supportsBluetoothChannelSounding, "bluetooth"),
          ].filter(\.0).map(\.1)
          #expect(words.joined(separator: " ") == word)
        }
      }
      let token = device.token(forPeer: "a", capabilities: [.preciseDistance, .extendedDistance])
      for (assisted, extended, needs) in [
        (false, false, "distance"), (true, false, "camera"), (false, true, "far"),
      ] {
        let code = ErrorTests.code(
          ErrorTests.configuration(token, assisted: assisted, extended: extended), on: device)
        #expect(code == (word.contains(needs) ? nil : .unsupportedPlatform))
      }
    }
  }

  /// 50 m, and three times that with extended distance.
  @Test func reachLimitsRanges() throws {
    for (extended, metres, isReported) in [
      (false, 49.0, true), (false, 51, false), (true, 149, true), (true, 151, false),
    ] {
      let device = Tape.device(.phoneWithExtendedDistance)
      let listener = Listener()
      let session = listener.session(on: device)
      let token = device.token(forPeer: "a", capabilities: [.preciseDistance, .extendedDistance])
      session.run(ErrorTests.configuration(token, extended: extended))
      try Tape(seconds: 12, peers: ["a": Vector3(0, metres, 0)]).world(device).playBlocking()
      #expect(listener.objects.isEmpty != isReported)
      #expect(listener.callbacks == (isReported ? ["started"] : ["started", "removed timeout 1"]))
    }
  }

  /// Angles are removed when either phone is known to be in landscape.
  @Test func everyPairOfHoldings() {
    let holdings: [Holding?] = [nil, .portrait, .landscape, .flat]
    for own in holdings {
      for other in holdings {
        #expect(
          Self.keepsAngles(Self.range(), own: own, other: other) == (own != .landscape && other != .landscape),
          "\(String(describing: own)) \(String(describing: other))")
      }
    }
  }

  @Test func holdingFromGravity() {
    for (up, holding) in [
      (Vector3(0, 1, 0), Holding.portrait), (Vector3(0, -1, 0), .portrait), (Vector3(1, 0, 0), .landscape),
      (Vector3(-9.8, 0.5, 1), .landscape), (Vector3(0.3, 0.2, 1), .flat), (Vector3(0, 0, -9.8), .flat),
      (Vector3(0, 0.9, 0.4), .portrait),
    ] {
      #expect(Holding(up: up, before: nil) == holding, "\(up)")
    }
    // At 45 degrees it stays what it was.
    let between = Vector3(1, 1.05, 0)
    #expect(Holding(up: between, before: nil) == nil)
    for before in Holding.allCases { #expect(Holding(up: between, before: before) == before) }
    #expect(Holding(up: .zero, before: .portrait) == nil && Holding(up: Vector3(.nan, 1, 0), before: nil) == nil)
  }

  /// From a rotated accelerometer, through a swing of the hand and a rotation of the phone.
  @Test func holdingFromAccelerometer() {
    let bodyFromIMU = Rotation.exp(Vector3(0.4, -1.1, 0.7))
    let bodyFromDevice = Rotation.exp(Vector3(-0.3, 0.2, 1.9))
    let rig = RigCalibration(
      imu: IMUCalibration(
        bodyFromIMU: Pose(rotation: bodyFromIMU), gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-5,
        accelerometerNoiseDensity: 1e-2, accelerometerRandomWalk: 1e-4),
      bodyFromDevice: Pose(rotation: bodyFromDevice))
    var estimator = HoldingEstimator(rig: rig)
    var random = SeededRandom(seed: 31)
    func feed(_ up: Vector3, from begin: Double, to end: Double, swing: Double = 0) {
      for k in 0..<Int((end - begin) * 100) {
        let time = begin + 0.01 * Double(k)
        let force = up * 9.81 + Vector3(swing * sin(9 * time), 0, 0) + 0.05 * random.gaussian3()
        let measured = bodyFromIMU.inverse * (bodyFromDevice * force)
        estimator.process(
          .imu(IMUSample(timestamp: Tape.time(time), angularVelocity: .zero, specificForce: measured)))
      }
    }
    #expect(estimator.holding == nil)
    feed(Vector3(0, 1, 0), from: 0, to: 2, swing: 15)
    #expect(estimator.holding == .portrait, "a swing is not gravity")
    feed(Vector3(-1, 0, 0), from: 2, to: 2.1)
    #expect(estimator.holding == .portrait, "the filter has a delay")
    feed(Vector3(-1, 0, 0), from: 2.1, to: 4)
    #expect(estimator.holding == .landscape)
    estimator.process(
      .imu(IMUSample(timestamp: Tape.time(5), angularVelocity: .zero, specificForce: Vector3(.nan, 0, 0))))
    #expect(estimator.holding == .landscape)
  }

  /// Upright for two seconds, then rotated to landscape.
  static func turned(_ time: Double) -> Pose {
    Pose(rotation: time < 2 ? Tape.upright : Tape.upright * Rotation.exp(Vector3(0, 0, -.pi / 2)))
  }

  static func events(_ seconds: Double, poses: (Double) -> Pose, deviceEvents: [DeviceEvent] = []) -> [TimedEvent] {
    var events: [SensorEvent] = (0...Int(seconds * 25)).map {
      let time = Double($0) / 25
      return .odometry(OdometryPose(timestamp: Tape.time(time), worldFromSensor: poses(time)))
    }
    events += (0..<Int(seconds * 10)).map { .range(range(at: 0.1 * Double($0) + 0.013)) }
    events += deviceEvents.map { .device($0) }
    return events.sorted { ($0.timestamp, $0.rank) < ($1.timestamp, $1.rank) }.map { TimedEvent($0) }
  }

  /// Landscape of the own phone, of the other one in this world, or of the other one by recorded events.
  @Test(arguments: ["own", "other", "recorded"]) func landscapeOnEitherSide(whose: String) throws {
    let (phone, peer) = (Tape.device(), Tape.device())
    let listener = Listener()
    let session = listener.session(on: phone)
    let world = World()
    let upright: (Double) -> Pose = { _ in Pose(rotation: Tape.upright) }
    let deviceEvents =
      whose == "recorded"
      ? [
        DeviceEvent(timestamp: Tape.time(2), name: "landscape", peer: "tag"),
        DeviceEvent(timestamp: Tape.time(3), name: "landscape", peer: "another"),
        DeviceEvent(timestamp: Tape.time(4), name: "portrait", peer: "tag"),
      ] : []
    world.add(
      phone,
      playing: EventList(Self.events(6, poses: whose == "own" ? Self.turned : upright, deviceEvents: deviceEvents)))
    var kept: NISession?
    if whose == "recorded" {
      session.run(SessionTests.plain(phone.token(forPeer: "tag")))
    } else {
      world.add(peer, playing: EventList(Self.events(6, poses: whose == "other" ? Self.turned : upright)))
      world.pair(phone, named: "phone", with: peer, named: "tag")
      let other = Listener().session(on: peer)
      session.run(SessionTests.plain(try #require(other.discoveryToken)))
      other.run(SessionTests.plain(try #require(session.discoveryToken)))
      kept = other
    }
    try world.playBlocking(until: 2)
    #expect(listener.objects.count == 20 && listener.objects.allSatisfy { $0.direction != nil })
    #expect(phone.holding == .portrait)
    try world.playBlocking(until: 4)
    let late = listener.objects.dropFirst(30)
    #expect(late.count == 10 && late.allSatisfy { $0.direction == nil && $0.distance == 2 })
    #expect(phone.holding == (whose == "own" ? .landscape : .portrait))
    try world.playBlocking()
    #expect((listener.objects.last?.direction != nil) == (whose == "recorded"), "upright again")
    withExtendedLifetime(kept) {}
  }
}
