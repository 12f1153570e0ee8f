import Datasets
import Foundation

/// The files of a source: an import replaces none of them.
enum SourceFiles {
  /// Most files that are listed: a source with more has its images there, which no import writes.
  private static let most = 20_000

  /// A file, or the files in a folder and below it; without those of an output that lies within the source, which an
  /// earlier import has left there.
  static func list(_ source: String, output: String) -> [String] {
    guard RegularFile.isFolder(source), let found = FileManager.default.enumerator(atPath: source) else {
      return [source]
    }
    func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
    let (folder, target) = (real(source), real(output))
    let within = target.hasPrefix(folder + "/") ? String(target.dropFirst(folder.count + 1)) : nil
    var paths: [String] = []
    for case let name as String in found where paths.count < most {
      if let within, name == within || name.hasPrefix(within + "/") { continue }
      paths.append("\(source)/\(name)")
    }
    return paths
  }
}

extension DatasetError {
  /// The same error of a file in another folder.
  func naming(_ folder: String, insteadOf staging: String) -> DatasetError {
    var error = self
    error.file = file.replacingOccurrences(of: staging, with: folder)
    error.found = found.replacingOccurrences(of: staging, with: folder)
    error.expected = expected.replacingOccurrences(of: staging, with: folder)
    return error
  }
}
