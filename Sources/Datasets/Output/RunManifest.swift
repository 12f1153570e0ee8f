import JSONText

/// Sizes and hashes of the files of a run, in its `result.json`: what does not match it is of another run.
struct RunManifest {
  private let files: [(name: String, fingerprint: AtomicFile.Fingerprint)]
  private static let key = "files"

  /// The manifest of finished files.
  init(_ files: [AtomicFile]) {
    self.files = files.compactMap { file in file.fingerprint.map { (file.name, $0) } }
  }

  /// A result with the manifest as its last member.
  func added(to result: JSONValue) -> JSONValue {
    guard case .object(let members) = result else { return result }
    let entries = files.map { file in
      JSONValue.Member(
        key: file.name,
        value: ["bytes": .integer(file.fingerprint.size), "sha256": .string(file.fingerprint.sha256)])
    }
    return .object(members + [.init(key: Self.key, value: .object(entries))])
  }

  /// Checks the files of a folder against the result's manifest.
  ///
  /// - Returns: warnings, where there is nothing to check against.
  /// - Throws: `DatasetError` for the first file that differs.
  static func check(_ result: JSONValue?, in folder: String) throws(DatasetError) -> [String] {
    guard let result else {
      throw DatasetError(
        file: "\(folder)/\(OutputFolder.resultName)", found: "no such file",
        expected: "the result of a run that came to its end, or --unverified to read what there is")
    }
    guard case .object(let entries)? = result[key] else {
      return [
        "\(folder)/\(OutputFolder.resultName): no '\(key)', as earlier versions wrote it: whether its files belong "
          + "together is unknown"
      ]
    }
    for name in OutputFolder.dataNames {
      let path = "\(folder)/\(name)"
      let entry = entries.first { $0.key == name }?.value
      if entry == nil, !RegularFile.exists(path) { continue }
      let size = RegularFile.size(path)
      if let size, let entry, entry["bytes"]?.double == Double(size),
        try InputDigest.sha256(of: path) == entry["sha256"]?.text
      {
        continue
      }
      throw DatasetError(
        file: path, found: size == nil ? "no such file" : "the file of another run than \(OutputFolder.resultName)",
        expected: "files that belong together: run it again, or read them with --unverified")
    }
    return []
  }
}
