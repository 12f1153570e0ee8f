import Foundation

/// Arguments that are no UTF-8, as names of files may be.
///
/// A `String` cannot hold such a name: where there is a file or folder of it, it is opened, and the path of its
/// descriptor takes its place.
enum RawArguments {
  private static let prefix = "/proc/self/fd/"

  /// The arguments behind the command's own name.
  static func all() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { argument in
        String(validatingCString: argument) ?? path(of: argument) ?? String(cString: argument)
      }
    }
  }

  private static func path(of raw: UnsafePointer<CChar>) -> String? {
    let descriptor = open(raw, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    return descriptor < 0 ? nil : "\(prefix)\(descriptor)"
  }

  /// The last part of a path for people, with signs of replacement where it is no UTF-8.
  static func name(of path: String) -> String {
    let standard = URL(fileURLWithPath: path).standardizedFileURL
    guard path.hasPrefix(prefix) else { return standard.lastPathComponent }
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard count > 0 else { return standard.lastPathComponent }
    let last = buffer[..<count].split(separator: UInt8(ascii: "/")).last ?? []
    return String(decoding: last, as: UTF8.self)
  }
}
