import ArgumentParser
import PrecisionFinding
import SensorData
import Simulation

/// The user who holds the phone in a scenario.
enum SimulatedUser: String, ExpressibleByArgument, CaseIterable {
  /// Follows the scenario's motion.
  case script
  /// Follows the guidance: a gesture for the first reason, no motion without guidance.
  case obeys
  /// Random gestures except staying, by the seed.
  case random

  /// The scenario with this user's motion, of the duration of the scenario's own.
  ///
  /// Runs the finder in the loop: after each gesture it has processed all measurements up to then, and its newest
  /// convergence selects the next one. The simulation up to a time does not depend on later motion, so the motion can
  /// be built stepwise.
  ///
  /// - Throws: `ScenarioError`.
  func played(_ scenario: Scenario, seed: UInt64, _ finder: FinderConfiguration) throws -> Scenario {
    guard self != .script else { return scenario }
    var random = SeededRandom(seed: seed, stream: 42)
    let total = try scenario.plan().duration
    var steps: [Scenario.Step] = [.motion(.hold(duration: 1.5))]
    var finderInLoop: FinderInLoop?
    while true {
      var played = scenario
      played.motion = steps
      let duration = try played.plan().duration
      guard duration < total else { return played }
      // Hold still before the next decision: sensors must not measure the future motion.
      played.motion.append(.motion(.hold(duration: 1)))
      let simulator = try Simulator(scenario: played, seed: seed)
      if finderInLoop == nil { finderInLoop = FinderInLoop(simulator.statedRig, finder) }
      let now = Simulator.start.advanced(bySeconds: duration)
      for event in simulator.events() where event.arrival <= now { finderInLoop!.process(event) }
      finderInLoop!.pause(at: now)
      steps += next(finderInLoop!.convergence, &random).motion.map { .motion($0) }
    }
  }

  private func next(_ convergence: Convergence?, _ random: inout SeededRandom) -> Gesture {
    guard self == .obeys else {
      return [.around, .aside, .upAndDown, .toAndFro][Int(random.uniform(0...1) * 4) % 4]
    }
    guard let convergence, convergence.status != .unknown else { return .around }
    switch convergence.asked ?? convergence.reasons.first {
    case .insufficientMovement: return .around
    case .insufficientHorizontalSweep: return .aside
    case .insufficientVerticalSweep: return .upAndDown
    case .insufficientLighting, .insufficientSignalStrength, nil: return .stay
    }
  }

  /// A finder that processes each event once and keeps the last convergence of any peer.
  private struct FinderInLoop {
    private let finder: PrecisionFinder
    private var until = Timestamp(nanoseconds: .min)
    private(set) var convergence: Convergence?

    init(_ rig: RigCalibration, _ configuration: FinderConfiguration) {
      finder = PrecisionFinder(
        rig: rig, configuration: configuration, useOdometry: rig.cameras.isEmpty || rig.imu == nil)
    }

    mutating func process(_ event: TimedEvent) {
      guard event.arrival > until else { return }
      for output in finder.process(event) { if case .update(let update) = output { convergence = update.convergence } }
    }

    mutating func pause(at time: Timestamp) { until = time }
  }
}
