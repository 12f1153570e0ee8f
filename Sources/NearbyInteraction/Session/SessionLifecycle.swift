/// The life of a session as a pure state machine: the table in docs/nearby-interaction.md, cell by cell.
package struct SessionLifecycle: Equatable, Sendable {
  /// What can happen to a session.
  package enum Event: Hashable, Sendable {
    /// `run`, and all is ready.
    case start
    /// `run`, but the resources are not to be had now.
    case startLater
    /// `run`, and it cannot be.
    case refuse(NIError.Code)
    /// `pause`.
    case pause
    /// `invalidate`.
    case invalidate
    /// The system takes the resources away.
    case suspend
    /// The system gives them back.
    case suspensionEnds
    /// The peer is gone.
    case lose(NINearbyObject.RemovalReason)
    /// Something ends the session while it is active.
    case fail(NIError.Code)
  }

  /// What follows, in this order.
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
    /// The token dies, and the peer learns that we ended, some time after.
    case tokenDies
  }

  /// Where it is.
  package private(set) var state: SessionState

  package init(state: SessionState = .idle) { self.state = state }

  /// Takes an event; a session that is invalidated stays so.
  package mutating func take(_ event: Event) -> [Effect] {
    let (next, effects) = Self.transition(from: state, on: event)
    state = next
    return effects
  }

  private static func transition(from state: SessionState, on event: Event) -> (SessionState, [Effect]) {
    switch (state, event) {
    // The only event that an ended session answers is another `run`.
    case (.invalidated, .start), (.invalidated, .startLater), (.invalidated, .refuse):
      (.invalidated, [.didInvalidate(.sessionFailed)])
    case (.invalidated, _): (.invalidated, [])

    case (_, .start): (.running, [.didStartRunning])
    // Told once: a `run` that comes before the suspension's end changes nothing.
    case (.suspended, .startLater): (.suspended, [])
    case (_, .startLater): (.suspended, [.wasSuspended])
    case (_, .refuse(let code)): (.invalidated, [.didInvalidate(code), .tokenDies])
    case (_, .invalidate): (.invalidated, [.tokenDies])

    case (.running, .pause), (.suspended, .pause), (.resumable, .pause): (.paused, [])
    case (_, .pause): (state, [])

    // A suspension takes from those that have something; a session that waits for `run` hears of the next one, too.
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
