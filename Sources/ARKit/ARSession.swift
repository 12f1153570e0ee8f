import Dispatch
import Foundation

/// The part of ARKit's session that apps use with Nearby Interaction: it publishes the device's pose while a device
/// plays, with an `NISession` or without.
///
/// The pose comes from the device that is current where the session is made or, if there is none then, where it is run;
/// one that is shared by `NISession.setARSession` follows that session's device.
public final class ARSession: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var running: ARConfiguration?
  private var frame: ARFrame?
  private var anchors: [ARAnchor] = []
  private var changedAnchors: (added: [ARAnchor], removed: [ARAnchor]) = ([], [])
  private var worldFromOrigin = matrix_identity_float4x4
  private var reportedState: ARCamera.TrackingState?
  private weak var observer: (any ARSessionDelegate)?
  private var observersQueue: DispatchQueue?
  private weak var source: (any FrameSource)?
  /// Unique.
  public let identifier = UUID()

  /// A session that is not running.
  public override init() {
    super.init()
    attach(to: CurrentFrameSource.current)
  }

  /// Receives the frames.
  public weak var delegate: (any ARSessionDelegate)? {
    get { lock.withLock { observer } }
    set { lock.withLock { observer = newValue } }
  }

  /// Queue of the delegate's callbacks; nil is the main queue.
  public var delegateQueue: DispatchQueue? {
    get { lock.withLock { observersQueue } }
    set { lock.withLock { observersQueue = newValue } }
  }

  /// A copy of the current configuration; nil while it does not run.
  public var configuration: ARConfiguration? { lock.withLock { running?.copy() as? ARConfiguration } }

  /// The newest frame; nil before the first.
  public var currentFrame: ARFrame? { lock.withLock { frame } }

  /// Starts, or continues with another configuration.
  public func run(_ configuration: ARConfiguration, options: RunOptions = []) {
    let isAttached = lock.withLock {
      running = configuration.copy() as? ARConfiguration
      if options.contains(.resetTracking) { (frame, worldFromOrigin) = (nil, matrix_identity_float4x4) }
      if options.contains(.removeExistingAnchors) { removeAnchors { _ in true } }
      reportedState = nil
      return source != nil
    }
    if !isAttached { attach(to: CurrentFrameSource.current) }
  }

  /// Stops until the next `run`.
  public func pause() { lock.withLock { running = nil } }

  /// Adds an anchor; the delegate hears of it with the next frame.
  public func add(anchor: ARAnchor) {
    lock.withLock {
      anchors.append(anchor)
      changedAnchors.added.append(anchor)
    }
  }

  /// Removes an anchor; the delegate hears of it with the next frame.
  public func remove(anchor: ARAnchor) { lock.withLock { removeAnchors { $0.identifier == anchor.identifier } } }

  private func removeAnchors(_ isRemoved: (ARAnchor) -> Bool) {
    changedAnchors.removed += anchors.filter(isRemoved)
    anchors.removeAll(where: isRemoved)
  }

  /// Moves the world's origin: the new one has this pose in the old world. Camera assistance keeps the old one:
  /// `NISession.worldTransform` is in the world of the session's start.
  public func setWorldOrigin(relativeTransform: simd_float4x4) {
    lock.withLock { worldFromOrigin = worldFromOrigin * relativeTransform }
  }

  /// Calls back with a map of the anchors; with an error while the session does not run.
  public func getCurrentWorldMap(completionHandler: @escaping @Sendable (ARWorldMap?, (any Error)?) -> Void) {
    let map = lock.withLock { () -> ARWorldMap? in
      guard running != nil else { return nil }
      let map = ARWorldMap()
      map.anchors = anchors
      return map
    }
    (delegateQueue ?? .main).async { completionHandler(map, map == nil ? ARError(.requestFailed) : nil) }
  }

  /// Options of `run`.
  public struct RunOptions: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// From a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Drops the current frame.
    public static let resetTracking = RunOptions(rawValue: 1 << 0)
    /// Removes the app's anchors.
    public static let removeExistingAnchors = RunOptions(rawValue: 1 << 1)
    /// Ends raycasts that are tracked; without effect.
    public static let stopTrackedRaycasts = RunOptions(rawValue: 1 << 2)
    /// Drops the mesh of the scene; without effect.
    public static let resetSceneReconstruction = RunOptions(rawValue: 1 << 3)
  }

  // MARK: - For the device

  /// Whether it runs.
  package var isRunning: Bool { lock.withLock { running != nil } }

  /// Makes `source` the one whose poses it publishes.
  package func attach(to source: (any FrameSource)?) {
    guard let source else { return }
    lock.withLock { self.source = source }
    source.attach(self)
  }

  /// Whether it publishes the poses of `source`.
  package func follows(_ source: any FrameSource) -> Bool { lock.withLock { self.source === source } }

  /// What the delegate is told of a pose.
  package struct Announcement {
    /// The frame.
    package let frame: ARFrame
    /// Whether the tracking state changed.
    package let changesTrackingState: Bool
    /// Anchors that came or went.
    package let added: [ARAnchor], removed: [ARAnchor]
  }

  /// Makes a pose the current frame; nil, without effect, while the session does not run.
  package func update(at timestamp: TimeInterval, camera: ARCamera, meanLuma: Double? = nil) -> Announcement? {
    lock.withLock {
      guard let running else { return nil }
      let isMoved = worldFromOrigin != matrix_identity_float4x4
      // The first frame of a run: tracking has begun only now.
      let state = reportedState == nil ? .limited(.initializing) : camera.trackingState
      let seen = camera.moved(
        to: isMoved ? worldFromOrigin.inverse * camera.transform : camera.transform, state)
      let light = running.isLightEstimationEnabled ? meanLuma.map { ARLightEstimate(meanLuma: $0) } : nil
      let next = ARFrame(timestamp: timestamp, camera: seen, anchors: anchors, lightEstimate: light)
      frame = next
      defer {
        reportedState = state
        changedAnchors = ([], [])
      }
      return Announcement(
        frame: next, changesTrackingState: reportedState != state, added: changedAnchors.added,
        removed: changedAnchors.removed)
    }
  }
}

/// What a session tells of its tracking. Every method has a default.
public protocol ARSessionObserver: AnyObject {
  /// The session failed. Sessions here do not.
  func session(_ session: ARSession, didFailWithError error: any Error)
  /// Tracking became better or worse.
  func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera)
  /// The app went to the background: there are no frames until the interruption ends.
  func sessionWasInterrupted(_ session: ARSession)
  /// Frames come again.
  func sessionInterruptionEnded(_ session: ARSession)
  /// Whether tracking may jump back to an old map after an interruption. Camera assistance needs false: a jump of the
  /// world frame contradicts all earlier ranges.
  func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
}

/// Receives an `ARSession`'s frames. Every method has a default; all are called on the session's `delegateQueue`.
public protocol ARSessionDelegate: ARSessionObserver {
  /// A new pose.
  func session(_ session: ARSession, didUpdate frame: ARFrame)
  /// The app added anchors.
  func session(_ session: ARSession, didAdd anchors: [ARAnchor])
  /// Anchors changed. Those of an app stay where they are: never called here.
  func session(_ session: ARSession, didUpdate anchors: [ARAnchor])
  /// The app removed anchors.
  func session(_ session: ARSession, didRemove anchors: [ARAnchor])
}

extension ARSessionObserver {
  /// Does nothing.
  public func session(_ session: ARSession, didFailWithError error: any Error) {}
  /// Does nothing.
  public func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {}
  /// Does nothing.
  public func sessionWasInterrupted(_ session: ARSession) {}
  /// Does nothing.
  public func sessionInterruptionEnded(_ session: ARSession) {}
  /// False, as with Apple.
  public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
}

extension ARSessionDelegate {
  /// Does nothing.
  public func session(_ session: ARSession, didUpdate frame: ARFrame) {}
  /// Does nothing.
  public func session(_ session: ARSession, didAdd anchors: [ARAnchor]) {}
  /// Does nothing.
  public func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) {}
  /// Does nothing.
  public func session(_ session: ARSession, didRemove anchors: [ARAnchor]) {}
}
