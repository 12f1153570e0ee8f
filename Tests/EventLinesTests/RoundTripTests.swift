import Datasets
import EventLines
import FuseCaptureFormat
import Geometry
import SensorData
import Testing

/// What is written reads back as the same values, to the last bit.
@Suite struct RoundTripTests {
  static let rig = RigCalibration(
    imu: IMUCalibration(
      bodyFromIMU: pose(1), gyroscopeNoiseDensity: 1.7e-4, gyroscopeRandomWalk: 2e-5, accelerometerNoiseDensity: 2e-3,
      accelerometerRandomWalk: 3e-3, gravityMagnitude: 9.80665, rate: 200),
    cameras: [
      CameraCalibration(
        bodyFromCamera: pose(2), fx: 458.654, fy: 457.296, cx: 367.215, cy: 248.375,
        distortion: .radialTangential(k1: -0.283, k2: 0.074, p1: 1.9e-4, p2: 1.76e-5), width: 752, height: 480,
        pixelNoise: 0.7, timeOffset: -0.0123, rate: 20),
      CameraCalibration(
        bodyFromCamera: pose(3), fx: 100, fy: 100, cx: 50, cy: 50, distortion: .fieldOfView(w: 0.9), width: 100,
        height: 100,
        featureIDs: .shared),
    ],
    radio: RadioCalibration(
      antennas: ["left": Vector3(0.1, 0, 1.0 / 3), "right": Vector3(-0.1, 0, 0)], rangeNoise: 0.1, rate: 10),
    odometry: OdometryCalibration(bodyFromSensor: pose(4), positionRandomWalk: 0.01, yawRandomWalk: 0.002),
    bodyFromDevice: pose(5))

  /// A pose that no matrix of 16 numbers gives exactly.
  static func pose(_ seed: Double) -> Pose {
    Pose(rotation: Rotation.exp(Vector3(seed, 1.0 / 3, -0.7)), translation: Vector3(0.1 * seed, -1.0 / 7, 2))
  }

  static let events: [TimedEvent] = {
    func at(_ t: Int64) -> Timestamp { Timestamp(nanoseconds: 1_700_000_000_123_456_700 + t) }
    var events: [TimedEvent] = []
    for k in 0..<9 {
      events.append(
        TimedEvent(
          .imu(
            IMUSample(
              timestamp: at(Int64(k) * 5_000_000), angularVelocity: Vector3(1.0 / 3, -0.0, 1e-17),
              specificForce: Vector3(9.81, -123456.789 / 7, 5e-324)))))
    }
    events.append(
      TimedEvent(
        .frame(
          CameraFrame(
            timestamp: at(41_000_000), camera: 1,
            features: [
              FeatureObservation(featureID: -3, u: 0.1, v: 12), FeatureObservation(featureID: .max, u: 1e5, v: -7.25),
            ],
            meanLuma: 0.42, view: .blurred, exposure: 0.008 / 3))))
    events.append(TimedEvent(.frame(CameraFrame(timestamp: at(42_000_000), features: []))))
    events.append(
      TimedEvent(.odometry(OdometryPose(timestamp: at(43_000_000), worldFromSensor: pose(6))), arrival: at(44_000_000)))
    events.append(TimedEvent(.device(DeviceEvent(timestamp: at(44_000_000), name: "suspend"))))
    events.append(TimedEvent(.device(DeviceEvent(timestamp: at(44_000_001), name: "peerEnded", peer: "tag \"7\" ü"))))
    events.append(
      TimedEvent(
        .range(
          RangeMeasurement(
            timestamp: at(45_000_000), peer: "tag", range: 5.43, standardDeviation: 0.1, azimuth: -0.5, elevation: 0.25,
            angleStandardDeviation: 0.05, antenna: "left", rssi: -80.5, firstPathPower: -82, nonLineOfSight: 0.125,
            technology: "uwb"))))
    events.append(
      TimedEvent(
        .range(RangeMeasurement(timestamp: at(46_000_000), peer: "b", range: 0, antenna: "right")),
        arrival: at(99_000_000)))
    return events
  }()

  static func read(_ bytes: [UInt8]) throws -> (reader: StreamReader, events: [TimedEvent]) {
    var reader = StreamReader(source: "lines")
    var events: [TimedEvent] = []
    for line in bytes.split(separator: 0x0A) {
      try Array(line).withUnsafeBufferPointer { try reader.read($0, into: &events) }
    }
    reader.finish(into: &events)
    return (reader, events)
  }

  @Test func everyEvent() throws {
    var writer = EventLineWriter()
    writer.begin(StreamHeader(trajectory: .odometry, rig: Self.rig))
    for event in Self.events {
      let isWritten = writer.add(event.event, arrival: event.arrival)
      #expect(isWritten)
    }
    writer.end()
    let (reader, events) = try Self.read(writer.drain())
    #expect(events == Self.events)
    #expect(reader.hasEnded && reader.admission?.damage.isEmpty == true)
    // Minus zero is another Double, which == does not see.
    guard case .imu(let sample) = events[0].event else { return #expect(Bool(false)) }
    #expect(sample.angularVelocity.y.sign == .minus)
  }

  @Test func header() throws {
    for trajectory in StreamHeader.Trajectory.allCases {
      var writer = EventLineWriter()
      let header = StreamHeader(trajectory: trajectory, rig: Self.rig)
      writer.begin(header)
      let bytes = writer.drain()
      #expect(try Self.read(bytes).reader.header == header)
    }
  }

  @Test(arguments: [RangeFilter.mean(count: 10), .exponential(weight: 0.25), .lag(seconds: 0.4)])
  func rangeFilters(_ filter: RangeFilter) throws {
    var rig = Self.rig
    rig.radio?.rangeFilter = filter
    rig.radio?.mobility = ["a": .person, "b": .item]
    var writer = EventLineWriter()
    writer.begin(StreamHeader(trajectory: .odometry, rig: rig))
    #expect(try Self.read(writer.drain()).reader.header?.rig == rig)
  }

  @Test func posesToTheLastBit() throws {
    var state: UInt64 = 7
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(Int64(bitPattern: state) >> 11) * 0x1p-52
    }
    for _ in 0..<500 {
      let q = (0..<4).map { _ in random() }
      var rig = Self.rig
      let pose = Pose(rotation: Rotation(w: q[0], x: q[1], y: q[2], z: q[3]), translation: Vector3(q[1], q[2], q[0]))
      rig.bodyFromDevice = pose
      var writer = EventLineWriter()
      writer.begin(StreamHeader(trajectory: .visualInertial, rig: rig))
      writer.add(.odometry(OdometryPose(timestamp: Timestamp(nanoseconds: 1), worldFromSensor: pose)))
      let (reader, _) = try Self.read(writer.drain())
      #expect(reader.header?.rig.bodyFromDevice == pose)
      let r = pose.rotation.readableQuaternion
      #expect(Rotation(w: r.w, x: r.x, y: r.y, z: r.z) == pose.rotation)
    }
  }

  @Test func imuLinesSpanAtMost20Milliseconds() throws {
    var writer = EventLineWriter()
    for event in Self.events.prefix(9) { writer.add(event.event) }
    let lines = writer.drain().split(separator: 0x0A)
    #expect(lines.count == 2)
    #expect(lines.map { $0.count { $0 == UInt8(ascii: "[") } } == [6, 5])
  }

  @Test func whatIsNotFiniteIsNotWritten() {
    var writer = EventLineWriter()
    let nan = IMUSample(
      timestamp: Timestamp(nanoseconds: 1), angularVelocity: Vector3(.nan, 0, 0), specificForce: .zero)
    let isWritten = writer.add(.imu(nan))
    #expect(!isWritten)
    let range = RangeMeasurement(timestamp: Timestamp(nanoseconds: 1), peer: "a", range: 1, rssi: .infinity)
    let isRangeWritten = writer.add(.range(range))
    #expect(!isRangeWritten)
    let rest = writer.drain()
    #expect(rest.isEmpty)
  }
}
