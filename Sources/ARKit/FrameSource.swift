import Foundation

/// What gives sessions their poses: a device that plays. Sessions find it where they are made or run.
package protocol FrameSource: AnyObject, Sendable {
  /// Adds a session to those that receive this source's poses.
  func attach(_ session: ARSession)
  /// How its camera takes images; nil without a camera.
  var videoFormat: ARConfiguration.VideoFormat? { get }
}

/// The source for new sessions.
package enum CurrentFrameSource {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var find: @Sendable () -> (any FrameSource)? = { nil }

  /// Says how the source is found.
  package static func set(_ find: @escaping @Sendable () -> (any FrameSource)?) { lock.withLock { Self.find = find } }

  static var current: (any FrameSource)? { lock.withLock { find }() }
}
