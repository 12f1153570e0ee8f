import Geometry
import SensorData

/// Statistics of a finder at the end of a run.
public struct FinderSummary: Equatable, Sendable {
  /// Statistics of one peer.
  public struct Peer: Equatable, Sendable {
    /// Ranges that reached the estimator.
    public var rangesUsed = 0
    /// Ranges that a gate rejected.
    public var rangesRejected = 0
    /// When a horizontal angle was first published.
    public var firstAngle: Timestamp?
    /// When the peer first converged.
    public var firstConverged: Timestamp?
    /// The last update.
    public var last: NearbyUpdate?

    /// Nothing yet.
    public init() {}
  }

  /// Per peer.
  public var peers: [String: Peer] = [:]
  /// Events that came later than the reorder window allows and could not be used.
  public var lateEvents = 0
  /// Ranges among them.
  public var lateRanges = 0
  /// How late the latest of these ranges arrived, seconds: the `reorderWindow` it would have needed.
  public var latestRange = 0.0
  /// Duplicate events, and events with NaN or infinite numbers.
  public var unusableEvents = 0
  /// Camera frames that reached the estimator.
  public var framesUsed = 0
  /// Camera frames that could not be used (before the trajectory started, out of order).
  public var framesDropped = 0
  /// Feature tracks that a gate rejected, or that do not stand still in the room.
  public var tracksRejected = 0
  /// How often the trajectory restarted, or its position was lost in the dark.
  public var restarts = 0
  /// When the trajectory started; nil when it never did.
  public var trajectoryBegan: Timestamp?
  /// When each of its worlds began, in time order: the first with the trajectory, a further one where the trajectory
  /// began anew. Positions in one world say nothing about those in another.
  public var worlds: [Timestamp] = []
  /// Why the trajectory has not started, a machine-readable word; nil once it has.
  public var waitingFor: String?

  /// Nothing yet.
  public init() {}
}

extension FinderSummary {
  mutating func recordUpdate(_ update: NearbyUpdate, link: PeerLink) {
    var peer = peers[update.object.peer] ?? Peer()
    peer.rangesUsed = link.record.used
    peer.rangesRejected = link.record.rejected
    if peer.firstAngle == nil, update.object.horizontalAngle != nil { peer.firstAngle = update.timestamp }
    if peer.firstConverged == nil, update.convergence.status == .converged { peer.firstConverged = update.timestamp }
    peer.last = update
    peers[update.object.peer] = peer
  }
}
