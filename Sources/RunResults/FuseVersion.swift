/// The version of the command, the library and their numbers.
package enum FuseVersion {
  /// At present; a log names it.
  package static let current = "0.2.0"
}
