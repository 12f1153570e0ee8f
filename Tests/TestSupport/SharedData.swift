import Foundation

/// Location of the test recordings outside the repository, if present.
public enum SharedData {
  /// `$FUSE_SHARED_DATA`, or `../shared/data` beside the checkout; nil where neither exists.
  public static let root: URL? = {
    let environment = ProcessInfo.processInfo.environment["FUSE_SHARED_DATA"].map { URL(fileURLWithPath: $0) }
    let candidate = environment ?? Repository.root.appendingPathComponent("../shared/data").standardizedFileURL
    return FileManager.default.fileExists(atPath: candidate.path) ? candidate : nil
  }()

  /// True where the recordings are present: for `.enabled(if:)`, with `message` as its comment.
  public static var isHere: Bool { root != nil }

  /// Why a test was skipped.
  public static let message = "skipped: no ../shared/data and no $FUSE_SHARED_DATA on this machine"

  /// The folder of one recording, such as `real/tango-handheld`.
  public static func recording(_ name: String) -> URL { root!.appendingPathComponent(name) }
}

/// This checkout.
public enum Repository {
  /// The folder that holds Package.swift.
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
