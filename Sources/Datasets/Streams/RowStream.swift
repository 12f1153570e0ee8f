/// Decodes the current row of a table, or throws its fault.
protocol RowDecoder {
  associatedtype Row
  /// The columns of the format, stamp and arrival first.
  static var columns: [Column] { get }
  /// How much damage its file may have.
  static var damageRule: DamageRule { get }
  /// Decodes the row; its stamp is `table.time`, already checked.
  mutating func decode(_ table: TableReader) throws(RowFault) -> Row
}

extension RowDecoder {
  static var damageRule: DamageRule { .file }
}

/// The valid rows of one file, in order; bad ones are counted or end the reading.
final class RowStream<Decoder: RowDecoder> {
  let table: TableReader
  private var decoder: Decoder

  init(_ file: RecordingFile, _ decoder: Decoder, isStrict: Bool) throws(DatasetError) {
    table = try TableReader(
      path: file.path, relativePath: file.relativePath, columns: Decoder.columns, rule: Decoder.damageRule,
      isStrict: isStrict)
    self.decoder = decoder
  }

  /// Rows read and skipped so far.
  var damage: [FileDamage] { [table.damage] }
  /// Warnings about the header.
  var warnings: [String] { table.header.warnings }

  func next() throws(DatasetError) -> Decoder.Row? {
    while try table.advance() {
      do throws(RowFault) {
        try table.readTime()
        let row = try decoder.decode(table)
        table.accept()
        return row
      } catch {
        try table.reject(error)
      }
    }
    return nil
  }
}

/// One file of a recording.
package struct RecordingFile: Equatable, Sendable {
  /// Its path, with the folder as given by the user.
  package var path: String
  /// Its path inside the recording's folder.
  package var relativePath: String

  /// A file from its paths.
  package init(path: String, relativePath: String) { (self.path, self.relativePath) = (path, relativePath) }
}
