import Foundation
import NearbyInteraction
import RecordedDevices
import Testing

/// The table in docs/nearby-interaction.md, cell by cell.
@Suite struct LifecycleTableTests {
  /// Rows of cells between the table's marks: state, then one cell for each event of the header.
  static let table: (events: [String], rows: [(state: String, cells: [[String]])]) = {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/nearby-interaction.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n")
      .drop { !$0.contains("life cycle: begin") }.dropFirst().prefix { !$0.contains("life cycle: end") }
    let rows = lines.filter { !$0.hasPrefix("|---") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
    }
    return (Array(rows[0].dropFirst()), rows.dropFirst().map { ($0[0], $0.dropFirst().map(words)) })
  }()

  private static func words(_ cell: String) -> [String] { cell.split(separator: " ").map(String.init) }

  /// Events of a column: both reasons, and every code.
  static func events(_ name: String) -> [SessionLifecycle.Event] {
    switch name {
    case "start": [.start]
    case "startLater": [.startLater]
    case "refuse": NIError.Code.allCases.map { .refuse($0) }
    case "pause": [.pause]
    case "invalidate": [.invalidate]
    case "suspend": [.suspend]
    case "suspensionEnds": [.suspensionEnds]
    case "lose": [.lose(.timeout), .lose(.peerEnded)]
    case "fail": NIError.Code.allCases.map { .fail($0) }
    default: []
    }
  }

  /// What a word of a cell means when `event` comes in `state`.
  static func effect(_ word: String, _ event: SessionLifecycle.Event, in state: SessionState) -> SessionLifecycle
    .Effect?
  {
    switch (word, event) {
    case ("didStartRunning", _): .didStartRunning
    case ("wasSuspended", _): .wasSuspended
    case ("suspensionEnded", _): .suspensionEnded
    case ("tokenDies", _): .tokenDies
    case ("didRemove", .lose(let reason)): .didRemove(reason)
    case ("didInvalidate", .refuse(let code)) where state != .invalidated: .didInvalidate(code)
    case ("didInvalidate", .fail(let code)): .didInvalidate(code)
    case ("didInvalidate", _) where state == .invalidated: .didInvalidate(.sessionFailed)
    default: nil
    }
  }

  @Test func everyCellMatchesTheStateMachine() throws {
    #expect(Self.table.events.count == 9 && Self.table.rows.map(\.state) == SessionState.allCases.map(\.rawValue))
    var cells = 0
    for row in Self.table.rows {
      let state = try #require(SessionState(rawValue: row.state))
      try #require(row.cells.count == Self.table.events.count)
      for (name, cell) in zip(Self.table.events, row.cells) {
        let next = try #require(cell.first.flatMap { SessionState(rawValue: $0) })
        #expect(!Self.events(name).isEmpty)
        for event in Self.events(name) {
          var lifecycle = SessionLifecycle(state: state)
          let expected = cell.dropFirst().map { Self.effect($0, event, in: state) }
          #expect(lifecycle.handle(event) == expected, "\(state) \(event)")
          #expect(lifecycle.state == next, "\(state) \(event)")
        }
        cells += 1
      }
    }
    #expect(cells == 63)
  }
}
