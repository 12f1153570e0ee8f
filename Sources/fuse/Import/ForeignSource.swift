import Datasets
import Importing

/// Recordings of another kind, where a dataset folder is expected.
enum ForeignSource {
  /// - Throws: `DatasetError` that names the kind and the command which imports it.
  static func refuse(_ path: String) throws(DatasetError) {
    guard let guess = ImportKind.guess(path) else { return }
    throw DatasetError(
      file: path, found: "a \(guess.kind.rawValue) source (\(guess.reason))",
      expected: "a dataset folder; this makes one: \(guess.kind.command(path))")
  }
}
