import Datasets
import PrecisionFinding
import SensorData

/// A finder at work, with the counts and outcomes that `result.json` reports: the same for the command and the service.
package struct FinderRun {
  /// The finder.
  package let finder: PrecisionFinder
  /// Events of each kind that the finder saw.
  package private(set) var counts = EventCounts()
  /// Outcomes of the peers.
  package private(set) var peers: [String: PeerOutcome] = [:]

  /// A run of a finder that has seen nothing.
  package init(_ finder: PrecisionFinder) { self.finder = finder }

  /// Processes the next event, in arrival order, and returns the outputs that are due.
  package mutating func process(_ event: TimedEvent) -> [FinderOutput] {
    counts.add(event.event)
    return noted(finder.process(event))
  }

  /// Ends the input and returns the outputs that were held back for late data.
  package mutating func finish() -> [FinderOutput] { noted(finder.finish()) }

  private mutating func noted(_ outputs: [FinderOutput]) -> [FinderOutput] {
    for case .update(let update) in outputs { peers[update.object.peer, default: PeerOutcome()].add(update) }
    return outputs
  }
}
