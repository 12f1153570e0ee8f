import Dispatch
import Foundation

/// The part of ARKit's session that Nearby Interaction shares: it publishes the device's pose while a device plays.
///
/// The pose comes from the device that the `NISession` runs on; before the first one `currentFrame` is nil.
public final class ARSession: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var running: ARConfiguration?
  private var frame: ARFrame?
  private weak var observer: (any ARSessionDelegate)?
  private var observersQueue: DispatchQueue?

  /// A session that is not running.
  public override init() {}

  /// Receives the frames.
  public var delegate: (any ARSessionDelegate)? {
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

  /// Whether it runs.
  package var isRunning: Bool { lock.withLock { running != nil } }

  /// The newest frame; nil before the first.
  public var currentFrame: ARFrame? { lock.withLock { frame } }

  /// Starts, or continues with another configuration.
  public func run(_ configuration: ARConfiguration, options: RunOptions = []) {
    lock.withLock {
      running = configuration.copy() as? ARConfiguration
      if options.contains(.resetTracking) { frame = nil }
    }
  }

  /// Stops until the next `run`.
  public func pause() { lock.withLock { running = nil } }

  /// Makes `next` the current frame; false, without effect, while the session does not run.
  package func update(with next: ARFrame) -> Bool {
    lock.withLock {
      if running != nil { frame = next }
      return running != nil
    }
  }

  /// Options of `run`.
  public struct RunOptions: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// From a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Drops the current frame.
    public static let resetTracking = RunOptions(rawValue: 1 << 0)
    /// Accepted without effect: there are no anchors here.
    public static let removeExistingAnchors = RunOptions(rawValue: 1 << 1)
  }
}
