/// The peer of a stored line, as its text has it: enough to tell peers apart, without reading the line.
package struct UpdatePeer: Hashable, Sendable {
  private let text: [UInt8]

  private static let key = Array(",\"peer\":\"".utf8)

  /// The peer of a line as `UpdateRecord` writes it; nil for a line of the session.
  package init?(line: ArraySlice<UInt8>) {
    // Behind the stamp, which is a number: no text comes before it.
    guard let comma = line.firstIndex(of: UInt8(ascii: ",")), line[comma...].starts(with: Self.key) else { return nil }
    let begin = comma + Self.key.count
    var end = begin
    while end < line.endIndex, line[end] != UInt8(ascii: "\"") { end += line[end] == UInt8(ascii: "\\") ? 2 : 1 }
    text = Array(line[begin..<min(end, line.endIndex)])
  }
}
