import Foundation
import Geometry
import NearbyInteraction
import SensorData
import Testing

/// The table in docs/nearby-interaction.md again, this time through sessions as an app has them: brought into each state by calls and
/// by what a recording tells, then met with each event.
@Suite struct SessionTableTests {
  /// One session on a device that does what it is told.
  final class Bench {
    let device = Tape.device()
    let listener = Listener()
    let session: NISession
    let configuration: NINearbyPeerConfiguration
    private var seconds = 0.0

    init() {
      session = listener.session(on: device)
      configuration = NINearbyPeerConfiguration(peerToken: device.token(forPeer: "tag"))
      happen("begin")
    }

    /// What a recording would tell.
    func happen(_ name: String) {
      seconds += 0.1
      let event = DeviceEvent(timestamp: Tape.time(seconds), name: name, peer: name == "peerEnded" ? "tag" : nil)
      device.receive(TimedEvent(.device(event)))
    }

    func run() {
      session.run(configuration)
      device.settle()
    }

    /// Into a state, from the beginning.
    func bring(to state: SessionState) {
      if state != .idle { run() }
      switch state {
      case .idle, .running: break
      case .paused: session.pause()
      case .suspended: happen("suspend")
      case .resumable:
        happen("suspend")
        happen("resume")
      case .inactive: happen("peerEnded")
      case .invalidated: session.invalidate()
      }
    }

    /// Meets an event of the table; false where a device cannot: a run that waits while the session has what it waits for, and one
    /// that starts while it has not.
    func meet(_ event: String) -> Bool {
      switch event {
      case "start":
        guard session.state != .suspended else { return false }
        run()
      case "startLater":
        guard session.state != .running, session.state != .resumable else { return false }
        if session.state != .suspended { happen("suspend") }
        run()
      case "refuse":
        device.policy.isAllowedByUser = false
        run()
      case "pause": session.pause()
      case "invalidate": session.invalidate()
      case "suspend": happen("suspend")
      case "suspensionEnds": happen("resume")
      case "lose": happen("peerEnded")
      case "fail": happen("resourceUsageTimeout")
      default: Issue.record("no such event: \(event)")
      }
      device.settle()
      return true
    }
  }

  static func word(_ effect: String, _ event: String, in state: SessionState) -> String {
    switch effect {
    case "didStartRunning": "started"
    case "wasSuspended": "suspended"
    case "suspensionEnded": "suspension ended"
    case "didRemove": "removed peerEnded 1"
    case "didInvalidate" where state == .invalidated: "invalidated sessionFailed"
    case "didInvalidate": event == "refuse" ? "invalidated userDidNotAllow" : "invalidated resourceUsageTimeout"
    default: effect
    }
  }

  @Test func everyCellOfTheTableIsWhatASessionDoes() throws {
    let table = LifecycleTableTests.table
    var met = 0
    for row in table.rows {
      let state = try #require(SessionState(rawValue: row.state))
      for (event, cell) in zip(table.events, row.cells) {
        let bench = Bench()
        bench.bring(to: state)
        #expect(bench.session.state == state)
        let before = bench.listener.words.count
        let token = bench.session.discoveryToken
        guard bench.meet(event) else { continue }
        met += 1
        let effects = cell.dropFirst()
        let heard = Array(bench.listener.words.dropFirst(before))
        let expected = effects.filter { $0 != "tokenDies" }.map { Self.word($0, event, in: state) }
        #expect(heard == expected, "\(state) \(event)")
        #expect(bench.session.state.rawValue == cell.first, "\(state) \(event)")
        #expect(
          bench.session.discoveryToken == (effects.contains("tokenDies") ? nil : token), "\(state) \(event)")
      }
    }
    #expect(met == 60)
  }
}
