extension Recording {
  /// What `dataset.yaml` says of the recording.
  package struct Metadata: Equatable, Sendable {
    /// Its title.
    package var title: String?
    /// Where it comes from.
    package var source: String?
    /// On what terms.
    package var licence: String?
    /// What else is worth knowing.
    package var note: String?

    /// A description from its parts.
    package init(title: String? = nil, source: String? = nil, licence: String? = nil, note: String? = nil) {
      self.title = title
      self.source = source
      self.licence = licence
      self.note = note
    }
  }
}
