import ArgumentParser
import Geometry
import PrecisionFinding
import SensorData
import Simulation

/// Who holds the phone in a scenario.
enum SimulatedUser: String, ExpressibleByArgument, CaseIterable {
  /// Does what the scenario says.
  case script
  /// Does what the finder asks for: a gesture for the first reason, and stays when nothing is asked for.
  case obeys
  /// Does any gesture but staying, by the seed.
  case random

  /// The scenario with the motion that this user makes of it, for as long as the scenario's own lasts.
  ///
  /// The finder is played to: after each gesture it has heard what the sensors said up to then, and its newest word decides on the next
  /// one. What is simulated up to a moment does not depend on what follows, so that the motion can be found piece by piece.
  ///
  /// - Throws: `ScenarioError`.
  func played(_ scenario: Scenario, seed: UInt64, _ finder: FinderConfiguration) throws -> Scenario {
    guard self != .script else { return scenario }
    var random = SeededRandom(seed: seed, stream: 42)
    let total = try scenario.plan().duration
    var steps: [Scenario.Step] = [.motion(.hold(duration: 1.5))]
    var listener: Listener?
    while true {
      var played = scenario
      played.motion = steps
      let duration = try played.plan().duration
      guard duration < total else { return played }
      // Somebody who is about to be asked holds still: the simulated future must not be felt before.
      played.motion.append(.motion(.hold(duration: 1)))
      let simulator = try Simulator(scenario: played, seed: seed)
      if listener == nil { listener = Listener(simulator.statedRig, finder) }
      let now = Simulator.start.advanced(bySeconds: duration)
      for event in simulator.events() where event.arrival <= now { listener!.hear(event) }
      listener!.pause(at: now)
      steps += next(listener!.said, &random).motion.map { .motion($0) }
    }
  }

  private func next(_ said: Convergence?, _ random: inout SeededRandom) -> Gesture {
    guard self == .obeys else {
      return [.around, .aside, .upAndDown, .toAndFro][Int(random.uniform(0...1) * 4) % 4]
    }
    guard let said, said.status != .unknown else { return .around }
    switch said.asked ?? said.reasons.first {
    case .insufficientMovement: return .around
    case .insufficientHorizontalSweep: return .aside
    case .insufficientVerticalSweep: return .upAndDown
    case .insufficientLighting, .insufficientSignalStrength, nil: return .stay
    }
  }

  /// A finder that hears events once each and remembers what it said last of any peer.
  private struct Listener {
    private let finder: PrecisionFinder
    private var until = Timestamp(nanoseconds: .min)
    private(set) var said: Convergence?

    init(_ rig: RigCalibration, _ configuration: FinderConfiguration) {
      finder = PrecisionFinder(
        rig: rig, configuration: configuration, useOdometry: rig.cameras.isEmpty || rig.imu == nil)
    }

    mutating func hear(_ event: TimedEvent) {
      guard event.arrival > until else { return }
      for output in finder.process(event) { if case .update(let update) = output { said = update.convergence } }
    }

    mutating func pause(at time: Timestamp) { until = time }
  }
}
