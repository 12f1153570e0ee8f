import Foundation
import Geometry
import NearbyInteraction
import RecordedDevices
import SensorData
import Testing

/// The table in docs/nearby-interaction.md through sessions: brought into each state by calls and recorded events, then
/// given each event.
@Suite struct SessionTableTests {
  /// One session on a device.
  final class Bench {
    let device = Tape.device()
    let listener = Listener()
    let session: NISession
    let configuration: NINearbyPeerConfiguration
    private var seconds = 0.0

    init() {
      session = listener.session(on: device)
      configuration = NINearbyPeerConfiguration(peerToken: device.token(forPeer: "tag"))
      receive("begin")
    }

    /// Receives an event of a recording.
    func receive(_ name: String) {
      seconds += 0.1
      let event = DeviceEvent(timestamp: Tape.time(seconds), name: name, peer: name == "peerEnded" ? "tag" : nil)
      device.receive(TimedEvent(.device(event)))
    }

    func run() {
      session.run(configuration)
      device.settle()
    }

    /// Brings the session from `idle` into a state.
    func bring(to state: SessionState) {
      if state != .idle { run() }
      switch state {
      case .idle, .running: break
      case .paused: session.pause()
      case .suspended: receive("suspend")
      case .resumable:
        receive("suspend")
        receive("resume")
      case .inactive: receive("peerEnded")
      case .invalidated: session.invalidate()
      }
    }

    /// Applies an event of the table; false where a device cannot produce it: `startLater` while the resources are
    /// available, and `start` while they are not.
    func apply(_ event: String) -> Bool {
      switch event {
      case "start":
        guard session.state != .suspended else { return false }
        run()
      case "startLater":
        guard session.state != .running, session.state != .resumable else { return false }
        if session.state != .suspended { receive("suspend") }
        run()
      case "refuse":
        device.policy.isAllowedByUser = false
        run()
      case "pause": session.pause()
      case "invalidate": session.invalidate()
      case "suspend": receive("suspend")
      case "suspensionEnds": receive("resume")
      case "lose": receive("peerEnded")
      case "fail": receive("resourceUsageTimeout")
      default: Issue.record("no such event: \(event)")
      }
      device.settle()
      return true
    }
  }

  static func callback(_ effect: String, _ event: String, in state: SessionState) -> String {
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

  @Test func everyCellMatchesASession() throws {
    let table = LifecycleTableTests.table
    var applied = 0
    for row in table.rows {
      let state = try #require(SessionState(rawValue: row.state))
      for (event, cell) in zip(table.events, row.cells) {
        let bench = Bench()
        bench.bring(to: state)
        #expect(bench.session.state == state)
        let before = bench.listener.callbacks.count
        let token = bench.session.discoveryToken
        guard bench.apply(event) else { continue }
        applied += 1
        let effects = cell.dropFirst()
        let received = Array(bench.listener.callbacks.dropFirst(before))
        let expected = effects.filter { $0 != "tokenDies" }.map { Self.callback($0, event, in: state) }
        #expect(received == expected, "\(state) \(event)")
        #expect(bench.session.state.rawValue == cell.first, "\(state) \(event)")
        #expect(
          bench.session.discoveryToken == (effects.contains("tokenDies") ? nil : token), "\(state) \(event)")
      }
    }
    #expect(applied == 60)
  }
}
