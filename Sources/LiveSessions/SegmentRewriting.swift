/// A segment without the records of some sessions, as a compaction writes it. Pure: it reads one closed segment.
struct SegmentRewriting {
  /// The new file; nil where only its header would be left.
  private(set) var bytes: [UInt8]?
  /// New offsets of the records that stay, by their old ones.
  private(set) var moved: [Int: Int] = [:]
  /// What is not as it was written: nothing may be rewritten then.
  private(set) var damage: Range<Int>?

  /// - Parameters:
  ///   - sessions: what goes.
  ///   - pinned: sessions with records in damaged segments, whose deletion stays on record.
  ///   - list: where the newest list of removed segments is, if it is in this one; others are outdated.
  /// - Throws: `LogError.file` where the segment cannot be read.
  init(
    _ path: String, version: String, without sessions: Set<UInt64>, pinned: Set<UInt64>, list: Int?
  ) throws(LogError) {
    let (source, unreadable) = try SegmentFile.read(path)
    var kept = LogFormat.header(version: version)
    let empty = kept.count
    damage = unreadable.first
    source.withUnsafeBytes { bytes in
      guard let header = LogFormat.header(bytes) else {
        damage = damage ?? 0..<empty
        return
      }
      var at = header.length
      while let item = LogScan.item(bytes, at: at, format: header.format) {
        at = item.range.upperBound
        guard let record = item.record else {
          damage = damage ?? item.range
          continue
        }
        let isOld = record.kind == .removed && list != item.range.lowerBound
        let isGone = sessions.contains(record.session) && !(record.kind == .delete && pinned.contains(record.session))
        guard !isOld, !isGone else { continue }
        moved[item.range.lowerBound] = kept.count
        LogFormat.append(record, to: &kept)
      }
    }
    if kept.count > empty { bytes = kept }
  }
}
