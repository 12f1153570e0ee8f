/// Life cycle of a session as a pure state machine: the table in docs/nearby-interaction.md, cell by cell.
package struct SessionLifecycle: Equatable, Sendable {
  /// Life-cycle events.
  package enum Event: Hashable, Sendable {
    /// `run`, accepted.
    case start
    /// `run`, but the resources are not available now.
    case startLater
    /// `run`, rejected.
    case refuse(NIError.Code)
    /// `pause`.
    case pause
    /// `invalidate`.
    case invalidate
    /// The system withdraws the resources.
    case suspend
    /// The system returns them.
    case suspensionEnds
    /// The peer is lost.
    case lose(NINearbyObject.RemovalReason)
    /// An error ends the session while it is active.
    case fail(NIError.Code)
  }

  /// Effects of an event, in this order.
  package enum Effect: Hashable, Sendable {
    /// `sessionDidStartRunning`.
    case didStartRunning
    /// `sessionWasSuspended`.
    case wasSuspended
    /// `sessionSuspensionEnded`.
    case suspensionEnded
    /// `session(_:didRemove:reason:)`.
    case didRemove(NINearbyObject.RemovalReason)
    /// `session(_:didInvalidateWith:)`.
    case didInvalidate(NIError.Code)
    /// The token becomes invalid, and the peer is notified later.
    case tokenDies
  }

  /// The current state.
  package private(set) var state: SessionState

  package init(state: SessionState = .idle) { self.state = state }

  /// Handles an event; an invalidated session stays invalidated.
  package mutating func handle(_ event: Event) -> [Effect] {
    let (next, effects) = Self.transition(from: state, on: event)
    state = next
    return effects
  }

  private static func transition(from state: SessionState, on event: Event) -> (SessionState, [Effect]) {
    switch (state, event) {
    // An invalidated session responds to `run` only.
    case (.invalidated, .start), (.invalidated, .startLater), (.invalidated, .refuse):
      (.invalidated, [.didInvalidate(.sessionFailed)])
    case (.invalidated, _): (.invalidated, [])

    case (_, .start): (.running, [.didStartRunning])
    // Reported once: a `run` before the suspension's end changes nothing.
    case (.suspended, .startLater): (.suspended, [])
    case (_, .startLater): (.suspended, [.wasSuspended])
    case (_, .refuse(let code)): (.invalidated, [.didInvalidate(code), .tokenDies])
    case (_, .invalidate): (.invalidated, [.tokenDies])

    case (.running, .pause), (.suspended, .pause), (.resumable, .pause): (.paused, [])
    case (_, .pause): (state, [])

    // Only a session with resources can be suspended; a resumable one receives the next suspension, too.
    case (.running, .suspend), (.resumable, .suspend): (.suspended, [.wasSuspended])
    case (_, .suspend): (state, [])
    case (.suspended, .suspensionEnds): (.resumable, [.suspensionEnded])
    case (_, .suspensionEnds): (state, [])

    case (.running, .lose(let reason)): (.inactive, [.didRemove(reason)])
    case (_, .lose): (state, [])

    case (.running, .fail(let code)), (.suspended, .fail(let code)):
      (.invalidated, [.didInvalidate(code), .tokenDies])
    case (_, .fail): (state, [])
    }
  }
}
