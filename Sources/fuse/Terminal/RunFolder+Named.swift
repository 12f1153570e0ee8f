import Datasets
import RunResults

extension RunFolder {
  /// The output folder that a user named; its warnings are said.
  ///
  /// - Throws: `DatasetError`.
  static func named(
    _ path: String, isUnverified: Bool, keeping kept: Kept, warn: (String) -> Void = StandardError.warn
  ) throws(DatasetError) -> RunFolder {
    let run = try RunFolder(path: path, isVerified: !isUnverified, keeping: kept)
    run.warnings.forEach(warn)
    return run
  }
}
