/// Turns the row at hand of a table into a value, or says why it is bad.
protocol RowDecoder {
  associatedtype Row
  /// The columns of the format, stamp and arrival first.
  static var columns: [Column] { get }
  /// Decodes the row; its stamp is `table.time`, already checked.
  mutating func decode(_ table: TableReader) throws(RowFault) -> Row
}

/// The good rows of one file, in order; the bad ones are counted or end the reading.
final class RowStream<Decoder: RowDecoder> {
  let table: TableReader
  private var decoder: Decoder

  init(_ file: RecordingFile, _ decoder: Decoder, isStrict: Bool) throws(DatasetError) {
    table = try TableReader(
      path: file.path, relativePath: file.relativePath, columns: Decoder.columns, isStrict: isStrict)
    self.decoder = decoder
  }

  /// What was read and skipped so far.
  var damage: [FileDamage] { [table.damage] }
  /// What is worth a warning in the header.
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
  /// Where it is, as the user named the folder.
  package var path: String
  /// Where it is inside the recording's folder.
  package var relativePath: String
}
