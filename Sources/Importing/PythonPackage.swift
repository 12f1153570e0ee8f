import Datasets

/// How the project's Python package is installed, which reads bags and videos.
enum PythonPackage {
  /// Where a Debian package puts its sources.
  private static let installed = "/usr/share/fuse/python"

  /// The command that installs it here.
  static var advice: String {
    if RegularFile.isFolder("tools/python/src/fusepy") { return "pip install ./tools/python" }
    if RegularFile.isFolder("\(installed)/src/fusepy") { return "pip install \(installed)" }
    return "pip install <the folder tools/python of fuse's sources>"
  }
}
