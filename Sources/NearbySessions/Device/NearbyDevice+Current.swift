import Foundation

extension NearbyDevice {
  @TaskLocal private static var scoped: NearbyDevice?
  nonisolated(unsafe) private static var installed: NearbyDevice?

  /// The device that `NISession()` runs on: in a callback the one that calls, else that of the surrounding `with`, else
  /// the installed one.
  public static var current: NearbyDevice? { scoped ?? SessionLock.withLock { installed } }

  /// Installs a device as the process's own: the only call that an app needs in order to run on it.
  public static func install(_ device: NearbyDevice?) { SessionLock.withLock { installed = device } }

  /// Makes a device the current one within `body`: for several apps in one process.
  public static func with<T>(_ device: NearbyDevice?, _ body: () throws -> T) rethrows -> T {
    try $scoped.withValue(device, operation: body)
  }

  /// The same, for a body that waits.
  public static func with<T>(_ device: NearbyDevice?, _ body: () async throws -> T) async rethrows -> T {
    try await $scoped.withValue(device, operation: body)
  }
}
