import SensorData

/// What passes by while a recording is read once: figures of every sensor.
struct Inspection {
  /// The inertial unit.
  private(set) var imu = RateMeter()
  /// Its quietest second.
  private(set) var quietest = QuietestSecond()
  /// The cameras' frames, by camera.
  private(set) var frames: [Int: RateMeter] = [:]
  /// Features per frame, by camera.
  private(set) var features: [Int: LogHistogram] = [:]
  /// Brightness of frames where it is known, 0...1, by camera.
  private(set) var light: [Int: LogHistogram] = [:]
  /// Poses of the other tracker.
  private(set) var odometry = RateMeter()
  /// Length of the other tracker's path, metres.
  private(set) var odometryPath = 0.0
  /// All ranges.
  private(set) var radio = RateMeter()
  /// Ranges per peer.
  private(set) var peers: [String: PeerRanges] = [:]
  /// Events by name.
  private(set) var events: [String: Int] = [:]
  /// How many events became known later than they happened.
  private(set) var late = 0
  private var lastOdometry: OdometryPose?

  /// Notes the next event.
  mutating func note(_ timed: TimedEvent) {
    if timed.arrival > timed.event.timestamp { late += 1 }
    switch timed.event {
    case .imu(let sample):
      imu.note(sample.timestamp)
      quietest.note(sample)
    case .odometry(let pose):
      odometry.note(pose.timestamp)
      if let last = lastOdometry {
        odometryPath += (pose.worldFromSensor.translation - last.worldFromSensor.translation).norm
      }
      lastOdometry = pose
    case .frame(let frame):
      frames[frame.camera, default: RateMeter()].note(frame.timestamp)
      features[frame.camera, default: LogHistogram()].add(Double(frame.features.count))
      if let luma = frame.meanLuma { light[frame.camera, default: LogHistogram()].add(luma) }
    case .device(let event): events[event.name, default: 0] += 1
    case .range(let range):
      radio.note(range.timestamp)
      peers[range.peer, default: PeerRanges()].note(range)
    }
  }
}
