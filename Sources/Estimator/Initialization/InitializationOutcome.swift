/// Outcome of an initialisation attempt.
package enum InitializationOutcome: Sendable {
  /// A state was found.
  case ready(InitialEstimate)
  /// Not yet, with a machine-readable reason.
  case waiting(String)
}
