import Datasets

/// Skipped rows, in words.
enum DamageWords {
  /// A line per file with bad rows.
  static func lines(_ damage: [FileDamage]) -> [String] {
    damage.filter { $0.total > 0 }.map { file in
      let kinds = file.counts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
      return
        "\(file.path): \(file.total) of \(Words.count(file.rows, "row")) skipped (\(kinds.joined(separator: ", ")))"
    }
  }
}
