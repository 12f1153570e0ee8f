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

/// Source of a recording's events for a device.
struct RecordingSource: SensorEventSource {
  let reader: EventReader

  /// - Throws: `RecordingError` for damage that cannot be skipped.
  mutating func next() throws -> TimedEvent? {
    do { return try reader.next() } catch { throw RecordingError("\(error)") }
  }
}

/// Why a recording cannot be played: one line, with file and line where there are any.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Waits until the wall clock reaches the world's time, for `World.play(pace:)`: `play(pace: pace.wait)`. Order and
/// content of callbacks are the same as at full speed.
public struct RealTimePace: Sendable {
  private let begin = ContinuousClock.now
  private let speed: Double

  /// Real time, or `speed` times as fast; a speed that is not positive does not wait at all.
  public init(speed: Double = 1) { self.speed = speed }

  /// Waits until `seconds` of the world after the initialisation of this pace. On the main thread the main queue's work
  /// is run meanwhile.
  public func wait(until seconds: Double) {
    while let left = left(until: seconds) {
      if Thread.isMainThread {
        let until = Date(timeIntervalSinceNow: left)
        // Without anything to wait for the run loop returns at once.
        if !RunLoop.main.run(mode: .default, before: until) { Thread.sleep(forTimeInterval: min(left, 0.005)) }
      } else {
        Thread.sleep(forTimeInterval: left)
      }
    }
  }

  /// Waits without blocking a thread, for `await play(pace:)`.
  public func wait(until seconds: Double) async {
    if let left = left(until: seconds) { try? await Task.sleep(for: .seconds(left)) }
  }

  /// The same as `wait(until:)`.
  public func callAsFunction(_ seconds: Double) { wait(until: seconds) }

  /// Seconds to wait; nil for none.
  private func left(until seconds: Double) -> Double? {
    guard speed > 0, seconds.isFinite else { return nil }
    let wait = begin.advanced(by: .seconds(seconds / speed)) - ContinuousClock.now
    guard wait > .zero else { return nil }
    return Double(wait.components.seconds) + Double(wait.components.attoseconds) / 1e18
  }
}
