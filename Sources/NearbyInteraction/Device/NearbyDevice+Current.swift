import Foundation

extension NearbyDevice {
  @TaskLocal private static var scoped: NearbyDevice?
  nonisolated(unsafe) private static var installed: NearbyDevice?

  /// The device that `NISession()` runs on: the one of the surrounding `with`, else the installed one.
  public static var current: NearbyDevice? { scoped ?? SessionLock.withLock { installed } }

  /// Makes a device the process's own: the one line that tells an app where it runs.
  public static func install(_ device: NearbyDevice?) { SessionLock.withLock { installed = device } }

  /// Makes a device the current one within `body`: for several apps in one process.
  public static func with<T>(_ device: NearbyDevice?, _ body: () throws -> T) rethrows -> T {
    try $scoped.withValue(device, operation: body)
  }
}
