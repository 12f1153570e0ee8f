/// Names that changed with 0.2 and are accepted for one release, with a warning.
package enum FormerName {
  /// The warning.
  package static func sentence(_ kind: String, _ former: String, _ name: String) -> String {
    "the \(kind) '\(former)' is now called '\(name)'; the old name ends with the next release"
  }

  /// Writes a warning to standard error.
  package static func warn(_ sentence: String) {
    StandardError.warn(sentence)
  }
}
