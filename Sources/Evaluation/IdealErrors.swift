/// Errors of the ideal observer for one peer, on the same ranges.
package struct IdealErrors: Equatable, Sendable {
  /// Errors of what it would publish under the product's rules.
  package var published: PeerErrors
  /// Error of its mean angle at each of `AngleCheckpoint.seconds`, published or not, radians; nil after the recording's
  /// end.
  package var meanErrors: [Double?]
  /// Its mean angle, published or not, from 2 to 12 s after the motion began.
  package var moments: [AngleMoment]

  /// Errors from their parts.
  package init(published: PeerErrors, meanErrors: [Double?] = [], moments: [AngleMoment] = []) {
    self.published = published
    self.meanErrors = meanErrors
    self.moments = moments
  }

  /// Error of its mean angle some seconds after the motion began, radians.
  package func meanError(at seconds: Double) -> Double? {
    AngleCheckpoint.seconds.firstIndex(of: seconds).flatMap { meanErrors.indices.contains($0) ? meanErrors[$0] : nil }
  }
}
