import Geometry
import PrecisionFinding
import Simulation

/// Searches in simulated worlds.
package enum SimulatedSearch {
  /// One simulated run, or its first `seconds`: every peer update in time order, with its seconds since the start.
  package static func run(_ name: String, seed: UInt64, seconds: Double = .infinity) throws -> (
    updates: [(t: Double, update: NearbyUpdate)], simulator: Simulator
  ) {
    let simulator = try Simulator(scenario: Scenario.named(name), seed: seed)
    let finder = PrecisionFinder(rig: simulator.rig, useOdometry: false)
    var outputs = simulator.events().prefix { $0.arrival.seconds(since: Simulator.start) <= seconds }
      .flatMap { finder.process($0) }
    outputs += finder.finish()
    let updates = outputs.compactMap { output -> (t: Double, update: NearbyUpdate)? in
      guard case .update(let update) = output else { return nil }
      return (update.timestamp.seconds(since: Simulator.start), update)
    }
    return (updates, simulator)
  }

  /// Error of a published horizontal angle against the true pose and peer, radians.
  package static func angleError(_ update: NearbyUpdate, _ simulator: Simulator) -> Double? {
    guard let angle = update.object.horizontalAngle,
      let peer = simulator.scenario.peers.first(where: { $0.id == update.object.peer })
    else { return nil }
    let seconds = update.timestamp.seconds(since: Simulator.start)
    let worldFromDevice = simulator.motion.kinematics(at: seconds).worldFromBody * simulator.rig.bodyFromDevice
    let trueAngle = HorizontalAngle.of(
      peer.position(at: seconds) - worldFromDevice.translation, worldFromDevice: worldFromDevice.rotation)
    return Angle.wrapped(angle.value - trueAngle)
  }
}
