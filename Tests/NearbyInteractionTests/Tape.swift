import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData

/// Events for a device: odometry at 25 Hz along a path, ranges at 10 Hz to stationary peers, and device events.
struct Tape {
  static let start = Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  /// Upright, the back camera looking along the world's y axis: x right is world x, y up is world z.
  static let upright = Rotation(matrix: Matrix3(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)))

  var seconds: Double
  var peers: [String: Vector3] = [:]
  var deviceEvents: [(at: Double, name: String, peer: String?)] = []
  /// Whether there are ranges at a time.
  var ranges: @Sendable (Double) -> Bool = { _ in true }
  var worldFromDevice: @Sendable (Double) -> Pose = { _ in Pose(rotation: Tape.upright) }

  static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

  /// In order of time.
  var events: [TimedEvent] {
    var events: [SensorEvent] = (0...Int(seconds * 25)).map {
      let time = Double($0) / 25
      return .odometry(OdometryPose(timestamp: Self.time(time), worldFromSensor: worldFromDevice(time)))
    }
    for k in 0..<Int(seconds * 10) {
      let time = 0.1 * Double(k) + 0.013
      guard ranges(time) else { continue }
      let position = worldFromDevice(time).translation
      for peer in peers.keys.sorted() {
        events.append(
          .range(RangeMeasurement(timestamp: Self.time(time), peer: peer, range: (peers[peer]! - position).norm)))
      }
    }
    events += deviceEvents.map { .device(DeviceEvent(timestamp: Self.time($0.at), name: $0.name, peer: $0.peer)) }
    return events.sorted { ($0.timestamp, $0.rank) < ($1.timestamp, $1.rank) }.map { TimedEvent($0) }
  }

  static let rig = RigCalibration(radio: RadioCalibration(), odometry: OdometryCalibration(), bodyFromDevice: .identity)

  /// A device for tapes: its body axes are the device axes.
  static func device(_ profile: DeviceProfile = .phone, policy: SessionPolicy = SessionPolicy()) -> NearbyDevice {
    NearbyDevice(profile: profile, rig: rig, usesOdometry: true, policy: policy)
  }

  /// A world in which `device` plays this tape.
  func world(_ device: NearbyDevice) -> World {
    let world = World()
    world.add(device, playing: EventList(events))
    return world
  }
}
