import Foundation

/// Recordings that come with the executables, in the folder `recordings` beside them: `fuse run demo` needs no other.
package enum ShippedRecording {
  /// The folder of a recording of this name; nil where there is none, or `path` is more than a name or something here.
  package static func folder(named path: String) -> String? {
    guard !path.isEmpty, !path.contains("/"), !path.hasPrefix("."), !RegularFile.exists(path),
      let own = Bundle.main.executableURL?.resolvingSymlinksInPath()
    else { return nil }
    let folder = own.deletingLastPathComponent().appendingPathComponent("recordings/\(path)").path
    return RegularFile.isFolder("\(folder)/mav0") ? folder : nil
  }
}
