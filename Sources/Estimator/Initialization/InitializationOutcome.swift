/// What came of an attempt to find a first state.
package enum InitializationOutcome: Sendable {
  /// Found.
  case ready(InitialEstimate)
  /// Not yet: a machine-readable word.
  case waiting(String)
}
