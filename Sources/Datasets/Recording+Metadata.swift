extension Recording {
  /// The recording's description in `dataset.yaml`.
  package struct Metadata: Equatable, Sendable {
    /// Its title.
    package var title: String?
    /// Its source.
    package var source: String?
    /// Its licence.
    package var licence: String?
    /// Further notes.
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
