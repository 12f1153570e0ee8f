import Datasets
import Foundation
import SensorData
import Simulation

#if !ONE_MODULE
  import NearbySessions
#endif

/// A device with events to play: from a recording's folder, or from a scenario of the simulator.
public struct RecordedDevice {
  /// The device on which sessions run.
  public let device: NearbyDevice
  /// Its events; can be read once.
  public let source: any SensorEventSource
  /// The peers to which it has ranges, sorted.
  public let peers: [String]

  /// The device of a recording (docs/formats.md).
  ///
  /// - Throws: `RecordingError` when the folder cannot be read.
  public init(
    folder: URL, profile: DeviceProfile = .phone, policy: SessionPolicy = SessionPolicy()
  ) throws {
    do throws(DatasetError) {
      let recording = try Recording.open(folder)
      var names: Set<String> = []
      let scan = try recording.events()
      while let event = try scan.next() { if case .range(let range) = event.event { names.insert(range.peer) } }
      device = NearbyDevice(
        profile: profile, rig: recording.rig, usesOdometry: recording.trajectorySource == .odometry, policy: policy)
      source = RecordingSource(reader: try recording.events())
      peers = names.sorted()
    } catch {
      throw RecordingError("\(error)")
    }
  }

  /// The device of a simulated scenario: a name of `fuse simulate --list`, or a YAML file. Same seed, same events.
  ///
  /// - Throws: `RecordingError` when there is no such scenario.
  public init(
    scenario: String, seed: UInt64 = 1, profile: DeviceProfile = .phone, policy: SessionPolicy = SessionPolicy()
  ) throws {
    do throws(ScenarioError) {
      let simulator = try Simulator(scenario: .named(scenario), seed: seed)
      device = NearbyDevice(
        profile: profile, rig: simulator.statedRig, usesOdometry: simulator.scenario.camera == nil, policy: policy)
      source = EventList(simulator.events())
      peers = simulator.scenario.peers.map(\.id).sorted()
    } catch {
      throw RecordingError("\(error)")
    }
  }
}
