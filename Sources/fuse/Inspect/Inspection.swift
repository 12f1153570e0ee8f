import Premises
import SensorData

/// Statistics of every sensor from one reading of a recording.
struct Inspection {
  /// The inertial unit.
  private(set) var imu = RateMeter()
  /// Its stillest second.
  private(set) var stillest = StillestSecond()
  /// The cameras' frames, by camera.
  private(set) var frames: [Int: RateMeter] = [:]
  /// Features per frame, by camera.
  private(set) var features: [Int: LogHistogram] = [:]
  /// Brightness of frames where known, 0...1, by camera.
  private(set) var light: [Int: LogHistogram] = [:]
  /// Poses of the external odometry.
  private(set) var odometry = RateMeter()
  /// Path length of the external odometry, metres.
  private(set) var odometryPath = 0.0
  /// All ranges.
  private(set) var radio = RateMeter()
  /// Ranges per peer.
  private(set) var peers: [String: PeerRanges] = [:]
  /// Events by name.
  private(set) var events: [String: Int] = [:]
  /// Events that arrived after their timestamp.
  private(set) var late = 0
  private var lastOdometry: OdometryPose?

  /// Adds the next event.
  mutating func add(_ timed: TimedEvent) {
    if timed.arrival > timed.event.timestamp { late += 1 }
    switch timed.event {
    case .imu(let sample):
      imu.add(sample.timestamp)
      stillest.add(sample)
    case .odometry(let pose):
      odometry.add(pose.timestamp)
      if let last = lastOdometry {
        odometryPath += (pose.worldFromSensor.translation - last.worldFromSensor.translation).norm
      }
      lastOdometry = pose
    case .frame(let frame):
      frames[frame.camera, default: RateMeter()].add(frame.timestamp)
      features[frame.camera, default: LogHistogram()].add(Double(frame.features.count))
      if let luma = frame.meanLuma { light[frame.camera, default: LogHistogram()].add(luma) }
    case .device(let event): events[event.name, default: 0] += 1
    case .range(let range):
      radio.add(range.timestamp)
      peers[range.peer, default: PeerRanges()].add(range)
    }
  }
}
